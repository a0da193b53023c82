#pragma once

// The steps of cutting nets, which cut_nets.cpp names in order.

#include "graph/levels/contract.hpp"
#include "graph/nets/given.hpp"
#include "graph/nets/level.hpp"

#include <evenkeel/core/graph/nets.hpp>

#include <cstdint>

namespace evenkeel::graphs {

// Copies the pins of chosen nets to their new offsets. For kernels.
struct CopyNets {
  const std::int64_t *nets, *offsets, *offsets_out;
  const Address* pins;
  Address* pins_out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t from = offsets[nets[i]], count = offsets_out[i + 1] - offsets_out[i];
    for (std::int64_t k = 0; k < count; ++k) pins_out[offsets_out[i] + k] = pins[from + k];
  }
};

// Sorts the pins of nets of at most most_net_pins entries in place, and returns the nets that may
// be cut: those with at least two pins, and a weight. `duplicates` counts repeated entries. Local.
struct Tidied {
  LooseNets nets;
  std::int64_t duplicates = 0;
};
Tidied tidied(const Space& space, const exec::Array<std::int64_t>& offsets,
              const exec::Array<Address>& pins, const exec::Array<EdgeUnits>& weights);

// Adds up the weights of nets with the same pins, up to heaviest_edge. Nets keep their order. Ranks
// that have the same nets merge the same ones. Local.
LooseNets merged(const Space& space, LooseNets&& nets);

// Collective. Nets with the same pins are merged. `owned` is the number of vertices of this rank.
// `status` has the meaning that it has in vote().
NetLevel spread(const Communicator& communicator, const Status& status, const Space& space,
                std::int64_t owned, LooseNets&& loose);

// Gives the objects edges between the pins of nets. The edges of each pin together weigh as much as
// the net. In a small net they lead to all other pins. In a larger net they lead to pins at
// distances of powers of two around a ring of all pins in their order. So a single pin that leaves
// costs the net's weight, and no pin has more than most_edges_in_net edges by a net. Local.
inline constexpr std::int64_t most_edges_in_net = 11;
void expand(const Space& space, int rank, const NetLevel& nets, Given& objects);

// Collective. Nets within a coarse vertex are removed; nets with the same pins are merged.
NetLevel contract_nets(const Communicator& communicator, const NetLevel& fine,
                       const Contracted& coarser);

// Collective. The report on nets. `parts` has those of this rank's objects and no more entries.
// Nets are counted on the ranks that gave them, so each counts once, whatever its size.
NetReport net_report(const Space& space, const Communicator& communicator, const NetsGiven& given,
                     const exec::Array<int>& parts, int part_count);

}  // namespace evenkeel::graphs
