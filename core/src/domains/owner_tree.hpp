#pragma once

// The owners of the places around the objects of this rank, for kernels and for any type of
// domains. They are a tree of boxes in pre-order. Each node has the index of the node after its
// subtree, so a walk needs no stack. A walk meets owners in ascending order.
//
// The tree has only nodes within the given reaches. A leaf has one owner; successive leaves may
// have the same owner. Owners are numbered in the order of the walk. For a curve or a tree these
// are the numbers of parts; for a grid they count from the outermost level inwards. Boxes are
// closed. Their coordinates are those of a frame (domains/frame.hpp): places or cells.
//
// If domains are cells of a power diagram or of a mesh, a leaf is only a box around a cell, and
// leaves overlap. There the shapes of the cells decide.

#include "domains/kuhn/shapes.hpp"
#include "domains/power/shapes.hpp"

#include <Kokkos_Macros.hpp>

#include <memory>
#include <vector>

namespace evenkeel {

struct OwnerNode {
  double lower[3], upper[3];
  int skip;         // index of the node after its subtree
  int first, last;  // first and last owner in its subtree
};

// For OwnersAround, if leaves are domains, and not only boxes around them.
struct LeavesAreDomains {
  KOKKOS_FUNCTION bool operator()(int, const double*, const double*) const { return true; }
};

// A closed box of places: the region of a walk through OwnersAround.
struct PlacesInBox {
  const double *lower, *upper;
  int dimensions;

  KOKKOS_FUNCTION bool meets(const double* from, const double* to) const {
    bool meets = true;
    for (int d = 0; d < dimensions; ++d) meets = meets && lower[d] <= to[d] && from[d] <= upper[d];
    return meets;
  }
  KOKKOS_FUNCTION bool holds(const double* from, const double* to) const {
    bool holds = true;
    for (int d = 0; d < dimensions; ++d) holds = holds && lower[d] <= from[d] && to[d] <= upper[d];
    return holds;
  }
  // Returns true if the domain of an owner may have places in the box.
  template <class Cells>
  KOKKOS_FUNCTION bool meets_domain(const Cells& cells, int owner) const {
    return cells(owner, lower, upper);
  }
};

// The arrays are in memory that the caller can access. `Cells` is LeavesAreDomains, CellsMeeting or
// HexahedraMeeting; it is a parameter, because the code of CellsMeeting makes kernels twice as
// slow.
template <class Cells>
struct OwnersAround {
  const OwnerNode* nodes;
  int begin, end;
  const int* ranks;  // by owner; below 0 if the owner has no place within reach
  int dimensions;
  Cells cells;  // finds out if the domain of a leaf has places in a box that the leaf overlaps

  // Calls visit(rank) once for each owner of a place in a region, until visit returns false.
  // Returns false if it did.
  template <class Region, class Visit>
  KOKKOS_FUNCTION bool for_each(const Region& region, const Visit& visit) const {
    int found = -1;
    for (int i = begin; i < end;) {
      const OwnerNode& node = nodes[i];
      const bool meets = node.last > found && region.meets(node.lower, node.upper);
      const bool is_within = meets && region.holds(node.lower, node.upper);
      if (meets && !is_within && node.first != node.last) {
        ++i;
        continue;
      }
      i = node.skip;
      if (!meets ||
          (node.first == node.last && !is_within && !region.meets_domain(cells, node.first)))
        continue;
      for (int owner = node.first > found ? node.first : found + 1; owner <= node.last; ++owner)
        if (ranks[owner] >= 0 && !visit(ranks[owner])) return false;
      found = node.last;
    }
    return true;
  }

  // Calls visit(leaf, rank) for each leaf that overlaps a region, until visit returns false.
  // Returns false if it did.
  template <class Region, class Visit>
  KOKKOS_FUNCTION bool for_each_leaf(const Region& region, const Visit& visit) const {
    for (int i = begin; i < end;) {
      const OwnerNode& node = nodes[i];
      const bool meets = region.meets(node.lower, node.upper);
      const bool is_leaf = node.first == node.last;
      if (meets && is_leaf && region.meets_domain(cells, node.first) &&
          !visit(node, ranks[node.first]))
        return false;
      i = meets && !is_leaf ? i + 1 : node.skip;
    }
    return true;
  }
};

struct OwnerTree {
  std::vector<OwnerNode> nodes;
  std::vector<int> ranks;
  int begin = 0;  // index of the first node with more than one branch: walks begin there
  // the shapes of domains that are not boxes, in cells of a power diagram or of a mesh
  std::shared_ptr<const PowerShapes> power = nullptr;
  std::shared_ptr<const MeshShapes> mesh = nullptr;
};

}  // namespace evenkeel
