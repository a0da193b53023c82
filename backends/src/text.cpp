#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace evenkeel {

namespace {

template <class Number>
std::optional<Number> number_from_text(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read != end) return std::nullopt;
  return number;
}

struct ByteUnit {
  std::string_view name;
  double bytes;
};
constexpr std::array byte_units = {ByteUnit{"TiB", 0x1p40}, ByteUnit{"GiB", 0x1p30},
                                   ByteUnit{"MiB", 0x1p20}, ByteUnit{"KiB", 0x1p10},
                                   ByteUnit{"TB", 1e12},    ByteUnit{"GB", 1e9},
                                   ByteUnit{"MB", 1e6},     ByteUnit{"kB", 1e3}};

}  // namespace

std::string text_of(double number) {
  std::array<char, 32> text;  // the longest text is -2.2250738585072014e-308
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

std::optional<double> real_from_text(std::string_view text) {
  return number_from_text<double>(text);
}

std::optional<std::int64_t> integer_from_text(std::string_view text) {
  return number_from_text<std::int64_t>(text);
}

std::string text_of_bytes(double bytes) {
  for (const ByteUnit& unit : byte_units)
    if (bytes >= unit.bytes && std::fmod(bytes, unit.bytes) == 0)
      return text_of(bytes / unit.bytes).append(unit.name);
  return text_of(bytes);
}

std::optional<double> bytes_from_text(std::string_view text) {
  double bytes = 1;
  for (const ByteUnit& unit : byte_units) {
    if (!text.ends_with(unit.name)) continue;
    bytes = unit.bytes;
    text.remove_suffix(unit.name.size());
    text = text.substr(0, text.find_last_not_of(" \t") + 1);
    break;
  }
  bytes *= real_from_text(text).value_or(0);
  return bytes > 0 && std::isfinite(bytes) ? std::optional(bytes) : std::nullopt;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 120;
  std::size_t length = std::min(text.size(), most);
  if (length < text.size())  // never cuts inside a UTF-8 character
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::string shown(text.substr(0, length));
  std::ranges::replace_if(
      shown, [](char character) { return static_cast<unsigned char>(character) < ' '; }, '?');
  return '\'' + shown + (length < text.size() ? "...'" : "'");
}

}  // namespace evenkeel
