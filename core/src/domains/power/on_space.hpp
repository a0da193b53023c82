#pragma once

// A power diagram in memory that a space can access.

#include "domains/power/cells.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>

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
      for (int axis = 0; axis < owner.dimensions; ++axis)
        cell[axis] = lattice.coordinate(axis, place(i, axis));
      parts[i] = owner.rivals[owner(cell)].part;
    }
  }
};

// The arrays of a diagram. They may be those of the diagram itself, which must stay valid.
struct ReachedCells {
  exec::Reached<int> starts;
  int start_levels;
  exec::Reached<PowerNode> nodes;
  exec::Reached<int> list;
  exec::Reached<PowerRival> rivals;

  ReachedCells(const Space& space, const char* label, const PowerCells& cells)
      : starts(space, label, cells.starts()),
        start_levels(cells.start_levels()),
        nodes(space, label, cells.nodes()),
        list(space, label, cells.list()),
        rivals(space, label, cells.rivals()) {}
  CellOfPlace finder(const Lattice& lattice) const {
    return {lattice,
            {starts.data(), start_levels, nodes.data(), list.data(), rivals.data(),
             lattice.dimensions()}};
  }
};

}  // namespace evenkeel
