#pragma once

// A power diagram in memory that a space can access.

#include "domains/octree/on_space.hpp"
#include "domains/power/cells.hpp"

namespace evenkeel {

// Finds the part of a place, for kernels.
struct CellOfPlace {
  static constexpr int together = 1;
  Lattice lattice;
  PowerOwner owner;

  // place(i, axis) returns the coordinate of point i.
  template <int count, class Place>
  KOKKOS_FUNCTION void find(const Place& place, int* parts) const {
    for (int i = 0; i < count; ++i) {
      double cell[3] = {};
      for (int axis = 0; axis < lattice.dimensions(); ++axis)
        cell[axis] = lattice.coordinate(axis, place(i, axis));
      parts[i] = owner.rivals[owner(cell)].part;
    }
  }
};

// The arrays of a diagram. They may be those of the diagram itself, which must stay valid.
struct ReachedCells {
  ReachedOctree octree;
  exec::Reached<PowerRival> rivals;

  ReachedCells(const Space& space, const char* label, const PowerCells& cells)
      : octree(space, label, cells.octree()), rivals(space, label, cells.rivals()) {}
  CellOfPlace finder(const Lattice& lattice) const {
    return {lattice, {octree.leaves(), rivals.data()}};
  }
};

}  // namespace evenkeel
