#pragma once

// Merges the rows of the members of each cluster into the row of the cluster.

#include "graph/levels/level.hpp"
#include "graph/levels/travel.hpp"

namespace evenkeel::graphs {

// For kernels. Members are the fine vertices, followed by the vertices that arrived.
struct Members {
  RowsView fine;
  const Vertex* coarse_of;
  const std::int64_t* arrived_offsets;
  const Vertex* arrived_columns;
  const TravellingEdge* arrived_edges;
  std::int64_t fine_count;
  const std::int64_t* offsets;
  const Vertex* members;

  KOKKOS_FUNCTION std::int64_t degree(Vertex member) const {
    if (member < fine_count) return fine.offsets[member + 1] - fine.offsets[member];
    const std::int64_t i = member - fine_count;
    return arrived_offsets[i + 1] - arrived_offsets[i];
  }
  // The greatest number of entries that the row of a cluster can have.
  KOKKOS_FUNCTION std::int64_t most_entries(std::int64_t cluster) const {
    std::int64_t most = 0;
    for (std::int64_t m = offsets[cluster]; m < offsets[cluster + 1]; ++m)
      most += degree(members[m]);
    return most;
  }
  // Calls visit(column, weight) for each edge of a cluster's members.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_edge(std::int64_t cluster, const Visit& visit) const {
    for (std::int64_t m = offsets[cluster]; m < offsets[cluster + 1]; ++m) {
      const Vertex member = members[m];
      if (member < fine_count) {
        for (std::int64_t e = fine.offsets[member]; e < fine.offsets[member + 1]; ++e)
          visit(coarse_of[fine.columns[e]], fine.weights[e]);
      } else {
        const std::int64_t i = member - fine_count;
        for (std::int64_t e = arrived_offsets[i]; e < arrived_offsets[i + 1]; ++e)
          visit(arrived_columns[e], arrived_edges[e].weight);
      }
    }
  }
};

struct MergeRoom {
  std::int64_t columns;  // number of clusters and of their ghosts
  std::int64_t entries;  // sum over all members
};

Rows merge_rows(const Space& space, const Members& members, std::int64_t clusters,
                const MergeRoom& most);

}  // namespace evenkeel::graphs
