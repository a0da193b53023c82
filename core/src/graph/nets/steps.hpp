#pragma once

// The steps of cutting nets; cut_nets.cpp calls them.

#include "graph/levels/contract.hpp"
#include "graph/nets/given.hpp"
#include "graph/nets/level.hpp"

#include <evenkeel/core/graph/nets.hpp>

#include <cstdint>

namespace evenkeel::graphs {

// Copies the pins of chosen nets to their new offsets, in kernels.
struct CopyNets {
  const std::int64_t *nets, *offsets, *offsets_out;
  const Address* pins;
  Address* pins_out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t from = offsets[nets[i]], count = offsets_out[i + 1] - offsets_out[i];
    for (std::int64_t k = 0; k < count; ++k) pins_out[offsets_out[i] + k] = pins[from + k];
  }
};

// Sorts, in place, the pins of nets that have at most most_net_pins entries. Returns the nets among
// them that may be cut, which have at least two distinct pins and a weight above 0. `duplicates` is
// the number of repeated pins. Local.
struct Tidied {
  LooseNets nets;
  std::int64_t duplicates = 0;
};
Tidied tidied(const Space& space, const exec::Array<std::int64_t>& offsets,
              const exec::Array<Address>& pins, const exec::Array<EdgeUnits>& weights);

// Merges nets with the same pins, and adds up their weights to at most heaviest_edge. Nets keep
// their order. Ranks that have copies of the same nets merge them in the same way. Local.
LooseNets merged(const Space& space, LooseNets&& nets);

// Collective. Copies each net to all ranks that own its pins, and merges nets with the same pins.
// `owned` is the number of vertices of this rank. `status` is as in vote().
NetLevel spread(const Communicator& communicator, const Status& status, const Space& space,
                std::int64_t owned, LooseNets&& loose);

// Adds edges between the pins of each net to the graph of the objects. The edges of a pin together
// weigh as much as the net, so moving a single pin out of the net's part costs the net's weight. In
// a small net, a pin has edges to all other pins. In a larger net, the pins form a ring in their
// order, and a pin has edges to the pins at distances that are powers of two. So a net gives no pin
// more than most_edges_in_net edges. Local.
inline constexpr std::int64_t most_edges_in_net = 11;
void expand(const Space& space, int rank, const NetLevel& nets, Given& objects);

// Collective. Removes nets that are within one coarse vertex, and merges nets with the same pins.
NetLevel contract_nets(const Communicator& communicator, const NetLevel& fine,
                       const Contracted& coarser);

// Collective. `parts` has exactly one entry for each object of this rank. Each net, of any size, is
// counted once, by the rank that gave it.
NetReport net_report(const Space& space, const Communicator& communicator, const NetsGiven& given,
                     const exec::Array<int>& parts, int part_count);

}  // namespace evenkeel::graphs
