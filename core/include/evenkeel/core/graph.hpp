#pragma once

// Cuts a graph that is spread over ranks into parts: a part for each vertex, so that parts weigh
// the same and few edges are cut. From nothing, or from the parts that there are, which then change
// as little as it takes.
//
//   ek::GraphCut cut = ek::cut_graph(space, ranks, ek::graph(offsets, neighbours),
//                                   {.parts = 64});
//   cut.parts          // of each vertex, in the memory of the space
//   cut.report         // what is cut, what would move
//
// docs/graph.md tells how it works and how good it is.

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

// The same on all ranks, but for what is told of vertices.
struct GraphCutOptions {
  int parts = 0;  // 0: one for each rank
  // Parts to begin from, one per vertex; a negative number: none. Unset: from nothing.
  NumberSource from = {};
  // What the vertices of this rank cost together, in one unit on all ranks: their weights of the
  // first constraint are scaled to that. Given on all ranks that have vertices, or none. Unset:
  // weights are as given.
  std::optional<double> load = std::nullopt;
  // Called from time to time with the share that is done, from 0 to 1: for those who watch the cut
  // of a large graph. Of this rank alone; what it throws ends the cut on all ranks.
  std::function<void(double done)> progress = {};
};

// A part for each vertex, and what that means.
struct GraphCut {
  exec::Array<int> parts;  // of this rank's vertices
  GraphReport report;
};

// Collective. The same parts on any number of ranks and threads and on any space, as long as the
// numbers of vertices are the same. Throws the same Error on all ranks for: offsets or columns that
// are not valid; an id that two vertices have, or none; an edge without its reverse, or with
// another weight there, of which the lowest is named; weights that are not valid; fixed parts that
// do not exist, or that an uncuttable edge connects; memory that is refused.
EVENKEEL_API GraphCut cut_graph(const Space& space, const Communicator& communicator,
                                const Graph& graph, const GraphCutOptions& options = {},
                                const ByGraph& method = {});

// The weights of this rank's vertices, of the first constraint, added up; 0 where they are too few
// or no numbers. Local.
EVENKEEL_API double weight_of(const Space& space, const Graph& graph);

// --- New numbers ---------------------------------------------------------------------------------
// Connectivity by numbers, after a move. Rows travel as a payload; their columns are numbers that
// count the objects of all ranks, rank after rank, and each move gives objects other numbers.
//
//   ek::Balancer balancer(ranks, {.method = ek::ByGraph{}, .origins = true});
//   ...
//   if (auto moved = balancer.step(x, ek::carry(ek::csr(offsets, columns)), {.graph = ...}))
//     ek::renumber(ranks, moved, columns);
//
// Codes whose objects have ids do not need it: ids as columns (GraphOptions::id) stay as they are.

// Collective. Replaces each old number in `columns`, signed integers of any shape, by the new
// number of the same object of set `set`; a negative number stays. `count`: of columns at the front
// of the field. The report is of a move with origins. Does nothing where nothing moved. Throws the
// same Error on all ranks for numbers that no object had, and for numbers that the type of the
// columns cannot hold; then nothing has changed.
EVENKEEL_API void renumber(const Communicator& communicator, const MoveReport& report,
                           const Field& columns, std::int64_t count, std::size_t set = 0);
template <class Container>
void renumber(const Communicator& communicator, const MoveReport& report, Container& columns,
              std::size_t set = 0) {
  const Field field = field_of(columns);
  renumber(communicator, report, field, field.layout().count, set);
}

}  // namespace evenkeel
