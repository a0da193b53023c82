// Patches that must stay in one piece. Counts the edges within patches that a method cuts
// nevertheless, and finds the cost of keeping patches whole.
//
//   patches  2,000 patches of 34 vertices, and one vertex in a hundred with up to three neighbours
//   lumps    16 patches that weigh 1.02 times an average part of 64

#include "clouds.hpp"
#include "graph_modes.hpp"

#include <cstdio>
#include <numeric>

namespace evenkeel::bench {
namespace {

using graphs::Graph;

constexpr int edges_per_uncuttable = 100;

// The patch of each vertex; -1 if it is in no patch.
using Patches = std::vector<std::int64_t>;

// Grows patches around random vertices, breadth first, into the room that other patches leave.
void grow(const Graph& graph, std::int64_t count, std::int64_t size, clouds::Random& random,
          Patches& patches, std::int64_t& next_patch) {
  for (std::int64_t p = 0; p < count; ++p) {
    const auto seed =
        static_cast<std::int64_t>(random.uniform() * static_cast<double>(graph.vertices()));
    if (patches[static_cast<std::size_t>(seed)] >= 0) continue;
    std::vector<std::int64_t> members = {seed};
    patches[static_cast<std::size_t>(seed)] = next_patch;
    for (std::size_t m = 0; m < members.size(); ++m)
      for (const std::int64_t other : graph.row(members[m]))
        if (std::ssize(members) < size && patches[static_cast<std::size_t>(other)] < 0) {
          patches[static_cast<std::size_t>(other)] = next_patch;
          members.push_back(other);
        }
    ++next_patch;
  }
}

struct Case {
  std::string name;
  Patches patches;
};
std::vector<Case> cases_of(const Graph& graph, int seed) {
  const auto n = graph.vertices();
  const auto none = Patches(static_cast<std::size_t>(n), -1);
  std::vector<Case> cases = {{"patches", none}, {"lumps", none}};
  clouds::Random random(static_cast<std::uint64_t>(seed), 1);
  std::int64_t next_patch = 0;
  grow(graph, 2000 * n / 1'000'000, 34, random, cases[0].patches, next_patch);
  grow(graph, n / 100, 4, random, cases[0].patches, next_patch);
  next_patch = 0;
  grow(graph, 16, n * 102 / 6400, random, cases[1].patches, next_patch);
  return cases;
}

std::vector<std::uint8_t> uncuttable_edges(const Graph& graph, const Patches& patches) {
  std::vector<std::uint8_t> is_uncuttable;
  is_uncuttable.reserve(graph.columns.size());
  for (std::int64_t v = 0; v < graph.vertices(); ++v)
    for (const std::int64_t other : graph.row(v)) {
      const std::int64_t patch = patches[static_cast<std::size_t>(v)];
      is_uncuttable.push_back(patch >= 0 && patch == patches[static_cast<std::size_t>(other)]);
    }
  return is_uncuttable;
}

std::vector<std::int64_t> weights_against_cuts(std::span<const std::uint8_t> is_uncuttable) {
  std::vector<std::int64_t> weights;
  for (const std::uint8_t uncuttable : is_uncuttable)
    weights.push_back(uncuttable != 0 ? edges_per_uncuttable : 1);
  return weights;
}

// The graph with one vertex for each patch and for each vertex outside of patches.
struct Contracted {
  graphs::WeightedGraph small;
  std::vector<std::int64_t> vertex_of;
};
Contracted contracted(const Graph& graph, const Patches& patches) {
  Contracted result;
  std::int64_t count = std::ranges::max(patches) + 1;
  for (const std::int64_t patch : patches) result.vertex_of.push_back(patch >= 0 ? patch : count++);
  result.small = graphs::contracted({graph, {}, {}}, result.vertex_of, count);
  return result;
}

class Table {
 public:
  Table(const Graph& graph, const Case& of, const graphs::WeightedGraph& small,
        std::span<const std::int64_t> edge_weights, int parts)
      : graph_(graph),
        case_(of),
        edge_weights_(edge_weights),
        parts_(parts),
        bound_(std::max(1.0, static_cast<double>(std::ranges::max(small.weights)) * parts /
                                 static_cast<double>(graph.vertices()))) {}

  void print(const std::string& method, const GraphResult& result) {
    const auto loads = graphs::loads_of({}, result.parts, parts_);
    const std::int64_t edges = graphs::cut_of(graph_, {}, result.parts);
    const std::int64_t broken =
        (graphs::cut_of(graph_, edge_weights_, result.parts) - edges) / (edges_per_uncuttable - 1);
    const auto cut = static_cast<double>(edges);
    std::printf(
        "| %-7s | %-7s | %3d | %-18s | %7.0f | %5.3f | %5lld | %6.4f | %6.4f | %d | %.3f | %.2f "
        "|\n",
        graph_.name.c_str(), case_.name.c_str(), parts_, method.c_str(), cut, first_cut_.ratio(cut),
        static_cast<long long>(broken), graphs::lambda_of(loads), bound_,
        graphs::parts_without(loads), result.cpu_seconds, first_seconds_.ratio(result.cpu_seconds));
    std::fflush(stdout);
  }

 private:
  const Graph& graph_;
  const Case& case_;
  std::span<const std::int64_t> edge_weights_;
  int parts_;
  double bound_;
  First first_cut_, first_seconds_;
};

void compare(const Graph& graph, const Case& of, int parts, const std::vector<GraphMethod>& methods,
             const GraphOptions& options) {
  const std::vector<std::uint8_t> is_uncuttable = uncuttable_edges(graph, of.patches);
  const std::vector<std::int64_t> weighted = weights_against_cuts(is_uncuttable);
  const auto [small, vertex_of] = contracted(graph, of.patches);
  Table table(graph, of, small, weighted, parts);
  for (const GraphMethod& method : methods) {
    if (!fits(method, graph)) continue;
    GraphProblem problem = whole_problem(graph, parts, options);
    if (method.is_ours) {
      problem.is_uncuttable = is_uncuttable;
      table.print(method.name, solve(method, problem, options));
      continue;
    }
    table.print(method.name, solve(method, problem, options));
    if (method.is_curve) continue;
    problem.edge_weights = weighted;
    table.print(method.name + " x" + std::to_string(edges_per_uncuttable),
                solve(method, problem, options));
    problem = whole_problem(small.graph, parts, options);
    problem.weights = small.weights;
    problem.edge_weights = small.edge_weights;
    GraphResult result = solve(method, problem, options);
    std::vector<int> of_all;
    of_all.reserve(vertex_of.size());
    for (const std::int64_t vertex : vertex_of)
      of_all.push_back(result.parts[static_cast<std::size_t>(vertex)]);
    result.parts = std::move(of_all);
    table.print(method.name + " contr.", result);
  }
}

}  // namespace

void cut_around_lumps(const GraphOptions& options) {
  const std::vector<GraphMethod> methods = methods_of(options);
  std::printf(
      "x%d: weights of uncuttable edges; contr.: on the graph in which a patch is one vertex. "
      "Bound: the heaviest patch over the average part.\n\n"
      "| graph | case | parts | method | cut | of first | uncuttable cut | lambda | bound | empty "
      "| "
      "CPU s | of first |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      edges_per_uncuttable);
  for (const std::string& name : names_of_graphs(options, {"tri2d"})) {
    const Graph graph = graph_of(name, options);
    for (const Case& of : cases_of(graph, options.seed))
      for (const int count : numbers_of_parts(options, {8, 64, 256}))
        compare(graph, of, count, methods, options);
  }
}

}  // namespace evenkeel::bench
