#pragma once

// Writes the part of JSON that the journal needs. The output is one line of valid JSON for any
// input.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::detail {

// The text of one value.
class Json {
 public:
  Json(std::nullptr_t) : text_("null") {}
  template <std::same_as<bool> T>
  Json(T value) : text_(value ? "true" : "false") {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value) : text_(std::to_string(value)) {}
  // The shortest text that reads back to the same bits; null if the number is not finite.
  Json(double value);
  // Each byte that is not UTF-8 is replaced by U+FFFD.
  Json(const std::string& value);
  Json(const char* value) : Json(std::string(value)) {}

  static Json array(const std::vector<Json>& values);

  // The members are written in the given order. Since most readers keep only one of two members
  // with the same key, the second one gets the key "key (2)".
  using Members = std::vector<std::pair<std::string, Json>>;
  static Json object(const Members& members);

  // A string of sixteen hexadecimal digits, since many readers have no integers above 2^53.
  static Json hash(std::uint64_t value);

  const std::string& text() const noexcept { return text_; }

 private:
  Json() = default;
  std::string text_;
};

}  // namespace evenkeel::detail
