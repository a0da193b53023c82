#pragma once

// Texts of numbers, and texts of the user, in messages, options and the journal.

#include <evenkeel/backends/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel {

// The shortest text that reads back as the same bits, whatever the locale.
EVENKEEL_API std::string text_of(double number);

// The number, or std::nullopt if the text is not exactly one number.
EVENKEEL_API std::optional<double> real_from_text(std::string_view text);
EVENKEEL_API std::optional<std::int64_t> integer_from_text(std::string_view text);

// A number of bytes with a unit that divides it, such as 16GiB or 1500MB, and the positive number
// in such a text, or std::nullopt for other texts. The text may have no unit, or blanks before it.
EVENKEEL_API std::string text_of_bytes(double bytes);
EVENKEEL_API std::optional<double> bytes_from_text(std::string_view text);

// A text of the user in a form that an Error can show: in quotes, on one line, and shortened.
EVENKEEL_API std::string in_quotes(std::string_view text);

}  // namespace evenkeel
