#pragma once

// Coordinates as the placing stages see them.

#include <evenkeel/core/place.hpp>

namespace evenkeel {

// A copy for a set whose positions the space does not reach; otherwise nothing. Local.
PlacesOfSet reachable_places(const Space& space, const Set& set);

// A copy in which all objects of a group are in the cell of the group's key, so that all of them
// belong to one box; nothing for a set without groups. `set` is in memory that the space reaches,
// `given` is the application's. Local.
PlacesOfSet places_by_group(const Space& space, const Set& set, const Set& given,
                            const Order& order, const Lattice& lattice);

}  // namespace evenkeel
