#pragma once

// The methods that `evenkeel partition` knows: each finds a decomposition.

#include "partition/objects.hpp"
#include "partition/options.hpp"
#include "partition/partitioning.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/set.hpp>

namespace evenkeel::tool {

struct Task {
  const Communicator& communicator;
  const Space& space;  // of the host
  const Objects& objects;
  const Set& set;  // their places
  const PartitionOptions& options;
  Box box;  // around them
};

// Collective. The decomposition, and on a curve the keys; the seconds that took this rank, but for
// the total; and what the rounds were. The rest is left to be found.
//
// A snake's rows are as thick as cells, so on the finest lattice its parts are slabs. It begins
// with about as many cells as objects and goes on with two more levels until the parts are as even
// as was asked for (without a target: the greatest at most the average and two of the heaviest
// object) or there are no more; the most even cut counts, the coarser of two.
Partition cut_by(const CurveMethod& method, const Task& task);
Partition cut_by(const GridMethod& method, const Task& task);
Partition cut_by(const BisectionMethod& method, const Task& task);

}  // namespace evenkeel::tool
