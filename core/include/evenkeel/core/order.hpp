#pragma once

// The objects of a set in the order of a curve.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/key.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

class Lattice;  // core/curve/lattice.hpp

// The key of each owned object of a set, in the order of the set, to keys[0] ... `space` must reach
// the positions, which must be finite (see bounds), and `keys`. Local. Does not block: fence the
// space before the host reads the keys.
EVENKEEL_API void write_keys(const Space& space, const Lattice& lattice, const Set& set,
                             CurveKey* keys);

// keys[i] never falls with i and is the key of object objects[i]. Objects of equal keys keep their
// order.
struct Order {
  std::vector<CurveKey> keys;
  std::vector<std::int64_t> objects;
};

// The owned objects of a set, as for write_keys. Costs least where they are in order already or
// nearly so, as after every rebalance but the first. Local.
EVENKEEL_API Order order(const Space& space, const Lattice& lattice, const Set& set);

// Puts the owned objects of a set into an order, in all its fields: a neighbour on the curve is
// then a neighbour in memory. What stands behind the owned objects is dropped, as in a move; where
// the objects are in this order already, nothing changes at all. When one field refuses, an Error,
// and all keep what they had. Local.
EVENKEEL_API void reorder(const Set& set, const Order& order);

}  // namespace evenkeel
