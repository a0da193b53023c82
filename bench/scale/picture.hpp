#pragma once

// A picture of what protocols take, by ranks: both axes grow by powers of ten.

#include "tables.hpp"

#include <string>
#include <vector>

namespace evenkeel::scale {

// False when the file cannot be written.
bool write_picture(const std::string& file, const std::vector<std::vector<Row>>& by_ranks);

}  // namespace evenkeel::scale
