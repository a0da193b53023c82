#include <evenkeel/monitor/truncated_mean.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace evenkeel {

namespace {

// In order as far as truncation asks: the first `ends` are the least, the last the greatest.
std::vector<std::int64_t> parted(std::span<const std::int64_t> values, std::size_t ends) {
  std::vector<std::int64_t> parts(values.begin(), values.end());
  const auto low = parts.begin() + static_cast<std::ptrdiff_t>(ends);
  const auto high = parts.end() - static_cast<std::ptrdiff_t>(ends);
  if (ends == 0) return parts;
  std::nth_element(parts.begin(), low, parts.end());
  std::nth_element(low, high - 1, parts.end());
  return parts;
}

}  // namespace

std::int64_t truncated_sum(std::span<const std::int64_t> values) {
  const std::size_t ends = truncated_at_each_end(values.size());
  if (ends == 0) return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  const std::vector<std::int64_t> parts = parted(values, ends);
  const std::size_t used = parts.size() - 2 * ends;
  const auto first = parts.begin() + static_cast<std::ptrdiff_t>(ends);
  const std::int64_t sum =
      std::accumulate(first, first + static_cast<std::ptrdiff_t>(used), std::int64_t{0});
  return std::llround(static_cast<double>(sum) * static_cast<double>(values.size()) /
                      static_cast<double>(used));
}

double truncated_sum_variance(std::span<const std::int64_t> values) {
  if (values.size() < 2) return 0;
  std::size_t ends = truncated_at_each_end(values.size());
  if (values.size() < 2 * ends + 2) ends = 0;  // a single value that is left does not scatter
  std::vector<std::int64_t> parts = parted(values, ends);
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
