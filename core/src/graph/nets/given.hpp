#pragma once

// What the application says of its nets: arrays that are checked, in the memory of the space, and
// what all ranks agree on.

#include "graph/given.hpp"
#include "graph/level.hpp"

#include <evenkeel/core/graph/nets.hpp>

#include <cstdint>

namespace evenkeel::graphs {

struct NetSums {
  std::int64_t nets, pins, large;
  std::int64_t has_weights, ranks;  // ranks that say so, and ranks with nets
  double heaviest;
  std::int64_t uneven;  // weights that are not integers
};

struct NetsGiven {
  Given objects;  // without edges
  exec::Array<std::int64_t> offsets;
  exec::Array<Address> pins;
  exec::Array<EdgeUnits> weights;  // of nets, in units
  double units_of_one = 1;         // what a weight of 1 is in units
  NetSums all = {};                // the same on all ranks

  std::int64_t count() const noexcept { return weights.size(); }
};

// The heaviest net, in units.
inline constexpr double heaviest_net = 0x1p20;

// Collective. Reads and checks all. Throws the same Error on all ranks.
NetsGiven given_nets(const Space& space, const Communicator& communicator, const Nets& nets,
                     const GraphCutOptions& options, const ByGraph& method);

}  // namespace evenkeel::graphs
