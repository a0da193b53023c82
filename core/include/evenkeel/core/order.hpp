#pragma once

// The objects of a set in the order of the curve.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/key.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

class Lattice;  // core/curve.hpp

// keys[i] never falls with i and is the key of object objects[i]. Objects of equal keys keep their
// order.
struct Order {
  std::vector<HilbertKey> keys;
  std::vector<std::int64_t> objects;
};

// The owned objects of a set, whose positions must be finite (see bounds). Keys are computed on
// `space`, which must reach the positions. Local.
EVENKEEL_API Order order(const Space& space, const Lattice& lattice, const Set& set);

}  // namespace evenkeel
