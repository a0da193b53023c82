#pragma once

// Cuts a graph that is spread over ranks into parts, so that parts weigh the same and few edges are
// cut. A cut can begin from present parts; then few vertices change their part.
//
//   ek::GraphCut cut = ek::cut_graph(space, ranks, ek::graph(offsets, neighbours),
//                                   {.parts = 64});
//   cut.parts          // the part of each vertex, in the memory of the space
//   cut.report         // the edges that are cut, and the vertices that would move
//
// docs/graph.md explains the method and its quality.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains/graph.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/field/number_source.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/graph/method.hpp>
#include <evenkeel/core/migrate/report.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace evenkeel {

// `parts`, `speeds` and `memory` must be the same on all ranks. `from` and `load` are about the
// vertices of this rank. Give each of these on all ranks that have vertices, or on no rank.
struct GraphCutOptions {
  int parts = 0;  // if it is 0, there is one part for each rank
  // The speed of each part, positive and finite; the weight of a part, in each constraint, is to be
  // proportional to it. If it is empty, all parts are equally fast. Equal speeds change nothing.
  std::vector<double> speeds = {};
  // The present part of each vertex. A number that is not a part says that the vertex has no part
  // yet. If it is not set, no vertex has a part.
  NumberSource from = {};
  // The measured cost of all vertices of this rank together, in a unit that is the same on all
  // ranks. The weights of this rank for the first constraint are scaled so that their sum is this
  // cost.
  std::optional<double> load = std::nullopt;
  // The most bytes of each part, positive and finite. Then vertices need GraphOptions::bytes. If
  // the cut does not fit, makes up to six further cuts, in which a vertex weighs the greater of its
  // shares of the first weight and of bytes, and returns the most even one that fits. If no cut
  // fits, returns the one whose fullest part is the least full, or the present parts if they leave
  // that part no fuller; compare GraphReport::bytes. If it is empty, there is no limit. For
  // cut_nets() it is an Error.
  std::vector<double> memory = {};
  // Shows the progress of a large cut: is called from time to time with the fraction of the work
  // that is done, from 0 to 1, for each cut that is made. It may be set on some ranks only. If it
  // throws, cut_graph() throws an Error on all ranks.
  std::function<void(double done)> progress = {};
};

// The part of each vertex, and the report of the cut.
struct GraphCut {
  exec::Array<int> parts;  // of this rank's vertices
  GraphReport report;
};

// Collective. The result is the same on any number of ranks and threads and on any space, as long
// as vertices have the same numbers. Throws the same Error on all ranks for: invalid offsets or
// columns; an id that two vertices have; a column that is the id of no vertex; an edge without its
// reverse, or with a reverse of another weight (the Error names the lowest such edge); invalid
// weights; a fixed part that does not exist; an uncuttable edge between vertices with different
// fixed parts; memory that cannot be allocated.
EVENKEEL_API GraphCut cut_graph(const Space& space, const Communicator& communicator,
                                const Graph& graph, const GraphCutOptions& options = {},
                                const ByGraph& method = {});

// --- New numbers ---------------------------------------------------------------------------------
// Updates connectivity after a move. The rows of connectivity move with their objects as a payload.
// Their columns are numbers of objects, which count the objects of all ranks consecutively, rank
// after rank. So each move gives the objects new numbers.
//
//   ek::Balancer balancer(ranks, {.method = ek::ByGraph{}, .origins = true});
//   ...
//   if (auto moved = balancer.step(x, ek::carry(ek::csr(offsets, columns)), {.graph = ...}))
//     ek::renumber(ranks, moved, columns);
//
// Applications whose columns are ids of objects (GraphOptions::id) do not need renumber(), because
// ids do not change.

// Collective. Replaces each number of an object of set `set` in the first `count` entries of
// `columns` by the object's new number. Negative entries stay. The entries are signed integers of
// 32 or 64 bits, in any shape. The report must be that of a move with origins. If nothing moved,
// nothing changes. Throws the same Error on all ranks if an entry was the number of no object, or
// if the type of the columns cannot hold a new number; then nothing has changed.
EVENKEEL_API void renumber(const Communicator& communicator, const MoveReport& report,
                           const Field& columns, std::int64_t count, std::size_t set = 0);
template <class Container>
void renumber(const Communicator& communicator, const MoveReport& report, Container& columns,
              std::size_t set = 0) {
  const Field field = field_of(columns);
  renumber(communicator, report, field, field.layout().count, set);
}

}  // namespace evenkeel
