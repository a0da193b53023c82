#pragma once

// A small graph on the host, with a complete copy on each rank. It is the coarsest level. Steps
// that treat one vertex after the other use it.

#include "graph/levels/goal.hpp"
#include "graph/levels/level.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// Vertices are sorted by their names, and so are the columns of each row. So the graph is the same
// on any number of ranks.
struct HostGraph {
  int constraints = 1;
  std::vector<std::int64_t> offsets;
  std::vector<Vertex> columns;
  std::vector<EdgeUnits> edges;
  std::vector<std::int64_t> weights;  // by vertex, then by constraint
  std::vector<std::uint64_t> names;
  std::vector<int> homes, fixed;  // each is empty if it was not given
  std::vector<std::int64_t> stay;
  std::vector<std::uint64_t> keys;  // empty if there are no positions
  // Only of a gathered graph: the index here of each vertex, rank by rank in the order of the rank,
  // and where each rank begins.
  std::vector<Vertex> places;
  std::vector<std::int64_t> firsts;

  std::int64_t size() const noexcept { return std::ssize(names); }
  std::int64_t weight(std::int64_t vertex, int constraint) const {
    return weights[static_cast<std::size_t>(vertex * constraints + constraint)];
  }
};

// Collective. Gathers all vertices of a level on each rank.
HostGraph gathered(const Communicator& communicator, const Level& level);
// Collective. `graph` is the gathered level. Returns the part of each of its vertices.
std::vector<int> gathered(const Communicator& communicator, const Level& level,
                          const HostGraph& graph, const exec::Array<int>& parts);
// Returns the parts of the level's vertices and ghosts, given those of the gathered graph. Local.
exec::Array<int> scattered(const Communicator& communicator, const Level& level,
                           const HostGraph& graph, const std::vector<int>& parts);

// Returns the graph as a level that one rank owns, on the host. Local.
Level level_of(const HostGraph& graph);

// Returns parts by recursive bisection. Each bisection grows one side greedily, then moves single
// vertices (Fiduccia and Mattheyses, 1982). The same seed gives the same parts. Fixed vertices get
// their fixed parts. Local.
std::vector<int> bisected(const HostGraph& graph, const Goal& goal, std::uint64_t seed, int tries);

// Moves vertices between adjacent parts, one after the other, until the cut hardly decreases. It
// never increases, and no part that is within its limits leaves them. Local.
void search(const HostGraph& graph, const Goal& goal, std::vector<int>& parts);

}  // namespace evenkeel::graphs
