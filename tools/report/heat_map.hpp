#pragma once

// The loads of ranks over the run as a map of bytes, a column for each column of the model. A row
// is a rank, or, for many ranks, a share of the average load, the greatest at the top.

#include "report/model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool::report {

struct HeatMap {
  static constexpr std::uint8_t unknown = 255, most = 254;

  bool shows_ranks = true;
  std::size_t rows = 0, columns = 0;
  // What 0 and `most` mean: of ranks a share of the average load in that column; of shares, a share
  // of all ranks, by its fourth root: one rank of ten thousand can be seen.
  double low = 0, high = 1;
  double bottom = 0, top = 0;       // of shares: what the axis up begins and ends with
  std::vector<std::uint8_t> cells;  // row by row
};

// Nothing where the journal tells nothing of single ranks.
std::optional<HeatMap> heat_map_of(const Model& model);

std::string base64(const std::vector<std::uint8_t>& bytes);

}  // namespace evenkeel::tool::report
