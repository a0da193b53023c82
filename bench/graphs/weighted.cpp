#include "weighted.hpp"

#include <algorithm>

namespace evenkeel::bench::graphs {

namespace {

// Vertices in the order of their clusters; `offsets` says where each cluster begins.
struct Members {
  std::vector<std::int64_t> offsets, vertices;
};
Members members_of(std::span<const std::int64_t> cluster_of, std::int64_t count) {
  Members members;
  members.offsets.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const std::int64_t cluster : cluster_of)
    ++members.offsets[static_cast<std::size_t>(cluster) + 1];
  for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c)
    members.offsets[c + 1] += members.offsets[c];
  std::vector<std::int64_t> next(members.offsets.begin(), members.offsets.end() - 1);
  members.vertices.resize(cluster_of.size());
  for (std::size_t v = 0; v < cluster_of.size(); ++v)
    members.vertices[static_cast<std::size_t>(next[static_cast<std::size_t>(cluster_of[v])]++)] =
        static_cast<std::int64_t>(v);
  return members;
}

}  // namespace

WeightedGraph contracted(const WeightedGraph& fine, std::span<const std::int64_t> cluster_of,
                         std::int64_t count) {
  const Members members = members_of(cluster_of, count);
  WeightedGraph coarse;
  coarse.graph.name = fine.graph.name;
  coarse.graph.offsets.push_back(0);
  struct Neighbour {
    std::int64_t cluster, weight;
  };
  std::vector<Neighbour> others;
  for (std::int64_t c = 0; c < count; ++c) {
    others.clear();
    std::int64_t weight = 0;
    for (auto m = members.offsets[static_cast<std::size_t>(c)];
         m < members.offsets[static_cast<std::size_t>(c) + 1]; ++m) {
      const auto v = static_cast<std::size_t>(members.vertices[static_cast<std::size_t>(m)]);
      weight += fine.weights.empty() ? 1 : fine.weights[v];
      for (auto e = static_cast<std::size_t>(fine.graph.offsets[v]);
           e < static_cast<std::size_t>(fine.graph.offsets[v + 1]); ++e) {
        const std::int64_t to = cluster_of[static_cast<std::size_t>(fine.graph.columns[e])];
        if (to != c) others.push_back({to, fine.edge_weights.empty() ? 1 : fine.edge_weights[e]});
      }
    }
    std::ranges::sort(others, {}, &Neighbour::cluster);
    for (auto at = others.begin(); at != others.end();) {
      coarse.graph.columns.push_back(at->cluster);
      std::int64_t together = 0;
      const std::int64_t cluster = at->cluster;
      for (; at != others.end() && at->cluster == cluster; ++at) together += at->weight;
      coarse.edge_weights.push_back(together);
    }
    coarse.graph.offsets.push_back(std::ssize(coarse.graph.columns));
    coarse.weights.push_back(weight);
  }
  return coarse;
}

}  // namespace evenkeel::bench::graphs
