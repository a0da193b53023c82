// Parts by all ranks together: each has its share of the rows. Barrier to barrier on the slowest
// rank, beside METIS on one rank while the others wait.

#include "clouds.hpp"
#include "graph_modes.hpp"
#include "timing.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace evenkeel::bench {
namespace {

using graphs::Graph;

// A rank's rows; columns stay numbers of all vertices.
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
  std::vector<int> parts;  // of all rows
  double seconds = 0;
};

// For comparisons between runs on different numbers of ranks (FNV-1a).
std::uint64_t hash_of(std::span<const int> parts) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const int part : parts) hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x100000001b3;
  return hash;
}

// The fastest of `repetitions`, after one that warms up.
template <class Work>
double fastest_seconds(const Communicator& ranks, int repetitions, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int r = 0; r <= repetitions; ++r) {
    const double seconds = 1e-3 * slowest_milliseconds(ranks, work);
    if (r > 0) least = std::min(least, seconds);
  }
  return least;
}

Timed on_all_ranks(const Communicator& ranks, const GraphMethod& method,
                   const GraphProblem& problem, int repetitions) {
  GraphResult result;
  Timed timed;
  timed.seconds = fastest_seconds(ranks, repetitions, [&] { result = method.solve(problem); });
  timed.parts = ranks.all_gather(std::span<const int>(result.parts)).values;
  return timed;
}

Timed on_one_rank(const Communicator& ranks, const GraphMethod& method, const GraphProblem& problem,
                  int repetitions) {
  Timed timed;
  timed.parts.resize(static_cast<std::size_t>(problem.graph->vertices()));
  timed.seconds = fastest_seconds(ranks, repetitions, [&] {
    if (ranks.rank() == 0) timed.parts = method.solve(problem).parts;
  });
  ranks.broadcast(std::span(timed.parts), 0);
  return timed;
}

void compare(const Communicator& ranks, const Graph& graph, int parts,
             const std::vector<GraphMethod>& methods, const GraphOptions& options) {
  const GraphProblem whole = whole_problem(graph, parts, options);
  GraphProblem shared = whole;
  shared.first_rows.clear();
  for (int rank = 0; rank <= ranks.size(); ++rank)
    shared.first_rows.push_back(clouds::share_of(graph.vertices(), rank, ranks.size()).begin);
  const auto me = static_cast<std::size_t>(ranks.rank());
  const Graph mine = share_of(graph, shared.first_rows[me], shared.first_rows[me + 1]);
  shared.graph = &mine;
  double first_cut = 0, first_seconds = 0;
  for (const GraphMethod& method : methods) {
    if (!fits(method, graph)) continue;
    const Timed timed = method.on_all_ranks
                            ? on_all_ranks(ranks, method, shared, options.repetitions)
                            : on_one_rank(ranks, method, whole, options.repetitions);
    if (ranks.rank() != 0) continue;
    const auto cut = static_cast<double>(graphs::cut_of(graph, {}, timed.parts));
    if (first_cut == 0) {
      first_cut = cut;
      first_seconds = timed.seconds;
    }
    const auto loads = graphs::loads_of({}, timed.parts, parts);
    std::printf(
        "| %-7s | %3d | %d | %-16s | %7.0f | %5.3f | %6.4f | %d | %7.3f | %5.2f | %016llx |\n",
        graph.name.c_str(), parts, method.on_all_ranks ? ranks.size() : 1, method.name.c_str(), cut,
        cut / first_cut, graphs::lambda_of(loads), graphs::parts_without(loads), timed.seconds,
        timed.seconds / first_seconds, static_cast<unsigned long long>(hash_of(timed.parts)));
    std::fflush(stdout);
  }
}

}  // namespace

void cut_on_ranks(const GraphOptions& options) {
  const Communicator ranks = Communicator::world();
  const std::vector<std::string> names =
      options.graphs.empty() ? std::vector<std::string>{"tri2d", "tet3d"} : options.graphs;
  const std::vector<int> parts = options.parts.empty() ? std::vector{64} : options.parts;
  std::vector<GraphMethod> methods = methods_of(options);
  std::erase_if(methods, [](const GraphMethod& method) {
    return method.goes_on_from_old || (!method.on_all_ranks && method.name != graph_baseline);
  });
  if (ranks.rank() == 0)
    std::printf(
        "Wall clock, fastest of %d.\n\n| graph | parts | ranks | method | cut | of first | lambda "
        "| "
        "empty | s | of first | hash of parts |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        options.repetitions);
  for (const std::string& name : names) {
    const Graph graph = graph_of(name, options);
    for (const int count : parts) compare(ranks, graph, count, methods, options);
  }
}

}  // namespace evenkeel::bench
