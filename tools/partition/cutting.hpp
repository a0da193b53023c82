#pragma once

// The two ways in which `evenkeel partition` finds domains: by any of the library's methods, and a
// grid in rounds.

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
  Box box;                                           // around the objects
  const std::function<void(double done)>& progress;  // may be empty
};

// Both are collective, and set the domains, the keys if there is a curve, this rank's seconds
// except the total, and the rounds. The caller sets the rest.

// A snake's rows are as thick as cells, so on the finest lattice its parts are slabs. The search
// begins with about as many cells as objects and adds two levels at a time, until the parts are as
// even as requested (without a target: the greatest is at most the average plus twice the heaviest
// object) or there are no finer lattices. The most even cut wins, and of equally even ones the
// coarser.
Partition cut_from_objects(const Task& task);

// From the work of whole domains, as an application would that knows no more.
Partition cut_in_rounds(const Task& task);

}  // namespace evenkeel::tool
