#pragma once

// The work of `evenkeel partition`: from points in memory to the part of every object.

#include "partition/objects.hpp"
#include "partition/options.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/key.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel::tool {

// From barrier to barrier, on the slowest rank.
struct PartitionSeconds {
  double keys = 0;   // from measuring the box to the keys of all objects
  double order = 0;  // sorting, which no cut of a curve needs
  double cut = 0;
  double total = 0;
};

struct Partition {
  Box box;
  CurveOptions curve;
  Splitters splitters;
  std::vector<double> work;    // of each part
  double heaviest_object = 0;  // its work
  PartitionSeconds seconds;

  // Of this rank's objects, in their order.
  std::vector<CurveKey> keys;
  std::vector<std::int32_t> parts;
};

// Collective. All but the seconds, keys and parts is the same on all ranks, and for any number of
// ranks.
//
// A snake's rows are as thick as cells, so on the finest lattice its parts are slabs. It begins
// with about as many cells as objects and goes on with two more levels until the parts are as even
// as was asked for (without a target: the greatest at most the average and two of the heaviest
// object) or there are no more; the most even cut counts, the coarser of two.
Partition partition(const Communicator& communicator, const Objects& objects,
                    const PartitionOptions& options);

}  // namespace evenkeel::tool
