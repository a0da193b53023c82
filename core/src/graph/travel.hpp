#pragma once

// Members of clusters whose leader is on another rank travel there, with their weights and edges.

#include "graph/level.hpp"

namespace evenkeel::graphs {

struct IsElsewhere {
  const Address* addresses;
  int rank;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return rank_of(addresses[i]) != rank; }
};

struct Traveller {
  Vertex leader;
  std::int32_t edges;
  std::int64_t stay;
};
struct TravellingEdge {
  Address leader;  // of the neighbour
  EdgeUnits weight;
};

struct Arrived {
  exec::Array<Traveller> members;
  exec::Array<std::int64_t> weights;
  exec::Array<std::int64_t> offsets;  // of the edges of each
  exec::Array<TravellingEdge> edges;
  exec::Array<Vertex> columns;  // coarse vertices

  std::int64_t count() const noexcept { return members.size(); }
};

// Collective. The members that come to this rank; their `columns` are not set yet, and `offsets`
// have room for one more. On one rank nobody travels.
Arrived travel(const Communicator& communicator, const Status& status, const Level& fine,
               const exec::Array<Address>& leaders);

}  // namespace evenkeel::graphs
