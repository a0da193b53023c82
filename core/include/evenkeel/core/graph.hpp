#pragma once

// Cuts a graph that is spread over ranks into parts, so that parts weigh the same and few edges are
// cut. A cut begins from nothing, or from present parts, which then change as little as possible.
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

namespace evenkeel {

// `parts` is the same on all ranks. `from` and `load` concern the vertices of this rank: give them
// on all ranks that have vertices, or on no rank.
struct GraphCutOptions {
  int parts = 0;  // if it is 0, there is one part for each rank
  // The part of each vertex to begin from. A vertex whose number is not a part has no part yet. If
  // it is not set, the cut begins from nothing.
  NumberSource from = {};
  // The cost of all vertices of this rank together, in one unit on all ranks. The weights of the
  // first constraint are scaled to this sum.
  std::optional<double> load = std::nullopt;
  // Called from time to time with the share of the work that is done, from 0 to 1, to show the
  // progress of a large cut. Only the ranks that set it call it. If it throws, the cut ends with an
  // Error on all ranks.
  std::function<void(double done)> progress = {};
};

// The part of each vertex, and the report of the cut.
struct GraphCut {
  exec::Array<int> parts;  // of this rank's vertices
  GraphReport report;
};

// Collective. The result is the same on any number of ranks and threads and on any space, as long
// as vertices have the same numbers. Throws the same Error on all ranks for: offsets or columns
// that are not valid; an id that two vertices have, or that no vertex has; an edge without its
// reverse, or whose reverse has another weight (the Error names the lowest such edge); weights that
// are not valid; fixed parts that do not exist, or that an uncuttable edge connects; memory that is
// refused.
EVENKEEL_API GraphCut cut_graph(const Space& space, const Communicator& communicator,
                                const Graph& graph, const GraphCutOptions& options = {},
                                const ByGraph& method = {});

// --- New numbers ---------------------------------------------------------------------------------
// Updates connectivity after a move. Rows travel as a payload; their columns number
// the objects of all ranks consecutively, rank after rank, and each move renumbers the objects.
//
//   ek::Balancer balancer(ranks, {.method = ek::ByGraph{}, .origins = true});
//   ...
//   if (auto moved = balancer.step(x, ek::carry(ek::csr(offsets, columns)), {.graph = ...}))
//     ek::renumber(ranks, moved, columns);
//
// Codes whose objects have ids do not need it: ids as columns (GraphOptions::id) stay as they are.

// Collective. Replaces each old number in the first `count` entries of `columns`, signed integers
// of 32 or 64 bits in any shape, by the new number of the same object of set `set`; negative
// numbers stay. The report is that of a move with origins; if nothing moved, nothing changes.
// Throws the same Error on all ranks for numbers that no object had, and for numbers that the type
// of the columns cannot hold; then nothing has changed.
EVENKEEL_API void renumber(const Communicator& communicator, const MoveReport& report,
                           const Field& columns, std::int64_t count, std::size_t set = 0);
template <class Container>
void renumber(const Communicator& communicator, const MoveReport& report, Container& columns,
              std::size_t set = 0) {
  const Field field = field_of(columns);
  renumber(communicator, report, field, field.layout().count, set);
}

}  // namespace evenkeel
