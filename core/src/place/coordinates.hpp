#pragma once

// Copies of coordinates for the placing stages.

#include <evenkeel/core/place.hpp>

namespace evenkeel {

// Local. If the space cannot access a set's positions, returns a copy that it can access. Otherwise
// returns nothing.
CoordinatesOfSet reachable_coordinates(const Space& space, const Set& set);

// Local. Returns a copy in which all objects of a group are in the cell of the group's key, so that
// one box contains all of them. Returns nothing for a set without groups. `set` is in memory that
// the space can access, and `given` is the same set as the application gave it.
CoordinatesOfSet coordinates_by_group(const Space& space, const Set& set, const Set& given,
                                      const Order& order, const Lattice& lattice);

}  // namespace evenkeel
