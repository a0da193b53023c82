#pragma once

// A level: a distributed graph that the partitioner works on. It is the given graph, or a coarser
// form of it.
//
// Each rank owns vertices and has ghosts of their neighbours on other ranks. An index counts the
// owned vertices first, then the ghosts. No result depends on the distribution of vertices over
// ranks and threads, because all sums are of integers and names settle ties:
//   weights   units of each constraint; the sum over all vertices is below 2^62
//   edges     units; no edge exceeds `heaviest_edge`, not even a merged one
//   names     distinct numbers in random order: a bijective hash of the vertex's number

#include "graph/levels/ghosts.hpp"

#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>

namespace evenkeel::graphs {

using Vertex = std::int32_t;
using EdgeUnits = std::int32_t;
inline constexpr EdgeUnits heaviest_edge = EdgeUnits{1} << 30;
inline constexpr int nowhere = -1;  // no part

// The neighbours of each owned vertex, and the weights of the edges to them.
struct Rows {
  exec::Array<std::int64_t> offsets;  // owned + 1 entries
  exec::Array<Vertex> columns;
  exec::Array<EdgeUnits> weights;  // by entry: the weight of its edge
};

// Rows, for kernels.
struct RowsView {
  const std::int64_t* offsets;
  const Vertex* columns;
  const EdgeUnits* weights;
  explicit RowsView(const Rows& rows)
      : offsets(rows.offsets.data()), columns(rows.columns.data()), weights(rows.weights.data()) {}
};

// The parts that vertices are in, and the parts where they must be. The flags are the same on all
// ranks; with a flag set, an array may still be empty on a rank without vertices.
struct Wishes {
  bool has_homes = false, has_fixed = false, has_stay = false;
  exec::Array<int> homes;  // by owned vertex and ghost: the part where it is now
  // by owned vertex and ghost: the part where it must be, or nowhere
  exec::Array<int> fixed;
  // by owned vertex: the worth of staying at home, in finer units; 0 if its home was not given, but
  // chosen for it
  exec::Array<std::int64_t> stay;
};

// The owned neighbours of each ghost.
struct RowsBack {
  exec::Array<std::int64_t> offsets;  // ghosts + 1 entries
  exec::Array<Vertex> columns;
};

struct Level {
  Space space = Space(0, nullptr);
  int constraints = 1;
  std::int64_t owned = 0;
  std::int64_t all_vertices = 0;  // number of vertices on all ranks
  Rows rows;
  RowsBack back;
  Ghosts ghosts;
  exec::Array<std::uint64_t> names;   // by owned vertex and ghost
  exec::Array<std::int64_t> weights;  // by owned vertex and ghost, then by constraint
  Wishes wishes;
  bool has_keys = false;
  exec::Array<std::uint64_t> keys;  // by owned vertex: its key along a curve

  std::int64_t ghost_count() const noexcept { return ghosts.count(); }
  std::int64_t local() const noexcept { return owned + ghosts.count(); }
};

// Collective. Sets the values of ghosts, and computes `back`. Before the call, the values of owned
// vertices and the columns of their rows must be complete.
void complete_ghosts(const Communicator& communicator, Level& level);

}  // namespace evenkeel::graphs
