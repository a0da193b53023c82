#include "rebalance/memory_watch.hpp"

#include "options/system_memory.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/words.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

namespace {

std::int64_t memory_of_this_node(const char* stage) {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace, Kokkos::HostSpace>::accessible;
  const std::optional<std::int64_t> memory = memory_of_node();
  if (on_host && memory) return *memory;
  throw Error(ErrorKind::bad_input, Where{stage},
              on_host ? "memory is system, but the system does not report its memory."
                      : "memory is system, but objects may be in the memory of a device.",
              "Give the bytes of each rank.");
}

// Collective. Half of the share of this rank in the memory of its node; see system_memory.
double share_of_node(const Communicator& ranks, const char* stage) {
  const auto here = static_cast<std::size_t>(ranks.rank());
  std::int64_t memory = 0;
  std::vector<std::int64_t> nodes;
  vote(ranks, attempt(stage, [&] {
         memory = memory_of_this_node(stage);
         nodes.resize(static_cast<std::size_t>(ranks.size()));
         nodes[here] = static_cast<std::int64_t>(node_hash());
       }));
  ranks.all_reduce(std::span<std::int64_t>(nodes), Reduction::sum);
  const auto sharers = static_cast<double>(std::ranges::count(nodes, nodes[here]));
  return static_cast<double>(memory) / 2 / sharers;
}

std::string fill_of(const RankFill& rank) {
  return detail::bytes_of(whole(rank.bytes)) + " of its " + detail::bytes_of(whole(rank.memory));
}

}  // namespace

void MemoryWatch::open(const Communicator& ranks, const Options& options) {
  if (options.memory.empty()) return;
  const auto place = static_cast<std::size_t>(options.memory.size() > 1 ? ranks.rank() : 0);
  const bool asks_system = std::ranges::count(options.memory, system_memory) > 0;
  const double of_system = asks_system ? share_of_node(ranks, stage_) : 0;
  vote(ranks, attempt(stage_, [&] {
         limits_.resize(static_cast<std::size_t>(ranks.size()));
         const double given = options.memory[place];
         limits_[static_cast<std::size_t>(ranks.rank())] =
             given == system_memory ? of_system : given;
       }));
  ranks.all_reduce(std::span<double>(limits_), Reduction::sum);
}

// The growth is that between the first and the last of the kept looks.
std::int64_t MemoryWatch::steps_left(double limit) const {
  const BytesAtStep &first = looks_.front(), &last = looks_.back();
  if (last.bytes >= limit) return 0;
  const double grown = last.bytes - first.bytes;
  if (!(grown > 0)) return RankMemory::never;
  constexpr double far = 1e15;  // steps
  const double steps = static_cast<double>(last.step - first.step) * (limit - last.bytes) / grown;
  return steps < far ? static_cast<std::int64_t>(steps) : RankMemory::never;
}

MemoryTotals MemoryWatch::at_look(int rank, double bytes, std::int64_t step) {
  MemoryTotals mine;
  if (!is_limited()) return mine;
  static_cast<void>(attempt(stage_, [&] {
    constexpr std::size_t most_looks = 5;
    if (!looks_.empty() && step <= looks_.back().step) looks_.clear();
    looks_.push_back({step, bytes});
    if (looks_.size() > most_looks) looks_.pop_front();
    const double limit = limits_[static_cast<std::size_t>(rank)];
    mine.fullest = {rank, whole(bytes), whole(limit), steps_left(limit)};
    mine.soonest = mine.fullest;
    if (bytes > asks_above_) mine.asked = mine.fullest.steps_left;
  }));
  return mine;
}

MemoryTotals MemoryWatch::at_look(int rank, std::span<const Set> sets, std::int64_t step) {
  double bytes = 0;
  const Status added = attempt(stage_, [&] {
    for (const Set& set : sets) {
      check(set);
      bytes += bytes_of_all_objects(set);
    }
  });
  return added.ok() ? at_look(rank, bytes, step) : MemoryTotals();
}

// Sums of integers are the same on all ranks.
double MemoryWatch::most_share(const Communicator& ranks, double bytes, bool frees_memory) {
  before_ = bytes;
  frees_memory_ = frees_memory;
  leaves_room_ = leaves_room_ || frees_memory;
  if (!leaves_room_) return 1;
  const double here = bytes / limits_[static_cast<std::size_t>(ranks.rank())];
  const double fullest = ranks.all_reduce(here, Reduction::greatest);
  const auto sum = static_cast<double>(ranks.all_reduce(whole(bytes), Reduction::sum));
  const double average = sum / std::accumulate(limits_.begin(), limits_.end(), 0.0);
  const double before = frees_memory ? std::min(1.0, fullest) : 1;
  return average < 1 ? (average + before) / 2 : 1;
}

// If memory for a line of the log runs out, the line is lost.
void MemoryWatch::judge(int rank, std::span<const double> bytes, bool is_first) {
  after_ = bytes[static_cast<std::size_t>(rank)];
  fullest_ = fullest_of(bytes, limits_);
  const bool was_too_full = std::exchange(is_too_full_, fullest_.share() > 1);
  const auto problem = [&] {
    return "No cut fits into the memory of the ranks: rank " + std::to_string(fullest_.rank) +
           " gets " + fill_of(fullest_) + '.';
  };
  constexpr const char* remedy = "Use more ranks, or allow them more memory.";
  if (is_too_full_ && is_first) throw Error(ErrorKind::bad_input, Where{stage_}, problem(), remedy);
  static_cast<void>(attempt(stage_, [&] {
    if (is_too_full_ && !was_too_full) log_.warn(problem() + ' ' + remedy);
  }));
}

// If a rebalance could not free memory, another one soon would not help.
void MemoryWatch::rebalanced(std::int64_t step, bool has_moved) {
  if (!is_limited()) return;
  constexpr double growth = 1 + 1.0 / 32;  // of the bytes, before this rank asks again
  const double bytes = has_moved ? after_ : before_;
  if (frees_memory_) asks_above_ = growth * bytes;
  if (!has_moved) return;
  looks_.resize(std::min<std::size_t>(1, looks_.size()));  // allocates nothing
  if (!looks_.empty()) looks_.front() = {step, bytes};
  static_cast<void>(attempt(stage_, [&] {
    if (frees_memory_ && !is_too_full_)
      log_.note("the fullest rank is now rank " + std::to_string(fullest_.rank) + ", with " +
                fill_of(fullest_));
  }));
}

}  // namespace evenkeel
