#pragma once

// Vertices that may leave their parts, and a last resort for parts that are too heavy. It is on the
// host, and the same on all ranks.

#include "graph/levels/goal.hpp"
#include "graph/levels/level.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// A vertex that may leave its part.
struct Leaver {
  int part;
  int rank;
  int neighbour;  // the other part to which it has the strongest connection
  Vertex vertex;
  std::int64_t loss;        // loss if it goes to `neighbour`
  std::int64_t loss_apart;  // the greatest loss if it goes to another part
  std::int64_t weights[most_constraints];
  std::uint64_t name;
  double order;  // loss / weight

  bool operator<(const Leaver& other) const {
    if (part != other.part) return part < other.part;
    return order != other.order ? order < other.order : name < other.name;
  }
};

// Returns new parts of vertices, so that parts exceed their limits less. `weights` has the weight
// of each part, by part, then by constraint. `all` has every vertex that may move. First single
// vertices of the heaviest part move, or change places with others. If this fails, vertices are
// distributed again, beginning with the heaviest: those that still fit into their parts stay. The
// last attempt gives each vertex to the lightest part; it is used only if it meets the limits or
// halves the excess, because it ignores edges.
std::vector<int> packed(const Goal& goal, const std::vector<std::int64_t>& weights,
                        const std::vector<Leaver>& all);

}  // namespace evenkeel::graphs
