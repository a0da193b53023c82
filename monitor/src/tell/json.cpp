#include "tell/json.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace evenkeel::detail {

namespace {

constexpr const char* replacement = "\xEF\xBF\xBD";  // U+FFFD

std::string hexadecimal(std::uint64_t value, std::size_t digits) {
  char text[16];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, 16);
  const auto length = static_cast<std::size_t>(end - text);
  return std::string(digits - std::min(digits, length), '0') + std::string(text, length);
}

// The length in bytes of the first character of `bytes`, or 0 if it is not UTF-8, by table 3-7 of
// the Unicode standard. The limits of the second byte exclude overlong forms, surrogates and
// characters above U+10FFFF.
std::size_t character_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  return length;
}

std::string escaped(char character) {
  switch (character) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 ? "\\u" + hexadecimal(code, 4) : std::string(1, character);
}

std::string json_string(std::string_view value) {
  std::string text = "\"";
  while (!value.empty()) {
    const std::size_t length = character_length(value);
    if (length == 0)
      text += replacement;
    else if (length == 1)
      text += escaped(value.front());
    else
      text += value.substr(0, length);
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text + '"';
}

// Adds a number to a key that is taken. Different keys can also become equal when invalid bytes are
// replaced, so the keys are compared as they are written.
std::string distinct_key(const std::string& key, const std::vector<std::string>& taken) {
  std::string written = json_string(key);
  for (int number = 2; std::find(taken.begin(), taken.end(), written) != taken.end(); ++number)
    written = json_string(key + " (" + std::to_string(number) + ')');
  return written;
}

}  // namespace

Json::Json(double value) : text_("null") {
  if (!std::isfinite(value)) return;
  text_ = text_of(value);
  if (text_ == "-0") text_ = "-0.0";  // an integer would lose the sign
}

Json::Json(const std::string& value) : text_(json_string(value)) {}

Json Json::array(const std::vector<Json>& values) {
  Json json;
  for (const Json& value : values) json.text_ += (json.text_.empty() ? "" : ",") + value.text_;
  json.text_ = '[' + json.text_ + ']';
  return json;
}

Json Json::object(const Members& members) {
  Json json;
  std::vector<std::string> keys;
  for (const auto& [key, value] : members) {
    json.text_ += keys.empty() ? '{' : ',';
    keys.push_back(distinct_key(key, keys));
    json.text_ += keys.back() + ':' + value.text_;
  }
  json.text_ += keys.empty() ? "{}" : "}";
  return json;
}

Json Json::hash(std::uint64_t value) { return hexadecimal(value, 16); }

}  // namespace evenkeel::detail
