#pragma once

// A distributed graph that the partitioner works on: the given graph, or a coarser level of it.
//
// Each rank owns vertices and has ghosts of their neighbours on other ranks. Indices count the
// owned vertices first, then the ghosts. All sums are of integers, and names settle ties, so no
// result depends on the distribution of vertices over ranks and threads:
//   weights   units of each constraint; together below 2^62
//   edges     units of at most `heaviest_edge`, which merged edges never exceed either
//   names     distinct numbers in random order, for each vertex a bijective hash of its number

#include "graph/levels/ghosts.hpp"

#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>

namespace evenkeel::graphs {

using Vertex = std::int32_t;
using EdgeUnits = std::int32_t;
inline constexpr EdgeUnits heaviest_edge = EdgeUnits{1} << 30;
inline constexpr int nowhere = -1;  // no part

// Neighbours of each owned vertex.
struct Rows {
  exec::Array<std::int64_t> offsets;  // owned + 1
  exec::Array<Vertex> columns;
  exec::Array<EdgeUnits> weights;  // of edges
};

// The same for kernels.
struct RowsView {
  const std::int64_t* offsets;
  const Vertex* columns;
  const EdgeUnits* weights;
  explicit RowsView(const Rows& rows)
      : offsets(rows.offsets.data()), columns(rows.columns.data()), weights(rows.weights.data()) {}
};

// The parts that vertices are in, and those where they must be. The flags are the same on all
// ranks. An array may be empty because its rank has no vertices.
struct Wishes {
  bool has_homes = false, has_fixed = false, has_stay = false;
  exec::Array<int> homes;          // of owned and ghosts: the part where a vertex is now
  exec::Array<int> fixed;          // of owned and ghosts: the part where it must be, or nowhere
  exec::Array<std::int64_t> stay;  // of owned: edge units times `finer`, for staying at home
};

// Owned neighbours of each ghost.
struct RowsBack {
  exec::Array<std::int64_t> offsets;  // ghosts + 1
  exec::Array<Vertex> columns;
};

struct Level {
  Space space = Space(0, nullptr);
  int constraints = 1;
  std::int64_t owned = 0;
  std::int64_t all_vertices = 0;  // of all ranks
  Rows rows;
  RowsBack back;
  Ghosts ghosts;
  exec::Array<std::uint64_t> names;   // of owned vertices and ghosts
  exec::Array<std::int64_t> weights;  // of both, constraint by constraint of each vertex
  Wishes wishes;
  bool has_keys = false;
  exec::Array<std::uint64_t> keys;  // of owned vertices, along a curve

  std::int64_t ghost_count() const noexcept { return ghosts.count(); }
  std::int64_t local() const noexcept { return owned + ghosts.count(); }
};

// Collective. Makes the values of ghosts and the rows back from them. Owned vertices must be
// complete, and the columns of their rows must be set.
void complete_ghosts(const Communicator& communicator, Level& level);

}  // namespace evenkeel::graphs
