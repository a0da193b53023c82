#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
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
