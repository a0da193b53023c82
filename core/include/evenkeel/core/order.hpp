#pragma once

// The order of a set's objects along a curve.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/field/set.hpp>

#include <cstdint>

namespace evenkeel::stages {

class Lattice;  // core/curve.hpp

// Writes the key of each owned object of a set, in the order of the set, to keys[0], keys[1] and so
// on. `space` must reach the positions and `keys`. Positions must be finite; see bounds(). Local.
// Does not block: fence the space before the host reads the keys.
EVENKEEL_API void write_keys(const Space& space, const Lattice& lattice, const Set& set,
                             CurveKey* keys);

// The objects of a set, sorted by key: keys[i] is the key of object objects[i]. Objects with equal
// keys keep their order. Both arrays are in the memory of the space that made them.
struct Order {
  exec::Array<CurveKey> keys;
  exec::Array<std::int64_t> objects;
};

// Sorts the owned objects of a set by key. `space` must reach the positions. This is fastest if the
// objects are sorted already or nearly sorted, as after every rebalance but the first. Blocks.
// Local.
EVENKEEL_API Order order(const Space& space, const Lattice& lattice, const Set& set);

// Puts the owned objects of a set into an order, in all its fields and payloads. Then neighbours on
// the curve are neighbours in memory. Objects behind the owned ones are dropped, as in a move. But
// if the objects are in this order already, nothing changes. Throws an Error if the set cannot be
// moved or no memory is left; then all fields keep their values. Local.
EVENKEEL_API void reorder(const Set& set, const Order& order);

}  // namespace evenkeel::stages
