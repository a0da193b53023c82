#include "observe/truncated_mean.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace evenkeel {

std::int64_t sum_of(std::span<const std::int64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

namespace {

// A copy of the values in a partial order: the least `ends` values come first, the greatest `ends`
// values last. The few values of a usual epoch need no allocation.
class Parted {
 public:
  Parted(std::span<const std::int64_t> values, std::size_t ends) {
    if (values.size() > few_.size()) many_.resize(values.size());
    values_ = many_.empty() ? std::span(few_).first(values.size()) : std::span(many_);
    std::copy(values.begin(), values.end(), values_.begin());
    if (ends == 0) return;
    const auto low = values_.begin() + static_cast<std::ptrdiff_t>(ends);
    const auto high = values_.end() - static_cast<std::ptrdiff_t>(ends);
    std::nth_element(values_.begin(), low, values_.end());
    std::nth_element(low, high - 1, values_.end());
  }
  Parted(const Parted&) = delete;
  Parted& operator=(const Parted&) = delete;

  std::span<std::int64_t> values() const noexcept { return values_; }

 private:
  std::array<std::int64_t, 32> few_;
  std::vector<std::int64_t> many_;
  std::span<std::int64_t> values_;
};

// The sum of all values but the least and the greatest. There must be values.
std::int64_t sum_within(std::span<const std::int64_t> values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return sum_of(values) - *least - *greatest;
}

}  // namespace

std::int64_t truncated_sum(std::span<const std::int64_t> values) {
  const std::size_t ends = truncated_at_each_end(values.size());
  if (ends == 0) return sum_of(values);
  const std::size_t used = values.size() - 2 * ends;
  const std::int64_t sum =
      ends == 1 ? sum_within(values) : sum_of(Parted(values, ends).values().subspan(ends, used));
  return std::llround(static_cast<double>(sum) * static_cast<double>(values.size()) /
                      static_cast<double>(used));
}

double truncated_sum_variance(std::span<const std::int64_t> values) {
  if (values.size() < 2) return 0;
  std::size_t ends = truncated_at_each_end(values.size());
  if (values.size() < 2 * ends + 2) ends = 0;  // a single remaining value has no scatter
  const Parted parted(values, ends);
  const std::span<std::int64_t> parts = parted.values();
  const auto reach = static_cast<std::ptrdiff_t>(ends);
  const auto low = parts.begin() + reach, high = parts.end() - reach;
  const auto [least, greatest] = std::minmax_element(low, high);
  const std::int64_t bottom = *least, top = *greatest;
  std::fill(parts.begin(), low, bottom);
  std::fill(high, parts.end(), top);
  const auto count = static_cast<double>(parts.size());
  const auto used = static_cast<double>(parts.size() - 2 * ends);
  const double mean = std::accumulate(parts.begin(), parts.end(), 0.0) / count;
  double squares = 0;
  for (const std::int64_t value : parts) {
    const double deviation = static_cast<double>(value) - mean;
    squares += deviation * deviation;
  }
  return squares / (count - 1) * count * (count / used) * (count / used);
}

}  // namespace evenkeel
