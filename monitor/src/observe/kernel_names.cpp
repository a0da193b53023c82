#include "observe/kernel_names.hpp"

#include "observe/hash.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>

#include <algorithm>
#include <sstream>

namespace evenkeel {

namespace {

constexpr const char* epoch_stage = "monitor/epoch";

// One name per line: names have no line feeds.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text;
}

std::vector<std::string> split(std::span<const char> text) {
  std::vector<std::string> names;
  std::istringstream lines(std::string(text.begin(), text.end()));
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

// Throws an Error if a rank lacks a name. The Error shows the first such rank and the first name
// that it lacks.
void require_alike(const std::vector<std::vector<std::string>>& names_of_rank,
                   const std::vector<std::string>& all) {
  for (std::size_t rank = 0; rank < names_of_rank.size(); ++rank)
    for (const std::string& name : all)
      if (!std::binary_search(names_of_rank[rank].begin(), names_of_rank[rank].end(), name))
        throw Error(ErrorKind::disagreement, Where{epoch_stage},
                    "Rank " + std::to_string(rank) + " does not know the kernel '" + name + "'.",
                    "Register the same kernels on all ranks, or leave strict_kernels off.");
}

}  // namespace

void KernelNames::learn(std::span<const std::string> of_clock) {
  if (of_clock.size() == own_.size()) return;  // a clock forgets no name
  KernelNames all = *this;
  all.own_.assign(of_clock.begin(), of_clock.end());
  all.add(all.own_);
  *this = std::move(all);
}

void KernelNames::add(const std::vector<std::string>& names) {
  sorted_.insert(sorted_.end(), names.begin(), names.end());
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  place_of_own_.clear();
  for (const std::string& name : own_) {
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), name);
    place_of_own_.push_back(static_cast<std::size_t>(at - sorted_.begin()));
  }
  hash_ = detail::Hash().add(std::string_view(joined(sorted_))).value();
}

std::vector<std::int64_t> KernelNames::in_order(std::span<const std::int64_t> of_clock) const {
  std::vector<std::int64_t> numbers(sorted_.size());
  for (std::size_t k = 0; k < of_clock.size(); ++k) numbers[place_of_own_[k]] = of_clock[k];
  return numbers;
}

void KernelNames::unite(const Communicator& communicator, bool strict) {
  std::string text;
  const Status made = attempt(epoch_stage, [&] {
    std::vector<std::string> mine = own_;
    std::sort(mine.begin(), mine.end());
    text = joined(mine);
  });
  const auto gathered = all_gather(communicator, made, std::span<const char>(text));
  std::vector<std::vector<std::string>> names_of_rank;
  vote(communicator, attempt(epoch_stage, [&] {
         names_of_rank.reserve(static_cast<std::size_t>(communicator.size()));
         for (int rank = 0; rank < communicator.size(); ++rank)
           names_of_rank.push_back(split(gathered.of_rank(rank)));
         KernelNames all = *this;
         for (const auto& names : names_of_rank) all.add(names);
         *this = std::move(all);
       }));
  if (strict) require_alike(names_of_rank, sorted_);
}

}  // namespace evenkeel
