#pragma once

// The objects that `evenkeel partition` cuts: this rank's share of the rows of the files.

#include "partition/options.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel::tool {

struct Objects {
  int dimensions = 0;
  std::int64_t everywhere = 0;  // on all ranks
  std::vector<double> places;   // the coordinates of each object, one object after another
  std::vector<double> weights;  // of each object; empty: all weights are 1

  std::int64_t count() const noexcept {
    return dimensions == 0 ? 0 : static_cast<std::int64_t>(places.size()) / dimensions;
  }
};

// Collective. Each rank reads its own rows; shares differ by at most one row, and follow the order
// of ranks. A failure to read on one rank is an Error on all. Weights are read and checked even if
// they do not count as work.
Objects read_objects(const Communicator& communicator, const PartitionOptions& options);

}  // namespace evenkeel::tool
