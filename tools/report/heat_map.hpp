#pragma once

// The loads of ranks over the run as a map of bytes, with a column for each column of the model. A
// row is a rank. For many ranks, a row is a range of loads as shares of the average load, with the
// greatest at the top.

#include "report/model.hpp"

#include <cstddef>

namespace evenkeel::tool::report {

struct HeatMap {
  static constexpr std::uint8_t unknown = 255, most = 254;

  bool shows_ranks = true;
  std::size_t rows = 0, columns = 0;
  // The values of the bytes 0 and `most`. If rows are ranks, a value is a share of the average load
  // in that column. Otherwise it is the fourth root of a share of all ranks, so that one rank of
  // ten thousand is visible.
  double low = 0, high = 1;
  double bottom = 0, top = 0;       // for shares: the ends of the vertical axis
  std::vector<std::uint8_t> cells;  // row by row
};

// Empty if the journal has no loads of single ranks.
std::optional<HeatMap> heat_map_of(const Model& model);

std::string base64(const std::vector<std::uint8_t>& bytes);

}  // namespace evenkeel::tool::report
