#include "files/printable.hpp"

namespace evenkeel::tool {

namespace {

std::string escape_of(unsigned code) {
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("\\u00") + digits[code >> 4U] + digits[code & 0xFU];
}

// In UTF-8, the control characters from U+0080 on are two bytes, of which the first is C2.
std::string printable(std::string_view text, std::string_view kept) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((byte < 0x20 && kept.find(text[i]) == kept.npos) || byte == 0x7F) {
      result += escape_of(byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      result += escape_of(next);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return printable(text, "\t\n"); }

std::string printable_line(std::string_view text) { return printable(text, ""); }

}  // namespace evenkeel::tool
