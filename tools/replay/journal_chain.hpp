#pragma once

// The chain of costs that a journal has on record: a row for each step, a column for each rank.
// Ranks are bins that mean the same in all rows only as long as nothing moves.

#include "files/byte_source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::tool {

struct CostTable {
  std::vector<double> costs;  // row by row, in seconds
  std::uint64_t bins = 1;
};

// Each step has the seconds per step that the look behind it has measured on each rank; steps of
// looks that have measured nothing are left out. An Error of bad input if the file is not a
// journal, if it does not tell what single ranks took, or if domains have changed between its
// looks.
CostTable chain_of_journal(const std::string& path, const Progress& progress = {});

// The costs in the file of a chain, as they are.
CostTable chain_in_file(const std::string& path);

}  // namespace evenkeel::tool
