#pragma once

// What stands in the way of partitioning a graph that was read: a vertex that is its own neighbour,
// a neighbour that stands twice in a row, an edge that stands in the row of one end only, or with
// two weights.

#include "files/graph.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::tool {

enum class OffenceKind : int { loop, duplicate, one_way, unequal };

struct GraphOffence {
  OffenceKind kind = OffenceKind::loop;
  std::int64_t vertex = 0, neighbour = 0;  // in the row of the former; both from 0 on
  double weight = 0, weight_back = 0;      // if unequal: there, and in the row of the neighbour
};

// The offence with the lowest vertex, and of several there the one with the lowest neighbour.
// Collective: each rank has its portion of the rows. Takes about as much memory again as the graph.
std::optional<GraphOffence> first_offence(const Communicator& communicator, const GraphFile& graph);

// A sentence, in the numbers of the file.
std::string sentence_on(const GraphOffence& offence, int first_number);

}  // namespace evenkeel::tool
