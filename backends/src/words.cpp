#include <evenkeel/backends/words.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace evenkeel::detail {

std::string fixed(double number, int decimals) {
  std::array<char, 512> text;  // the greatest double has 309 digits
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number,
                                     std::chars_format::fixed, decimals)
                           .ptr};
}

std::string seconds_of(double nanoseconds) {
  constexpr double micro = 1e3, milli = 1e6, unit = 1e9;
  const double size = std::abs(nanoseconds);
  if (size < milli / 10) return fixed(nanoseconds / micro, 2) + " us";
  if (size < unit / 10) return fixed(nanoseconds / milli, 2) + " ms";
  return fixed(nanoseconds / unit, 2) + " s";
}

std::string count_of(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::ptrdiff_t sign = number < 0 ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > sign; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string and_unchanged(std::int64_t rebalances) {
  return rebalances > 0 ? ", and " + count_of(rebalances) + " that changed nothing" : "";
}

std::string bytes_of(std::int64_t bytes) {
  constexpr std::array<const char*, 5> units = {" B", " kB", " MB", " GB", " TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::abs(size) >= 1000 && unit + 1 < units.size()) {
    size /= 1000;
    ++unit;
  }
  return fixed(size, unit == 0 ? 0 : 1) + units[unit];
}

}  // namespace evenkeel::detail
