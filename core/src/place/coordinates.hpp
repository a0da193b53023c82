#pragma once

// The coordinates that the placing stages use.

#include <evenkeel/core/place.hpp>

namespace evenkeel {

// A copy for a set whose positions the space does not reach, or nothing for other sets. Local.
CoordinatesOfSet reachable_coordinates(const Space& space, const Set& set);

// A copy in which all objects of a group are in the cell of the group's key, so that all of them
// belong to one box, or nothing for a set without groups. `set` is in memory that the space
// reaches, `given` is the set of the application. Local.
CoordinatesOfSet coordinates_by_group(const Space& space, const Set& set, const Set& given,
                                      const Order& order, const Lattice& lattice);

}  // namespace evenkeel
