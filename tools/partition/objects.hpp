#pragma once

// The objects that `evenkeel partition` cuts: this rank's share of the rows of the files. The
// speeds of parts come from a file, too.

#include "files/byte_source.hpp"
#include "partition/options.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <iterator>

namespace evenkeel::tool {

struct FileObjects {
  int dimensions = 0;
  std::int64_t everywhere = 0;  // on all ranks
  // The coordinates of each object, one object after another. If the file has floats, only
  // float_places is used, to take no more memory than the file. Otherwise only `places` is used.
  std::vector<double> places;
  std::vector<float> float_places;
  std::vector<double> weights;  // of each object; empty if all weights are 1
  std::vector<double> bytes;    // of each object; empty if they are not given
  std::vector<double> speeds;   // of each part, on all ranks; empty if all are equally fast

  std::int64_t count() const noexcept {
    return dimensions == 0
               ? 0
               : std::ssize(places) / dimensions + std::ssize(float_places) / dimensions;
  }
};

// Collective. Each rank reads its own rows. The shares differ by at most one row, and are in the
// order of the ranks. If reading fails on one rank, all ranks throw the same Error. Weights are
// read and checked even if they do not count as work. `progress` may be empty.
FileObjects read_objects(const Communicator& communicator, const PartitionOptions& options,
                         const ProgressOf& progress = {});

}  // namespace evenkeel::tool
