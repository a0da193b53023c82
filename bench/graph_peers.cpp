#include "graph_peers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#ifdef EVENKEEL_BENCH_HAS_METIS
#include <metis.h>
#endif
#if defined(EVENKEEL_BENCH_HAS_PTSCOTCH) || defined(EVENKEEL_BENCH_HAS_ZOLTAN)
#include <mpi.h>
#endif
#ifdef EVENKEEL_BENCH_HAS_SCOTCH
#include <cstdio>
// Needs FILE; PT-Scotch's header needs MPI besides.
#ifdef EVENKEEL_BENCH_HAS_PTSCOTCH
#include <ptscotch.h>
#else
#include <scotch.h>
#endif
#if SCOTCH_VERSION < 7  // without contexts, which say how many threads there are
#undef EVENKEEL_BENCH_HAS_SCOTCH
#undef EVENKEEL_BENCH_HAS_PTSCOTCH
#endif
#endif
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
#include <zoltan.h>
#endif

namespace evenkeel::bench {
namespace {

using graphs::fail;

[[maybe_unused]] void require(bool good, const char* what) {
  if (!good) fail(std::string(what) + " failed");
}

// Graph and weights in a peer's type of numbers.
template <class Number>
struct Converted {
  explicit Converted(const GraphProblem& problem)
      : offsets(problem.graph->offsets.begin(), problem.graph->offsets.end()),
        columns(problem.graph->columns.begin(), problem.graph->columns.end()),
        weights(problem.weights.begin(), problem.weights.end()),
        edge_weights(problem.edge_weights.begin(), problem.edge_weights.end()),
        old_parts(problem.old_parts.begin(), problem.old_parts.end()),
        parts(offsets.size() - 1) {}

  static Number* or_null(std::vector<Number>& values) {
    return values.empty() ? nullptr : values.data();
  }
  Number vertices() const { return static_cast<Number>(parts.size()); }

  std::vector<Number> offsets, columns, weights, edge_weights, old_parts, parts;
};

// --- METIS ---------------------------------------------------------------------------------------
#ifdef EVENKEEL_BENCH_HAS_METIS

// Recursive bisection applies its tolerance to each bisection.
int metis_tolerance(const GraphProblem& problem, bool is_recursive) {
  const double levels = is_recursive ? std::ceil(std::log2(problem.parts)) : 1;
  return std::max(
      1, static_cast<int>(std::lround(1000 * (std::pow(1 + problem.tolerance, 1 / levels) - 1))));
}

GraphResult metis(const GraphProblem& problem, bool is_recursive) {
  Converted<idx_t> given(problem);
  std::array<idx_t, METIS_NOPTIONS> options;
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = problem.seed;
  options[METIS_OPTION_UFACTOR] = metis_tolerance(problem, is_recursive);
  idx_t vertices = given.vertices(), constraints = 1, parts = problem.parts, cut = 0;
  GraphResult result;
  const GraphClock clock(problem);
  const int code = (is_recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
      &vertices, &constraints, given.offsets.data(), given.columns.data(),
      given.or_null(given.weights), nullptr, given.or_null(given.edge_weights), &parts, nullptr,
      nullptr, options.data(), &cut, given.parts.data());
  clock.stop(result);
  require(code == METIS_OK, "METIS");
  result.parts.assign(given.parts.begin(), given.parts.end());
  return result;
}
#endif

// --- Scotch --------------------------------------------------------------------------------------
#ifdef EVENKEEL_BENCH_HAS_SCOTCH

class ScotchStrategy {
 public:
  ScotchStrategy() { SCOTCH_stratInit(&strategy_); }
  ScotchStrategy(const ScotchStrategy&) = delete;
  ScotchStrategy& operator=(const ScotchStrategy&) = delete;
  ~ScotchStrategy() { SCOTCH_stratExit(&strategy_); }
  SCOTCH_Strat* get() { return &strategy_; }

 private:
  SCOTCH_Strat strategy_;
};

// Scotch would start a thread per core, and its parts would depend on which of them is faster.
class ScotchOnOneThread {
 public:
  explicit ScotchOnOneThread(int seed) {
    SCOTCH_contextInit(&context_);
    require(SCOTCH_contextThreadSpawn(&context_, 1, nullptr) == 0, "SCOTCH_contextThreadSpawn");
    SCOTCH_contextRandomClone(&context_);
    SCOTCH_contextRandomSeed(&context_, seed);
    SCOTCH_contextRandomReset(&context_);
  }
  ScotchOnOneThread(const ScotchOnOneThread&) = delete;
  ScotchOnOneThread& operator=(const ScotchOnOneThread&) = delete;
  ~ScotchOnOneThread() { SCOTCH_contextExit(&context_); }
  SCOTCH_Context* get() { return &context_; }

 private:
  SCOTCH_Context context_;
};

// One vertex costs as much to move as one edge to cut.
GraphResult scotch(const GraphProblem& problem, bool goes_on_from_old) {
  constexpr double edges_per_move = 1;
  Converted<SCOTCH_Num> given(problem);
  SCOTCH_Graph graph;
  require(SCOTCH_graphInit(&graph) == 0 &&
              SCOTCH_graphBuild(&graph, 0, given.vertices(), given.offsets.data(), nullptr,
                                given.or_null(given.weights), nullptr,
                                static_cast<SCOTCH_Num>(given.columns.size()), given.columns.data(),
                                given.or_null(given.edge_weights)) == 0,
          "SCOTCH_graphBuild");
  ScotchStrategy strategy;
  SCOTCH_stratGraphMapBuild(strategy.get(),
                            goes_on_from_old ? SCOTCH_STRATREMAP : SCOTCH_STRATDEFAULT,
                            problem.parts, problem.tolerance);
  ScotchOnOneThread context(problem.seed);
  SCOTCH_Graph bound;
  require(
      SCOTCH_graphInit(&bound) == 0 && SCOTCH_contextBindGraph(context.get(), &graph, &bound) == 0,
      "SCOTCH_contextBindGraph");
  GraphResult result;
  const GraphClock clock(problem);
  const int code =
      goes_on_from_old
          ? SCOTCH_graphRepart(&bound, problem.parts, given.old_parts.data(), edges_per_move,
                               nullptr, strategy.get(), given.parts.data())
          : SCOTCH_graphPart(&bound, problem.parts, strategy.get(), given.parts.data());
  clock.stop(result);
  require(code == 0, "Scotch");
  SCOTCH_graphExit(&bound);
  SCOTCH_graphExit(&graph);
  result.parts.assign(given.parts.begin(), given.parts.end());
  return result;
}
#endif

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
  ScotchStrategy strategy;
  SCOTCH_stratDgraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT,
                             static_cast<SCOTCH_Num>(problem.first_rows.size() - 1), problem.parts,
                             problem.tolerance);
  ScotchOnOneThread context(problem.seed);
  SCOTCH_Dgraph bound;
  require(SCOTCH_dgraphInit(&bound, MPI_COMM_WORLD) == 0 &&
              SCOTCH_contextBindDgraph(context.get(), &graph, &bound) == 0,
          "SCOTCH_contextBindDgraph");
  GraphResult result;
  const GraphClock clock(problem);
  const int code = SCOTCH_dgraphPart(&bound, problem.parts, strategy.get(), given.parts.data());
  clock.stop(result);
  require(code == 0, "PT-Scotch");
  SCOTCH_dgraphExit(&bound);
  SCOTCH_dgraphExit(&graph);
  result.parts.assign(given.parts.begin(), given.parts.end());
  return result;
}
#endif

// --- Zoltan --------------------------------------------------------------------------------------
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN

// The parallel hypergraph partitioner on a graph. Zoltan asks for all it needs by callbacks.
class ZoltanOnGraph {
 public:
  ZoltanOnGraph(const GraphProblem& problem, const char* approach)
      : problem_(problem), zoltan_(Zoltan_Create(MPI_COMM_WORLD)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    const std::pair<const char*, std::string> parameters[] = {
        {"DEBUG_LEVEL", "0"},
        {"LB_METHOD", "GRAPH"},
        {"GRAPH_PACKAGE", "PHG"},
        {"LB_APPROACH", approach},
        {"RETURN_LISTS", "PARTS"},
        {"NUM_GID_ENTRIES", "1"},
        {"NUM_LID_ENTRIES", "1"},
        {"OBJ_WEIGHT_DIM", problem.weights.empty() ? "0" : "1"},
        {"EDGE_WEIGHT_DIM", problem.edge_weights.empty() ? "0" : "1"},
        {"CHECK_GRAPH", "0"},
        {"SEED", std::to_string(problem.seed)},
        {"NUM_GLOBAL_PARTS", std::to_string(problem.parts)},
        {"IMBALANCE_TOL", std::to_string(1 + problem.tolerance)}};
    for (const auto& [parameter, value] : parameters)
      require(Zoltan_Set_Param(zoltan_, parameter, value.c_str()) == ZOLTAN_OK, parameter);
    Zoltan_Set_Num_Obj_Fn(zoltan_, &count, this);
    Zoltan_Set_Obj_List_Fn(zoltan_, &list, this);
    Zoltan_Set_Num_Edges_Multi_Fn(zoltan_, &count_edges, this);
    Zoltan_Set_Edge_List_Multi_Fn(zoltan_, &list_edges, this);
    if (!problem.old_parts.empty()) Zoltan_Set_Part_Multi_Fn(zoltan_, &old_parts, this);
  }
  ZoltanOnGraph(const ZoltanOnGraph&) = delete;
  ZoltanOnGraph& operator=(const ZoltanOnGraph&) = delete;
  ~ZoltanOnGraph() { Zoltan_Destroy(&zoltan_); }

  GraphResult solve() {
    int changes = 0, id_entries = 0, local_id_entries = 0, imports = 0, exports = 0;
    ZOLTAN_ID_PTR import_ids = nullptr, import_local = nullptr, ids = nullptr, local = nullptr;
    int *import_ranks = nullptr, *import_parts = nullptr, *ranks = nullptr, *parts = nullptr;
    GraphResult result;
    const GraphClock clock(problem_);
    const int code = Zoltan_LB_Partition(zoltan_, &changes, &id_entries, &local_id_entries,
                                         &imports, &import_ids, &import_local, &import_ranks,
                                         &import_parts, &exports, &ids, &local, &ranks, &parts);
    clock.stop(result);
    require(code == ZOLTAN_OK || code == ZOLTAN_WARN, "Zoltan");
    result.parts.resize(static_cast<std::size_t>(problem_.graph->vertices()));
    require(exports == std::ssize(result.parts), "Zoltan's list of parts");
    for (int i = 0; i < exports; ++i) result.parts[local[i]] = parts[i];
    Zoltan_LB_Free_Part(&import_ids, &import_local, &import_ranks, &import_parts);
    Zoltan_LB_Free_Part(&ids, &local, &ranks, &parts);
    return result;
  }

 private:
  static const ZoltanOnGraph& self(void* data) { return *static_cast<const ZoltanOnGraph*>(data); }
  static int count(void* data, int* code) {
    *code = ZOLTAN_OK;
    return static_cast<int>(self(data).problem_.graph->vertices());
  }
  static void list(void* data, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR local, int,
                   float* weights, int* code) {
    const GraphProblem& problem = self(data).problem_;
    const std::int64_t first = problem.first_rows[static_cast<std::size_t>(self(data).rank_)];
    for (std::int64_t v = 0; v < problem.graph->vertices(); ++v) {
      ids[v] = static_cast<ZOLTAN_ID_TYPE>(first + v);
      local[v] = static_cast<ZOLTAN_ID_TYPE>(v);
      if (!problem.weights.empty())
        weights[v] = static_cast<float>(problem.weights[static_cast<std::size_t>(v)]);
    }
    *code = ZOLTAN_OK;
  }
  static void count_edges(void* data, int, int, int vertices, ZOLTAN_ID_PTR, ZOLTAN_ID_PTR local,
                          int* counts, int* code) {
    const graphs::Graph& graph = *self(data).problem_.graph;
    for (int i = 0; i < vertices; ++i)
      counts[i] = static_cast<int>(std::ssize(graph.row(static_cast<std::int64_t>(local[i]))));
    *code = ZOLTAN_OK;
  }
  static void list_edges(void* data, int, int, int vertices, ZOLTAN_ID_PTR, ZOLTAN_ID_PTR local,
                         int*, ZOLTAN_ID_PTR neighbours, int* ranks, int, float* weights,
                         int* code) {
    const GraphProblem& problem = self(data).problem_;
    const std::vector<std::int64_t>& firsts = problem.first_rows;
    std::size_t at = 0;
    for (int i = 0; i < vertices; ++i) {
      auto edge = static_cast<std::size_t>(problem.graph->offsets[local[i]]);
      for (const std::int64_t other : problem.graph->row(static_cast<std::int64_t>(local[i]))) {
        const auto after = std::upper_bound(firsts.begin(), firsts.end() - 1, other);
        ranks[at] = static_cast<int>(after - firsts.begin()) - 1;
        if (!problem.edge_weights.empty())
          weights[at] = static_cast<float>(problem.edge_weights[edge++]);
        neighbours[at++] = static_cast<ZOLTAN_ID_TYPE>(other);
      }
    }
    *code = ZOLTAN_OK;
  }
  static void old_parts(void* data, int, int, int vertices, ZOLTAN_ID_PTR, ZOLTAN_ID_PTR local,
                        int* parts, int* code) {
    for (int i = 0; i < vertices; ++i) parts[i] = self(data).problem_.old_parts[local[i]];
    *code = ZOLTAN_OK;
  }

  const GraphProblem& problem_;
  Zoltan_Struct* zoltan_;
  int rank_ = 0;
};

GraphResult zoltan(const GraphProblem& problem, const char* approach) {
  return ZoltanOnGraph(problem, approach).solve();
}
#endif

}  // namespace

std::vector<GraphMethod> graph_peers() {
  std::vector<GraphMethod> peers;
#ifdef EVENKEEL_BENCH_HAS_METIS
  peers.push_back({"METIS k-way", [](const GraphProblem& p) { return metis(p, false); }});
  peers.push_back({"METIS recursive", [](const GraphProblem& p) { return metis(p, true); }});
#endif
#ifdef EVENKEEL_BENCH_HAS_SCOTCH
  peers.push_back({"Scotch", [](const GraphProblem& p) { return scotch(p, false); }});
  peers.push_back({.name = "Scotch repart",
                   .solve = [](const GraphProblem& p) { return scotch(p, true); },
                   .goes_on_from_old = true});
#endif
#ifdef EVENKEEL_BENCH_HAS_PTSCOTCH
  peers.push_back({.name = "PT-Scotch", .solve = &ptscotch, .on_all_ranks = true});
#endif
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
  peers.push_back({.name = "Zoltan PHG",
                   .solve = [](const GraphProblem& p) { return zoltan(p, "PARTITION"); },
                   .on_all_ranks = true});
  for (const char* approach : {"REPARTITION", "REFINE"})
    peers.push_back({.name = std::string("Zoltan ") + approach,
                     .solve = [=](const GraphProblem& p) { return zoltan(p, approach); },
                     .on_all_ranks = true,
                     .goes_on_from_old = true});
#endif
  return peers;
}

}  // namespace evenkeel::bench
