#pragma once

// One picture of a run for a terminal: lines of text, limited to the size of the terminal.

#include "watch/view.hpp"

namespace evenkeel::tool::watch {

struct Size {
  int rows = 24, columns = 80;
};

// If `has_blocks` is true, bars consist of block elements of Unicode. Otherwise they consist of #.
std::vector<std::string> frame_of(const View& view, Size size, bool has_blocks);

// The number of columns that a text of UTF-8 takes, if each character takes one.
int width_of(const std::string& text);

}  // namespace evenkeel::tool::watch
