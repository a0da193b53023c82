#pragma once

// A distributed graph as the partitioner works on it: the given one, or a coarser level of it.
//
// Each rank owns vertices and has ghosts of their neighbours on other ranks. Indices count the
// owned vertices first, then the ghosts. What is summed is an integer, and ties are settled by
// names, so that no result depends on how vertices are spread over ranks and threads:
//   weights   units of each constraint; together below 2^62
//   edges     units of at most `heaviest_edge`, which merged edges never exceed either
//   names     distinct numbers in random order, for each vertex a bijective hash of its number

#include "graph/ghosts.hpp"

#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>

namespace evenkeel::graphs {

using Vertex = std::int32_t;
using EdgeUnits = std::int32_t;
inline constexpr EdgeUnits heaviest_edge = EdgeUnits{1} << 30;
inline constexpr int nowhere = -1;  // a part that is none

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

struct Level {
  Space space = Space(0, nullptr);
  int constraints = 1;
  std::int64_t owned = 0;
  std::int64_t all_vertices = 0;  // of all ranks
  // What there is, on all ranks or on none; an array may be empty because its rank is.
  bool has_homes = false, has_fixed = false, has_stay = false, has_keys = false;
  Rows rows;
  Ghosts ghosts;
  // Of owned vertices and ghosts.
  exec::Array<std::uint64_t> names;
  exec::Array<std::int64_t> weights;  // constraint by constraint of each vertex
  exec::Array<int> homes;             // the part where a vertex is now
  exec::Array<int> fixed;             // the part where it must be, or nowhere
  // Of owned vertices.
  exec::Array<std::int64_t> stay;  // what it is worth, in edge units times `finer`, to stay at home
  exec::Array<std::uint64_t> keys;  // along a curve
  // Owned neighbours of each ghost.
  exec::Array<std::int64_t> back_offsets;  // ghosts + 1
  exec::Array<Vertex> back_columns;

  std::int64_t ghost_count() const noexcept { return ghosts.count(); }
  std::int64_t local() const noexcept { return owned + ghosts.count(); }
};

}  // namespace evenkeel::graphs
