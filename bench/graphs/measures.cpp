#include "measures.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace evenkeel::bench::graphs {
namespace {

std::int64_t weight_at(std::span<const std::int64_t> weights, std::size_t i) {
  return weights.empty() ? 1 : weights[i];
}

}  // namespace

std::int64_t cut_of(const Graph& graph, std::span<const std::int64_t> edge_weights,
                    std::span<const int> parts) {
  std::int64_t twice = 0;
  for (std::size_t v = 0; v < parts.size(); ++v)
    for (auto e = static_cast<std::size_t>(graph.offsets[v]);
         e < static_cast<std::size_t>(graph.offsets[v + 1]); ++e)
      if (parts[static_cast<std::size_t>(graph.columns[e])] != parts[v])
        twice += weight_at(edge_weights, e);
  return twice / 2;
}

std::int64_t volume_of(const Graph& graph, std::span<const int> parts, int count) {
  std::vector<std::int64_t> last_met(static_cast<std::size_t>(count), -1);
  std::int64_t volume = 0;
  for (std::int64_t v = 0; v < graph.vertices(); ++v) {
    last_met[static_cast<std::size_t>(parts[static_cast<std::size_t>(v)])] = v;
    for (const std::int64_t other : graph.row(v)) {
      std::int64_t& last =
          last_met[static_cast<std::size_t>(parts[static_cast<std::size_t>(other)])];
      if (last != v) ++volume;
      last = v;
    }
  }
  return volume;
}

std::vector<std::int64_t> loads_of(std::span<const std::int64_t> weights,
                                   std::span<const int> parts, int count) {
  std::vector<std::int64_t> loads(static_cast<std::size_t>(count));
  for (std::size_t v = 0; v < parts.size(); ++v) {
    if (parts[v] < 0 || parts[v] >= count) fail("a vertex is in a part that does not exist");
    loads[static_cast<std::size_t>(parts[v])] += weight_at(weights, v);
  }
  return loads;
}

double lambda_of(std::span<const std::int64_t> loads) {
  const auto sum = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
  return static_cast<double>(std::ranges::max(loads)) * static_cast<double>(loads.size()) /
         static_cast<double>(sum);
}

double excess_of(std::span<const std::int64_t> loads, double lambda) {
  const auto sum =
      static_cast<double>(std::accumulate(loads.begin(), loads.end(), std::int64_t{0}));
  const double most = lambda * sum / static_cast<double>(loads.size());
  double excess = 0;
  for (const std::int64_t load : loads) excess += std::max(0.0, static_cast<double>(load) - most);
  return excess / sum;
}

int parts_without(std::span<const std::int64_t> weights_or_counts) {
  return static_cast<int>(std::ranges::count(weights_or_counts, 0));
}

double moved_share(std::span<const std::int64_t> weights, std::span<const int> before,
                   std::span<const int> after) {
  std::int64_t moved = 0, all = 0;
  for (std::size_t v = 0; v < after.size(); ++v) {
    all += weight_at(weights, v);
    if (before[v] != after[v]) moved += weight_at(weights, v);
  }
  return static_cast<double>(moved) / static_cast<double>(all);
}

std::vector<int> relabelled(std::span<const std::int64_t> weights, std::span<const int> before,
                            std::span<const int> after, int count) {
  const auto parts = static_cast<std::size_t>(count);
  std::vector<std::int64_t> shared(parts * parts);
  for (std::size_t v = 0; v < after.size(); ++v)
    shared[static_cast<std::size_t>(after[v]) * parts + static_cast<std::size_t>(before[v])] +=
        weight_at(weights, v);
  std::vector<std::size_t> pairs(shared.size());
  std::iota(pairs.begin(), pairs.end(), 0);
  std::ranges::stable_sort(pairs,
                           [&](std::size_t a, std::size_t b) { return shared[a] > shared[b]; });
  std::vector<int> name(parts, -1);
  std::vector<bool> is_taken(parts);
  for (const std::size_t pair : pairs) {
    const std::size_t is = pair / parts, was = pair % parts;
    if (name[is] >= 0 || is_taken[was]) continue;
    name[is] = static_cast<int>(was);
    is_taken[was] = true;
  }
  std::vector<int> result(after.begin(), after.end());
  for (int& part : result) part = name[static_cast<std::size_t>(part)];
  return result;
}

}  // namespace evenkeel::bench::graphs
