#pragma once

// The quality of elements, and its effect on the graph of nodes. The poorer the poorest element at
// either end of an edge is, the more a cut of this edge costs. Edges at poor elements must not be
// cut. So no node of a poor element has a neighbour on another rank, and a later step that improves
// elements finds all surroundings of a poor one on one rank.

#include "nodes.hpp"

#include <algorithm>

constexpr double poor = 0.2;      // elements of lower quality are poor
constexpr double no_element = 2;  // beyond the boundary; better than any element

// The quality of the element of a node, a neighbour in its ring, and the next neighbour. The corner
// with the least id comes first, so that the quality is the same to the bit for all its nodes.
KOKKOS_INLINE_FUNCTION double element_quality(const Vectors& x, const Integers& id, std::int64_t a,
                                              std::int64_t b, std::int64_t c) {
  while (id(a) > id(b) || id(a) > id(c)) {
    const std::int64_t last = a;
    a = b;
    b = c;
    c = last;
  }
  return quality_of(&x(a, 0), &x(b, 0), &x(c, 0));
}

// The entry behind this one in the ring of node i. Behind the last entry comes the first if the
// ring is closed, and -1 if it is not.
KOKKOS_INLINE_FUNCTION std::int64_t next_entry(const Integers& id, const Integers& first,
                                               std::int64_t i, std::int64_t entry) {
  if (entry + 1 < first(i + 1)) return entry + 1;
  return Mesh::is_at_boundary(Point::of(id(i))) ? -1 : first(i);
}

inline void find_quality(Nodes& nodes, std::int64_t ghosts) {
  const Integers id = nodes.id, first = nodes.first;
  const Vectors x = nodes.x;
  const Flags near = nodes.near, at_border("at border", nodes.extent());
  const Numbers quality("quality", nodes.ring.extent(0));
  const Numbers poorest("poorest", static_cast<std::size_t>(nodes.owned + ghosts));
  const std::int64_t owned = nodes.owned;
  Kokkos::parallel_for(
      "quality", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        poorest(i) = no_element;
        for (std::int64_t e = first(i); e < first(i + 1); ++e) {
          const std::int64_t next = next_entry(id, first, i, e);
          quality(e) = next < 0 ? no_element : element_quality(x, id, i, near(e), near(next));
          poorest(i) = quality(e) < poorest(i) ? quality(e) : poorest(i);
          if (near(e) >= owned) at_border(i) = 1;
        }
      });
  Kokkos::fence();
  nodes.quality = quality;
  nodes.poorest = poorest;
  nodes.at_border = at_border;
}

// Collective. Call this after connect(). Finds qualities and the weights and marks of edges.
inline void judge(ek::Halo& halo, Nodes& nodes) {
  find_quality(nodes, halo.ghosts());
  halo.exchange(ek::carry(nodes.poorest));
  const Integers first = nodes.first;
  const Flags near = nodes.near, uncuttable("uncuttable", nodes.ring.extent(0));
  const Numbers poorest = nodes.poorest, edge_weight("edge weight", nodes.ring.extent(0));
  Kokkos::parallel_for(
      "edges", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        for (std::int64_t e = first(i); e < first(i + 1); ++e) {
          const double other = poorest(near(e)), least = other < poorest(i) ? other : poorest(i);
          edge_weight(e) = 1 / least;
          uncuttable(e) = least < poor ? 1 : 0;
        }
      });
  Kokkos::fence();
  nodes.edge_weight = edge_weight;
  nodes.uncuttable = uncuttable;
}

// Counts over all ranks. The rank that has the node with the least id counts an element. An element
// is at a border if one of its nodes has a neighbour on another rank.
struct ElementCount {
  std::int64_t elements = 0, poor = 0, poor_at_border = 0, nodes = 0, least_nodes = 0;
};

inline std::int64_t count_elements(const Nodes& nodes, double below, bool only_at_border) {
  const Integers id = nodes.id, first = nodes.first;
  const Flags near = nodes.near, at_border = nodes.at_border;
  const Numbers quality = nodes.quality;
  const std::int64_t owned = nodes.owned;
  std::int64_t found = 0;
  Kokkos::parallel_reduce(
      "count", nodes.owned,
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum) {
        for (std::int64_t e = first(i); e < first(i + 1); ++e) {
          if (quality(e) >= below) continue;
          const std::int64_t one = near(e), other = near(next_entry(id, first, i, e));
          if (id(one) < id(i) || id(other) < id(i)) continue;
          const bool inside = one < owned && other < owned && at_border(i) == 0 &&
                              at_border(one) == 0 && at_border(other) == 0;
          if (!only_at_border || !inside) ++sum;
        }
      },
      found);
  return found;
}

// Collective.
inline ElementCount count_of(const ek::Communicator& ranks, const Nodes& nodes) {
  std::int64_t sums[] = {count_elements(nodes, no_element, false),
                         count_elements(nodes, poor, false), count_elements(nodes, poor, true),
                         nodes.owned};
  ranks.all_reduce(std::span<std::int64_t>(sums), ek::Reduction::sum);
  return {sums[0], sums[1], sums[2], sums[3], ranks.all_reduce(nodes.owned, ek::Reduction::least)};
}
