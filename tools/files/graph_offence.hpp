#pragma once

// An offence makes a graph unfit for partitioning. There are four kinds: a vertex that is its own
// neighbour, a neighbour that is twice in a row, an edge that is in the row of only one of its
// ends, and an edge with two different weights.

#include "files/graph.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::tool {

enum class OffenceKind : int { loop, duplicate, one_way, unequal };

struct GraphOffence {
  OffenceKind kind = OffenceKind::loop;
  std::int64_t vertex = 0, neighbour = 0;  // found in the row of `vertex`; both count from 0
  double weight = 0, weight_back = 0;      // if unequal: in the rows of `vertex` and `neighbour`
};

// Collective. Each rank gives its portion of the rows. Returns the offence with the lowest vertex,
// and among those of one vertex the one with the lowest neighbour. Takes about as much memory again
// as the graph.
std::optional<GraphOffence> first_offence(const Communicator& communicator, const GraphFile& graph);

// A sentence on the offence. Vertices are numbered as in the file, from first_number on.
std::string sentence_on(const GraphOffence& offence, int first_number);

}  // namespace evenkeel::tool
