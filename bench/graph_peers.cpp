#include "graph_method.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#ifdef EVENKEEL_BENCH_HAS_METIS
#include <metis.h>
#endif
#ifdef EVENKEEL_BENCH_HAS_PTSCOTCH
#include <mpi.h>
// Needs MPI and FILE.
#include <ptscotch.h>
#if SCOTCH_VERSION < 7  // older versions have no contexts, which set the number of threads
#undef EVENKEEL_BENCH_HAS_PTSCOTCH
#endif
#endif

namespace evenkeel::bench {
namespace {

[[maybe_unused]] void require(bool good, const char* what) {
  if (!good) graphs::fail(std::string(what) + " failed");
}

// The graph and its weights in a peer's type of numbers.
template <class Number>
struct Converted {
  explicit Converted(const GraphProblem& problem)
      : offsets(problem.graph->offsets.begin(), problem.graph->offsets.end()),
        columns(problem.graph->columns.begin(), problem.graph->columns.end()),
        weights(problem.weights.begin(), problem.weights.end()),
        edge_weights(problem.edge_weights.begin(), problem.edge_weights.end()),
        parts(offsets.size() - 1) {}

  static Number* or_null(std::vector<Number>& values) {
    return values.empty() ? nullptr : values.data();
  }
  Number vertices() const { return static_cast<Number>(parts.size()); }

  std::vector<Number> offsets, columns, weights, edge_weights, parts;
};

// --- METIS ---------------------------------------------------------------------------------------
#ifdef EVENKEEL_BENCH_HAS_METIS

GraphResult metis(const GraphProblem& problem) {
  Converted<idx_t> given(problem);
  std::array<idx_t, METIS_NOPTIONS> options;
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = problem.seed;
  options[METIS_OPTION_UFACTOR] =
      std::max(1, static_cast<int>(std::lround(1000 * (problem.target_lambda - 1))));
  const double all = std::accumulate(problem.speeds.begin(), problem.speeds.end(), 0.0);
  std::vector<real_t> shares;
  for (const double speed : problem.speeds) shares.push_back(static_cast<real_t>(speed / all));
  idx_t vertices = given.vertices(), constraints = 1, parts = problem.parts, cut = 0;
  GraphResult result;
  const GraphClock clock(problem);
  const int code = METIS_PartGraphKway(
      &vertices, &constraints, given.offsets.data(), given.columns.data(),
      given.or_null(given.weights), nullptr, given.or_null(given.edge_weights), &parts,
      Converted<real_t>::or_null(shares), nullptr, options.data(), &cut, given.parts.data());
  clock.stop(result);
  require(code == METIS_OK, "METIS");
  result.parts.assign(given.parts.begin(), given.parts.end());
  return result;
}
#endif

// --- PT-Scotch -----------------------------------------------------------------------------------
#ifdef EVENKEEL_BENCH_HAS_PTSCOTCH

GraphResult ptscotch(const GraphProblem& problem) {
  Converted<SCOTCH_Num> given(problem);
  SCOTCH_Dgraph graph;
  const auto columns = static_cast<SCOTCH_Num>(given.columns.size());
  require(
      SCOTCH_dgraphInit(&graph, MPI_COMM_WORLD) == 0 &&
          SCOTCH_dgraphBuild(&graph, 0, given.vertices(), given.vertices(), given.offsets.data(),
                             nullptr, given.or_null(given.weights), nullptr, columns, columns,
                             given.columns.data(), nullptr, given.or_null(given.edge_weights)) == 0,
      "SCOTCH_dgraphBuild");
  SCOTCH_Strat strategy;
  SCOTCH_stratInit(&strategy);
  SCOTCH_stratDgraphMapBuild(&strategy, SCOTCH_STRATDEFAULT,
                             static_cast<SCOTCH_Num>(problem.first_rows.size() - 1), problem.parts,
                             problem.target_lambda - 1);
  // Scotch would start a thread per core, and its parts would depend on the speeds of threads.
  SCOTCH_Context context;
  SCOTCH_contextInit(&context);
  require(SCOTCH_contextThreadSpawn(&context, 1, nullptr) == 0, "SCOTCH_contextThreadSpawn");
  SCOTCH_contextRandomClone(&context);
  SCOTCH_contextRandomSeed(&context, problem.seed);
  SCOTCH_contextRandomReset(&context);
  SCOTCH_Dgraph bound;
  require(SCOTCH_dgraphInit(&bound, MPI_COMM_WORLD) == 0 &&
              SCOTCH_contextBindDgraph(&context, &graph, &bound) == 0,
          "SCOTCH_contextBindDgraph");
  GraphResult result;
  const GraphClock clock(problem);
  const int code = SCOTCH_dgraphPart(&bound, problem.parts, &strategy, given.parts.data());
  clock.stop(result);
  require(code == 0, "PT-Scotch");
  SCOTCH_dgraphExit(&bound);
  SCOTCH_contextExit(&context);
  SCOTCH_stratExit(&strategy);
  SCOTCH_dgraphExit(&graph);
  result.parts.assign(given.parts.begin(), given.parts.end());
  return result;
}
#endif

}  // namespace

std::vector<GraphMethod> graph_peers() {
  std::vector<GraphMethod> peers;
#ifdef EVENKEEL_BENCH_HAS_METIS
  peers.push_back({.name = "METIS k-way", .solve = &metis});
#endif
#ifdef EVENKEEL_BENCH_HAS_PTSCOTCH
  peers.push_back(
      {.name = "PT-Scotch", .solve = &ptscotch, .on_all_ranks = true, .takes_speeds = false});
#endif
  return peers;
}

}  // namespace evenkeel::bench
