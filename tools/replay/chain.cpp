#include "replay/chain.hpp"

#include "files/array.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/chain.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::uint64_t most_bins = std::numeric_limits<std::int32_t>::max() - 1;

void add_range_end(Ranges& ranges, std::int64_t end) {
  if (ranges.back() != end) ranges.push_back(static_cast<std::int32_t>(end));
}

Ranges cut_of(std::span<const double> prefix, int ranks) {
  const Chain chain = cut_prefix(prefix, {.parts = ranks});
  Ranges ranges = {0};
  for (const std::int64_t offset : chain.offsets) add_range_end(ranges, offset);
  return ranges;
}

}  // namespace

CostChain::CostChain(std::vector<double> costs, std::uint64_t bins, const std::string& name)
    : steps_(bins > 0 ? static_cast<std::int64_t>(costs.size() / bins) : 0),
      bins_(static_cast<std::int64_t>(bins)) {
  if (steps_ == 0 || bins > most_bins)
    refuse_replay(joined({in_quotes(name), " has ", std::to_string(steps_), " steps of ",
                          std::to_string(bins), " bins."}),
                  "Give a row for each step and a column for each bin, at least one of each.");
  prefixes_.reserve(costs.size() + static_cast<std::size_t>(steps_));
  double all = 0;
  auto cost = costs.begin();
  for (std::int64_t step = 0; step < steps_; ++step) {
    double sum = 0;
    prefixes_.push_back(sum);
    for (std::int64_t bin = 0; bin < bins_; ++bin, ++cost) {
      sum += *cost;
      if (!(*cost >= 0) || !std::isfinite(sum))
        refuse_replay(joined({"In ", in_quotes(name), ", row ", std::to_string(step), ", column ",
                              std::to_string(bin), " is ", text_of(*cost), "."}),
                      "Give finite costs that are not negative and whose sum is finite.");
      prefixes_.push_back(sum);
    }
    all += sum;
  }
  if (!std::isfinite(all))
    refuse_replay(joined({"The costs in ", in_quotes(name), " add up to ", text_of(all), "."}),
                  "Give them in a greater unit.");
}

std::span<const double> CostChain::prefix(std::int64_t step) const noexcept {
  const auto length = static_cast<std::size_t>(bins_ + 1);
  return {prefixes_.data() + static_cast<std::size_t>(step) * length, length};
}

Ranges CostChain::cut(std::int64_t step, int ranks) const { return cut_of(prefix(step), ranks); }

Ranges CostChain::cut(std::int64_t begin, std::int64_t end, int ranks) const {
  if (end - begin == 1) return cut(begin, ranks);
  std::vector<double> sums(static_cast<std::size_t>(bins_ + 1));
  for (std::int64_t step = begin; step < end; ++step) {
    const std::span<const double> row = prefix(step);
    for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += row[bin];
  }
  return cut_of(sums, ranks);
}

Ranges CostChain::even(int ranks) const {
  Ranges ranges = {0};
  for (std::int64_t p = 1; p <= ranks; ++p) add_range_end(ranges, p * bins_ / ranks);
  return ranges;
}

double CostChain::slowest(const Ranges& ranges, std::int64_t step) const noexcept {
  const double* const sums = prefix(step).data();
  double most = 0, before = sums[0];
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const double after = sums[ranges[i]];
    most = std::max(most, after - before);
    before = after;
  }
  return most;
}

double CostChain::slowest(const Ranges& ranges, std::int64_t begin, std::int64_t end) const {
  if (end - begin == 1) return slowest(ranges, begin);
  std::vector<double> sums(ranges.size() - 1), loads_of_step;
  for (std::int64_t step = begin; step < end; ++step) {
    loads(ranges, step, loads_of_step);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += loads_of_step[i];
  }
  return *std::max_element(sums.begin(), sums.end());
}

void CostChain::loads(const Ranges& ranges, std::int64_t step, std::vector<double>& into) const {
  const std::span<const double> sums = prefix(step);
  into.resize(ranges.size() - 1);
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i)
    into[i] =
        sums[static_cast<std::size_t>(ranges[i + 1])] - sums[static_cast<std::size_t>(ranges[i])];
}

CostChain read_chain(const std::string& path, Progress progress) {
  const auto file = open_array(path, std::move(progress));
  return {file->read(0, file->rows()), file->columns(), path};
}

}  // namespace evenkeel::tool
