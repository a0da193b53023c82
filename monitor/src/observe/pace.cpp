#include "observe/pace.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>

namespace evenkeel {

namespace {

constexpr double most_waiting = 0.99;

std::int64_t whole_units(double number) {
  return std::llround(std::clamp(number, -1e3, 1e3) * PaceTally::unit);
}

}  // namespace

// Each operation needs the result of the one before it, so this takes a fixed number of cycles.
std::int64_t built_in_probe() noexcept {
  constexpr int operations = 2000;  // some 3 microseconds
  static volatile std::uint64_t seed = 1;
  const std::int64_t began = thread_cpu_nanoseconds();
  std::uint64_t number = seed;
  for (int i = 0; i < operations; ++i)
    number = number * 6364136223846793005u + 1442695040888963407u;
  seed = number;
  return thread_cpu_nanoseconds() - began;
}

void Pace::measure(double waited) noexcept {
  std::array<std::int64_t, tries> taken{};
  for (std::int64_t& nanoseconds : taken) nanoseconds = probe_();
  const auto median = taken.begin() + tries / 2;
  std::nth_element(taken.begin(), median, taken.end());
  if (*median <= 0) return;
  if (known_ == remembered) {
    std::shift_left(paces_.begin(), paces_.end(), 1);
    std::shift_left(waits_.begin(), waits_.end(), 1);
    --known_;
  }
  const double waiting = std::clamp(waited, 0.0, most_waiting);
  paces_[known_] = std::log(static_cast<double>(*median)) - std::log1p(-waiting);
  waits_[known_] = waiting;
  ++known_;
}

// The variance is that of the mean, from the differences of neighbours. So a pace that has changed
// once does not look noisy.
PaceTally Pace::tally(int rank, int slow, std::int64_t took) const noexcept {
  if (known_ < 2) return {.took = took};
  const auto count = static_cast<double>(known_);
  double sum = 0, waits = 0, squares = 0;
  for (std::size_t i = 0; i < known_; ++i) {
    sum += paces_[i];
    waits += waits_[i];
    if (i == 0) continue;
    const double change = paces_[i] - paces_[i - 1];
    squares += change * change;
  }
  const double variance = squares / (2 * (count - 1)) / count;
  const std::int64_t pace = whole_units(sum / count);
  return {.known = 1,
          .sum = pace,
          .greatest = pace,
          .slowest = rank,
          .waits = whole_units(waits / count),
          .of_slow = rank == slow ? pace : 0,
          .variance = whole_units(variance),
          .took = took};
}

}  // namespace evenkeel
