#pragma once

// The input of the application about its nets: checked arrays in the memory of the space, and the
// numbers that all ranks agree on.

#include "graph/input/given.hpp"
#include "graph/levels/level.hpp"

#include <evenkeel/core/graph/nets.hpp>

#include <cstdint>

namespace evenkeel::graphs {

struct NetSums {
  std::int64_t nets, pins, large;
  std::int64_t has_weights, ranks;  // number of ranks with weights, and with nets
  double heaviest;
  std::int64_t uneven;  // number of weights that are not integers
};

struct NetsGiven {
  Given objects;  // a graph without edges
  exec::Array<std::int64_t> offsets;
  exec::Array<Address> pins;
  exec::Array<EdgeUnits> weights;  // by net, in units
  double units_of_one = 1;         // number of units of a weight of 1
  NetSums all = {};                // the same on all ranks

  std::int64_t count() const noexcept { return weights.size(); }
};

struct IsLarge {
  const std::int64_t* offsets;
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const {
    return offsets[e + 1] - offsets[e] > most_net_pins;
  }
};

// The greatest weight of a net, in units.
inline constexpr double heaviest_net = 0x1p20;

// Collective. Reads and checks the whole input. Throws the same Error on all ranks.
NetsGiven given_nets(const Space& space, const Communicator& communicator, const Nets& nets,
                     const GraphCutOptions& options, const ByGraph& method);

}  // namespace evenkeel::graphs
