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
  const Set& set;  // the places of the objects
  const PartitionOptions& options;
  Box box;  // around the objects
};

// Collective. Sets the decomposition, the keys if there is a curve, this rank's seconds except the
// total, and the rounds. The caller sets the rest.
//
// A snake's rows are as thick as cells, so on the finest lattice its parts are slabs. The search
// begins with about as many cells as objects and adds two levels at a time, until the parts are as
// even as requested (without a target: the greatest is at most the average plus twice the heaviest
// object) or there are no finer lattices. The most even cut wins, and of equally even ones the
// coarser.
Partition cut_by(const CurveMethod& method, const Task& task);
Partition cut_by(const GridMethod& method, const Task& task);
Partition cut_by(const BisectionMethod& method, const Task& task);

}  // namespace evenkeel::tool
