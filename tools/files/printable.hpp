#pragma once

// Makes texts of foreign files safe for a terminal, which obeys control characters.

#include <string>
#include <string_view>

namespace evenkeel::tool {

// The text with each control character of Unicode as an escape, such as "\u001b". Tabs and line
// feeds stay.
std::string printable(std::string_view text);

// The same on one line: tabs and line feeds become escapes, too.
std::string printable_line(std::string_view text);

}  // namespace evenkeel::tool
