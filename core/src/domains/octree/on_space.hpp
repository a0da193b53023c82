#pragma once

// An octree in memory that a space can access.

#include "domains/octree/octree.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>

namespace evenkeel {

// The arrays of an octree. They may be those of the octree itself, which must stay valid.
class ReachedOctree {
 public:
  ReachedOctree(const Space& space, const char* label, const Octree& octree)
      : starts_(space, label, octree.starts()),
        nodes_(space, label, octree.nodes()),
        list_(space, label, octree.list()),
        leaves_(octree.leaves()) {
    leaves_.starts = starts_.data();
    leaves_.nodes = nodes_.data();
    leaves_.list = list_.data();
  }
  const OctreeLeaves& leaves() const noexcept { return leaves_; }

 private:
  exec::Reached<int> starts_;
  exec::Reached<OctreeNode> nodes_;
  exec::Reached<int> list_;
  OctreeLeaves leaves_;
};

}  // namespace evenkeel
