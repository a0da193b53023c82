#pragma once

// What a cut of a graph is like.

#include <cstdint>
#include <vector>

namespace evenkeel {

// The same on all ranks. An edge counts once.
struct GraphReport {
  int parts = 0;
  std::int64_t vertices = 0, edges = 0;
  std::int64_t isolated = 0;    // vertices without edges
  std::int64_t loops = 0;       // edges of a vertex to itself, which were left out
  std::int64_t duplicates = 0;  // edges that were there more than once, and count together
  double cut = 0;               // weight of the edges between parts
  std::int64_t cut_edges = 0;
  std::int64_t volume = 0;        // for each vertex, the other parts that its neighbours are in
  int most_neighbours = 0;        // other parts that a part shares edges with
  std::vector<double> lambda;     // of each constraint: heaviest part / average
  std::vector<double> bound;      // no cut has a lambda below this: vertices cannot be divided
  double moved = 0;               // share of all vertices that change their part
  double moved_weight = 0;        // share of the weight, of the first constraint
  double least_moved_weight = 0;  // what must move at least, for the tolerance
  std::int64_t broken = 0;        // uncuttable edges that are cut: 0
  int empty = 0;                  // parts without a vertex: 0 if there are enough vertices
};

}  // namespace evenkeel
