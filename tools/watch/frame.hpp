#pragma once

// One picture of a run for a terminal: lines of text, as many and as long as it has room for.

#include "watch/view.hpp"

#include <string>
#include <vector>

namespace evenkeel::tool::watch {

struct Size {
  int rows = 24, columns = 80;
};

// `has_blocks`: the terminal can show block elements of Unicode; otherwise bars are of #.
std::vector<std::string> frame_of(const View& view, Size size, bool has_blocks);

// How many columns a text of UTF-8 takes, where each character takes one.
int width_of(const std::string& text);

}  // namespace evenkeel::tool::watch
