// Cuts graphs on all ranks together: each rank has its share of the rows. Times are from a barrier
// to the end on the slowest rank. The peer is METIS on one rank, while the others wait.

#include "clouds.hpp"
#include "graph_modes.hpp"

#include <cstdio>
#include <limits>

namespace evenkeel::bench {
namespace {

using graphs::Graph;

// The rows of a rank. Columns remain numbers of all vertices.
Graph share_of(const Graph& all, std::int64_t begin, std::int64_t end) {
  Graph mine;
  mine.name = all.name;
  mine.dimensions = all.dimensions;
  const std::int64_t first = all.offsets[static_cast<std::size_t>(begin)];
  for (std::int64_t v = begin; v <= end; ++v)
    mine.offsets.push_back(all.offsets[static_cast<std::size_t>(v)] - first);
  mine.columns.assign(all.columns.begin() + first,
                      all.columns.begin() + first + mine.offsets.back());
  mine.positions.assign(all.positions.begin() + begin * all.dimensions,
                        all.positions.begin() + end * all.dimensions);
  return mine;
}

struct Timed {
  std::vector<int> parts;                                    // of all rows
  double seconds = std::numeric_limits<double>::infinity();  // on the slowest rank
  double cpu_seconds = 0;                                    // of the busiest rank
};

// A hash (FNV-1a) for comparisons between runs on different numbers of ranks.
std::uint64_t hash_of(std::span<const int> parts) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const int part : parts) hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x100000001b3;
  return hash;
}

// The fastest of `repetitions` runs, after one as a warm-up. If a method is for one rank, rank 0
// runs it.
Timed fastest(const Communicator& ranks, const GraphMethod& method, const GraphProblem& problem,
              int repetitions) {
  Timed best;
  for (int r = 0; r <= repetitions; ++r) {
    GraphResult result;
    ranks.barrier();
    if (method.on_all_ranks || ranks.rank() == 0) result = method.solve(problem);
    const double seconds = ranks.all_reduce(result.wall_seconds, Reduction::greatest);
    const double cpu_seconds = ranks.all_reduce(result.cpu_seconds, Reduction::greatest);
    if (r == 0 || seconds >= best.seconds) continue;
    best.seconds = seconds;
    best.cpu_seconds = cpu_seconds;
    best.parts = ranks.all_gather(std::span<const int>(result.parts)).values;
  }
  return best;
}

void compare(const Communicator& ranks, const Graph& graph, int parts,
             const std::vector<GraphMethod>& methods, const GraphOptions& options) {
  const GraphProblem whole = whole_problem(graph, parts, options);
  GraphProblem shared = whole;
  shared.ranks = &ranks;
  shared.first_rows.clear();
  for (int rank = 0; rank <= ranks.size(); ++rank)
    shared.first_rows.push_back(clouds::share_of(graph.vertices(), rank, ranks.size()).begin);
  const auto me = static_cast<std::size_t>(ranks.rank());
  const Graph mine = share_of(graph, shared.first_rows[me], shared.first_rows[me + 1]);
  shared.graph = &mine;
  First first_cut, first_seconds;
  for (const GraphMethod& method : methods) {
    if (!fits(method, graph)) continue;
    const Timed timed =
        fastest(ranks, method, method.on_all_ranks ? shared : whole, options.repetitions);
    if (ranks.rank() != 0) continue;
    const auto cut = static_cast<double>(graphs::cut_of(graph, {}, timed.parts));
    const auto loads = graphs::loads_of({}, timed.parts, parts);
    std::printf(
        "| %-7s | %3d | %d | %-16s | %7.0f | %5.3f | %6.4f | %d | %7.3f | %5.2f | %7.3f | %016llx "
        "|\n",
        graph.name.c_str(), parts, method.on_all_ranks ? ranks.size() : 1, method.name.c_str(), cut,
        first_cut.ratio(cut), graphs::lambda_of(loads), graphs::parts_without(loads), timed.seconds,
        first_seconds.ratio(timed.seconds), timed.cpu_seconds,
        static_cast<unsigned long long>(hash_of(timed.parts)));
    std::fflush(stdout);
  }
}

}  // namespace

void cut_on_ranks(const GraphOptions& options) {
  const Communicator ranks = Communicator::world();
  std::vector<GraphMethod> methods = methods_of(options);
  std::erase_if(methods, [](const GraphMethod& method) { return method.is_curve; });
  if (ranks.rank() == 0)
    std::printf(
        "Wall clock, fastest of %d.\n\n| graph | parts | ranks | method | cut | of first | lambda "
        "| "
        "empty | s | of first | CPU s | hash of parts "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        options.repetitions);
  for (const std::string& name : names_of_graphs(options, {"tri2d", "tet3d"})) {
    const Graph graph = graph_of(name, options);
    for (const int count : numbers_of_parts(options, {64}))
      compare(ranks, graph, count, methods, options);
  }
}

}  // namespace evenkeel::bench
