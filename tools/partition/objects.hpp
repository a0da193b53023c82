#pragma once

// What `evenkeel partition` cuts: this rank's share of the rows of its files.

#include "partition/options.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel::tool {

struct Objects {
  int dimensions = 0;
  std::int64_t everywhere = 0;  // on all ranks
  std::vector<double> places;   // the coordinates of one object after those of the other
  std::vector<double> weights;  // of each; empty: all weigh 1

  std::int64_t count() const noexcept {
    return dimensions == 0 ? 0 : static_cast<std::int64_t>(places.size()) / dimensions;
  }
};

// Collective. Each rank reads rows of its own, as many as the others but for one; the rows of a
// rank follow those of the rank before. What one rank cannot read is an Error on all. Weights that
// do not count as work are read and checked all the same.
Objects read_objects(const Communicator& communicator, const PartitionOptions& options);

}  // namespace evenkeel::tool
