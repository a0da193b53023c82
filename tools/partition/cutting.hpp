#pragma once

// `evenkeel partition` finds domains in two ways: from the objects, by any method of the library,
// and as a grid in rounds.

#include "partition/partitioning.hpp"

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/set.hpp>

namespace evenkeel::tool {

struct Task {
  const Communicator& communicator;
  const Space& space;  // of the host
  const FileObjects& objects;
  const Set& set;  // has the places of the objects
  const PartitionOptions& options;
  const Method& method;                              // that of the options, or the chosen one
  Box box;                                           // around the objects
  const std::function<void(double done)>& progress;  // may be empty
};

// Both functions are collective. They set the domains, the keys if there is a curve, this rank's
// seconds except the total, and the rounds. The caller sets the rest.

// Cuts from the objects. For a snake, it also searches for a lattice: a row of a snake is as thick
// as a cell, so on the finest lattice the parts would be slabs. The search begins with about as
// many cells as objects. It adds two levels at a time, until the parts are as even as requested or
// there is no finer lattice. Without a target, the greatest part may have at most the average plus
// twice the heaviest object. The most even cut wins; among equally even cuts, the coarsest wins.
Partition cut_from_objects(const Task& task);

// Cuts from the work of whole domains, as an application does that knows nothing else.
Partition cut_in_rounds(const Task& task);

// Local. Writes the part of each object. The cut has already released its memory, so this function
// does not raise the peak of memory.
void write_parts_of(const Task& task, Partition& partition);

}  // namespace evenkeel::tool
