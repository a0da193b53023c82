#include "report/amounts.hpp"

#include <evenkeel/backends/words.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace evenkeel::tool::report {

namespace {

constexpr double nanoseconds = 1e9, weights_per_second = 1e3;

std::string weight_of(double weight) {
  constexpr double least = 100, most = 1e15;
  const double size = std::abs(weight);
  return size >= least && size < most ? detail::count_of(std::llround(weight))
                                      : short_number(weight);
}

}  // namespace

std::string Amounts::of(double seconds) const {
  if (counts_weight_) return weight_of(seconds * weights_per_second) + " of weight";
  constexpr double most = 1e15;  // thirty million years
  if (std::abs(seconds) > most) return short_number(seconds) + " s";
  return detail::seconds_of(seconds * nanoseconds);
}

std::string Amounts::of(const std::optional<double>& seconds) const {
  return seconds ? of(*seconds) : "unknown";
}

Amounts::Unit Amounts::unit_for(double most_seconds) const {
  if (counts_weight_) return {1 / weights_per_second, "weight"};
  constexpr double milli = 1e-3, micro = 1e-6;
  if (most_seconds < milli / 10) return {micro, "microseconds"};
  if (most_seconds < 1.0 / 10) return {milli, "milliseconds"};
  return {1, "seconds"};
}

std::string share_of(double part, double whole) {
  return detail::fixed(whole > 0 ? 100 * part / whole : 0, 1) + " %";
}

std::string lambda_text(double lambda) {
  constexpr double most = 1e6;
  return lambda < most ? detail::fixed(lambda, 2) : short_number(lambda);
}

std::string counted(std::int64_t number, const std::string& what) {
  return detail::count_of(number) + ' ' + what + (number == 1 ? "" : "s");
}

std::string short_number(double number) {
  constexpr int digits = 4;
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number,
                                     std::chars_format::general, digits)
                           .ptr};
}

}  // namespace evenkeel::tool::report
