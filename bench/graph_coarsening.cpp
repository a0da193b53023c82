// Compares two ways to coarsen a graph: our clusters, and the aggregates of Kokkos Kernels around a
// distance-2 maximal independent set. All other steps are the same.
//
// The same functions contract and cut the levels of both ways. They are slower than the functions
// of the library. Only the time for clusters depends on the way; the table has a column for it.

#include "graph/input/read.hpp"
#include "graph/levels/cluster.hpp"
#include "graph_modes.hpp"

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <KokkosGraph_MIS2.hpp>

#include <cstdio>
#include <numeric>

namespace evenkeel::bench {
namespace {

using graphs::Graph;
using graphs::WeightedGraph;

struct Clusters {
  std::vector<std::int64_t> of;  // the cluster of each vertex
  std::int64_t count = 0;
  double seconds = 0;
};
// Makes clusters that weigh at most `heaviest`, if the way can guarantee that.
using Way = std::function<Clusters(const WeightedGraph&, std::int64_t heaviest)>;

evenkeel::Graph described(const WeightedGraph& graph) {
  evenkeel::GraphOptions known;
  if (!graph.weights.empty()) known.weight = graph.weights;
  if (!graph.edge_weights.empty()) known.edge_weight = graph.edge_weights;
  return evenkeel::graph(graph.graph.offsets, graph.graph.columns, known);
}

Clusters by_pairs(const WeightedGraph& graph, std::int64_t heaviest) {
  namespace own = evenkeel::graphs;
  const Communicator self = Communicator::self();
  const own::GraphRead read =
      own::read_graph(Space::where(MemoryKind::host), self, described(graph), {.parts = 1}, {});
  own::PerConstraint most = {};
  const std::int64_t vertices = graph.graph.vertices();
  const std::int64_t weight =
      graph.weights.empty()
          ? vertices
          : std::accumulate(graph.weights.begin(), graph.weights.end(), std::int64_t{0});
  most[0] = heaviest * (read.totals[0] / weight);  // in units of the level
  const Stopwatch watch;
  const auto leaders = own::clusters_of(self, {}, read.level, most).on_host();
  Clusters clusters;
  clusters.seconds = watch.seconds();
  clusters.of.assign(static_cast<std::size_t>(vertices), -1);
  for (std::size_t v = 0; v < clusters.of.size(); ++v)
    if (own::index_of(leaders[v]) == static_cast<std::int64_t>(v))
      clusters.of[v] = clusters.count++;
  for (std::size_t v = 0; v < clusters.of.size(); ++v)
    clusters.of[v] = clusters.of[static_cast<std::size_t>(own::index_of(leaders[v]))];
  return clusters;
}

// This way ignores weights.
Clusters by_independent_set(const WeightedGraph& graph, std::int64_t /*heaviest*/) {
  using Device = Kokkos::DefaultHostExecutionSpace::device_type;
  const auto rows = graph.graph.offsets.size();
  const Kokkos::View<int*, Device> offsets("offsets", rows);
  const Kokkos::View<int*, Device> columns("columns", graph.graph.columns.size());
  std::ranges::copy(graph.graph.offsets, offsets.data());
  std::ranges::copy(graph.graph.columns, columns.data());
  Clusters clusters;
  int count = 0;
  const Stopwatch watch;
#if KOKKOS_VERSION < 40000
  const auto labels =
      KokkosGraph::Experimental::graph_mis2_coarsen<Device>(offsets, columns, count);
#else
  const auto labels = KokkosGraph::graph_mis2_coarsen<Device>(offsets, columns, count);
#endif
  Kokkos::fence();
  clusters.seconds = watch.seconds();
  clusters.count = count;
  clusters.of.assign(labels.data(), labels.data() + labels.extent(0));
  return clusters;
}

// --- A cut on several levels ---------------------------------------------------------------------

struct Outcome {
  std::vector<int> parts;
  std::size_t levels = 1;
  double heaviest_cluster = 1;  // of the first coarser level, over the average there
  double cluster_seconds = 0, cut_seconds = 0;
};

std::vector<int> cut_level(const WeightedGraph& level, int parts, std::span<const int> from,
                           double target_lambda, Outcome& outcome) {
  GraphCutOptions options{.parts = parts};
  if (!from.empty()) options.from = from;
  const Stopwatch watch;
  const GraphCut cut = cut_graph(
      Space::where(MemoryKind::host), Communicator::self(), described(level), options,
      {.effort = from.empty() ? Effort::good : Effort::polish, .target_lambda = target_lambda});
  outcome.cut_seconds += watch.seconds();
  return cut.parts.on_host();
}

Outcome cut_by(const Way& way, const Graph& graph, int parts, double target_lambda) {
  constexpr std::int64_t vertices_per_part = 12, fewest = 300;  // as in the library
  constexpr double least_shrinkage = 0.95;
  const std::int64_t smallest = std::max(fewest, vertices_per_part * parts);
  const std::int64_t heaviest = std::max<std::int64_t>(graph.vertices() / smallest * 3 / 2, 1);
  Outcome outcome;
  std::vector<WeightedGraph> levels = {{graph, {}, {}}};
  std::vector<Clusters> steps;
  while (levels.back().graph.vertices() > smallest) {
    Clusters next = way(levels.back(), heaviest);
    outcome.cluster_seconds += next.seconds;
    if (static_cast<double>(next.count) >
            least_shrinkage * static_cast<double>(levels.back().graph.vertices()) ||
        next.count < smallest / 3)
      break;
    levels.push_back(graphs::contracted(levels.back(), next.of, next.count));
    steps.push_back(std::move(next));
  }
  outcome.levels = levels.size();
  if (levels.size() > 1)
    outcome.heaviest_cluster = static_cast<double>(std::ranges::max(levels[1].weights)) *
                               static_cast<double>(levels[1].graph.vertices()) /
                               static_cast<double>(graph.vertices());
  for (std::size_t depth = levels.size(); depth-- > 0;) {
    const WeightedGraph& level = levels[depth];
    std::vector<int> from;
    if (depth + 1 < levels.size())
      for (const std::int64_t cluster : steps[depth].of)
        from.push_back(outcome.parts[static_cast<std::size_t>(cluster)]);
    // Coarse vertices cannot fill parts exactly.
    const double slack = static_cast<double>(parts) / static_cast<double>(level.graph.vertices());
    outcome.parts = cut_level(level, parts, from,
                              depth == 0 ? target_lambda : target_lambda + slack / 2, outcome);
  }
  return outcome;
}

}  // namespace

void compare_coarsening(const GraphOptions& options) {
  const Words names =
      names_of_graphs(options, with_files(options, {"tri2d", "aniso2d", "tet3d", "rgg"}));
  struct Named {
    std::string name;
    Way way;
    Ratios cut, seconds;
  };
  std::vector<Named> ways = {{"pairs", &by_pairs, {}, {}}, {"MIS-2", &by_independent_set, {}, {}}};
  std::printf(
      "| graph | parts | clusters | levels | heaviest | cut | of pairs | lambda | clusters s | "
      "cuts "
      "s |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : names) {
    const Graph graph = graph_of(name, options);
    for (const int count : numbers_of_parts(options, {8, 64, 256})) {
      First first_cut, first_seconds;
      for (Named& way : ways) {
        const Outcome outcome = cut_by(way.way, graph, count, options.target_lambda);
        const auto cut = static_cast<double>(graphs::cut_of(graph, {}, outcome.parts));
        const double seconds = outcome.cluster_seconds + outcome.cut_seconds;
        const std::string where = name + " " + std::to_string(count);
        way.cut.add(first_cut.ratio(cut), where);
        way.seconds.add(first_seconds.ratio(seconds), where);
        std::printf("| %-7s | %3d | %s | %2zu | %4.1f | %7.0f | %.3f | %.4f | %.3f | %.3f |\n",
                    name.c_str(), count, way.name.c_str(), outcome.levels, outcome.heaviest_cluster,
                    cut, first_cut.ratio(cut),
                    graphs::lambda_of(graphs::loads_of({}, outcome.parts, count)),
                    outcome.cluster_seconds, outcome.cut_seconds);
        std::fflush(stdout);
      }
    }
  }
  for (const Named& way : ways)
    std::printf("%s: cut %.3f of pairs (worst %.3f, %s), seconds %.2f, geometric means of %d\n",
                way.name.c_str(), way.cut.mean(), way.cut.worst(), way.cut.place_of_worst().c_str(),
                way.seconds.mean(), way.cut.count());
}

}  // namespace evenkeel::bench
