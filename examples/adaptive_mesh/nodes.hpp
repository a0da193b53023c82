#pragma once

// The nodes of a rank: vertices of the mesh with a column of water below each. This file has their
// arrays, finds their neighbours, and adds and removes nodes as the mesh follows the front.

#include <evenkeel/evenkeel.hpp>
#include <evenkeel/stages.hpp>

#include "mesh.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ek = evenkeel;

using Vectors = Kokkos::View<double* [2], Kokkos::LayoutRight>;
using Integers = Kokkos::View<std::int64_t*>;
using Numbers = Kokkos::View<double*>;
using Flags = Kokkos::View<int*>;

constexpr int most_layers = 40;

// The number of layers, by the depth below a place: a basin in the middle of one side, and shelves.
KOKKOS_INLINE_FUNCTION int layers_at(Point at) {
  double place[2];
  Mesh::unbent(at, place);
  const double across = 2 * place[1] - 1, deep = 1 - across * across;
  const double along = place[0] * (2 - place[0]);
  return 1 + static_cast<int>((most_layers - 1) * (0.15 + 0.85 * along * along * deep));
}

// The means that keep borders away from poor elements.
enum class Guard : int {
  marks,    // edges that must not be cut, and costs of cutting the others
  weights,  // only the costs
  none
};

// The first `owned` nodes belong to this rank. Behind them are the ghosts: neighbours on other
// ranks.
struct Nodes {
  Mesh mesh;
  Vectors x = {};                  // after bending
  Integers id = {};                // of vertices
  Integers first = {}, ring = {};  // ids of neighbours, which turn left; node i begins at first(i)
  Integers first_layer = {};       // the layers of node i begin here in `tracer`
  Numbers tracer = {};             // of each layer, from the surface down
  std::int64_t owned = 0;

  // The arrays below are rebuilt after each move and each change of the mesh. For each node:
  Numbers layers = {}, poorest = {};  // the count; the quality of the poorest element at a node
  Flags at_border = {};               // 1 if a neighbour is on another rank
  // The arrays below have one value for each entry of the ring.
  Flags near = {};           // the index of the neighbour among owned nodes and ghosts
  Numbers quality = {};      // of the element with this neighbour and the next; 2 if it is missing
  Numbers edge_weight = {};  // the cost of cutting this edge
  Flags uncuttable = {};
  // The columns of ghosts, and the columns that this rank sends.
  Integers first_ghost_layer = {}, first_sent_layer = {};
  Numbers ghost_tracer = {}, sent_tracer = {};

  std::size_t extent() const { return static_cast<std::size_t>(owned); }

  // The arrays that move together, without ghosts.
  ek::Carried cargo() { return ek::carry(id, ek::csr(first, ring), ek::csr(first_layer, tracer)); }
  ek::SetOptions set_options() { return {.count = &owned, .key = id, .reserve = 1.5}; }

  // The graph names neighbours by their ids, which do not change when nodes move.
  ek::Graph graph(Guard guard, const ek::NumberSource& weight = {}) const {
    ek::GraphOptions about{.count = owned, .id = id, .weight = weight};
    if (guard != Guard::none) about.edge_weight = edge_weight;
    if (guard == Guard::marks) about.uncuttable = uncuttable;
    return ek::graph(first, ring, about);
  }
};

// The first index of each node, by the count of each node; and behind them the sum of all counts.
inline Integers firsts_of(const Integers& counts) {
  Integers first("first", counts.extent(0) + 1);
  const auto count = static_cast<std::int64_t>(counts.extent(0));
  Kokkos::parallel_scan(
      "firsts", count + 1, KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum, bool last) {
        if (last) first(i) = sum;
        if (i < count) sum += counts(i);
      });
  return first;
}
inline std::int64_t end_of(const Integers& first) {
  std::int64_t end = 0;
  if (first.extent(0) > 0) Kokkos::deep_copy(end, Kokkos::subview(first, first.extent(0) - 1));
  return end;
}

// --- The mesh around nodes -----------------------------------------------------------------------

inline void find_rings(Nodes& nodes) {
  const Kokkos::View<std::int64_t* [8], Kokkos::LayoutRight> found("found", nodes.extent());
  const Integers counts("counts", nodes.extent()), id = nodes.id;
  const Mesh mesh = nodes.mesh;
  Kokkos::parallel_for(
      "rings", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        Point ring[8];
        counts(i) = mesh.find_ring(Point::of(id(i)), ring);
        for (std::int64_t k = 0; k < counts(i); ++k) found(i, k) = ring[k].id();
      });
  const Integers first = firsts_of(counts), ring("ring", end_of(first));
  Kokkos::parallel_for(
      "pack rings", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        for (std::int64_t k = 0; k < counts(i); ++k) ring(first(i) + k) = found(i, k);
      });
  Kokkos::fence();
  nodes.first = first;
  nodes.ring = ring;
}

inline Integers layers_of(const Integers& id, std::int64_t begin, std::int64_t end) {
  Integers counts("layers", end - begin);
  Kokkos::parallel_for(
      "layers", end - begin,
      KOKKOS_LAMBDA(std::int64_t i) { counts(i) = layers_at(Point::of(id(begin + i))); });
  return counts;
}

// Point k of the finest grid. Points are numbered row by row.
constexpr std::int64_t points_across = Mesh::width + 1;
KOKKOS_INLINE_FUNCTION Point point_at(std::int64_t k) {
  return {static_cast<int>(k % points_across), static_cast<int>(k / points_across)};
}

// Every rank makes the nodes in its share of the rows of the finest grid.
inline Nodes make_nodes(const ek::Communicator& ranks, const Mesh& mesh) {
  const auto first_of = [&](int rank) {
    return points_across * rank / ranks.size() * points_across;
  };
  const std::int64_t begin = first_of(ranks.rank()), end = first_of(ranks.rank() + 1);
  const Integers is_there("is there", end - begin);
  Kokkos::parallel_for(
      "vertices", end - begin,
      KOKKOS_LAMBDA(std::int64_t k) { is_there(k) = mesh.has(point_at(begin + k)) ? 1 : 0; });
  const Integers place = firsts_of(is_there), id("id", end_of(place));
  Kokkos::parallel_for(
      "nodes", end - begin, KOKKOS_LAMBDA(std::int64_t k) {
        if (is_there(k) != 0) id(place(k)) = point_at(begin + k).id();
      });
  Nodes nodes{.mesh = mesh, .x = Vectors("x", id.extent(0)), .id = id};
  nodes.owned = static_cast<std::int64_t>(id.extent(0));
  nodes.first_layer = firsts_of(layers_of(id, 0, nodes.owned));
  nodes.tracer = Numbers("tracer", end_of(nodes.first_layer));
  const Integers first_layer = nodes.first_layer;
  const Numbers tracer = nodes.tracer;
  Kokkos::parallel_for(
      "tracer", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        double at[2];
        Mesh::unbent(Point::of(id(i)), at);
        for (std::int64_t k = first_layer(i); k < first_layer(i + 1); ++k) {
          const double depth = static_cast<double>(k - first_layer(i)) / most_layers;
          tracer(k) = (1 - depth) * (0.2 + 0.3 * at[0] * at[1]);
        }
      });
  find_rings(nodes);
  return nodes;
}

// --- The mesh of the next front ------------------------------------------------------------------

// The nodes of this rank in the next mesh, in the order of the old nodes that they come from. If
// from[k][0] = from[k][1], node k is this old node. Otherwise node k is new, in the middle between
// the two. from[k][1] may be a ghost.
using Origins = Kokkos::View<int* [2], Kokkos::LayoutRight>;

// A new vertex is the midpoint of an edge. It belongs to the rank that owns the end of the edge
// with the lower id. The other end is a neighbour of that end, so ranks need no communication.
KOKKOS_INLINE_FUNCTION bool is_born(const Mesh& next, std::int64_t id, std::int64_t neighbour) {
  const Point one = Point::of(id), other = Point::of(neighbour);
  return id < neighbour && has_middle(one, other) && next.has(middle_of(one, other));
}
inline Origins find_origins(const Nodes& nodes, const Mesh& next) {
  const Integers counts("counts", nodes.extent());
  const Integers id = nodes.id, first = nodes.first, ring = nodes.ring;
  const Flags near = nodes.near;
  Kokkos::parallel_for(
      "count the next", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        counts(i) = next.has(Point::of(id(i))) ? 1 : 0;
        for (std::int64_t e = first(i); e < first(i + 1); ++e)
          counts(i) += is_born(next, id(i), ring(e)) ? 1 : 0;
      });
  const Integers place = firsts_of(counts);
  Origins from("from", end_of(place));
  Kokkos::parallel_for(
      "the next", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        std::int64_t to = place(i);
        if (next.has(Point::of(id(i)))) from(to++, 1) = static_cast<int>(i);
        for (std::int64_t e = first(i); e < first(i + 1); ++e)
          if (is_born(next, id(i), ring(e))) from(to++, 1) = near(e);
        for (std::int64_t k = place(i); k < to; ++k) from(k, 0) = static_cast<int>(i);
      });
  return from;
}

// The columns of owned nodes and ghosts.
struct ColumnsView {
  Integers first_layer, first_ghost_layer;
  Numbers tracer, ghost_tracer;
  std::int64_t owned;

  explicit ColumnsView(const Nodes& nodes)
      : first_layer(nodes.first_layer),
        first_ghost_layer(nodes.first_ghost_layer),
        tracer(nodes.tracer),
        ghost_tracer(nodes.ghost_tracer),
        owned(nodes.owned) {}
  KOKKOS_INLINE_FUNCTION const double* of(std::int64_t i) const {
    return i < owned ? &tracer(first_layer(i)) : &ghost_tracer(first_ghost_layer(i - owned));
  }
  KOKKOS_INLINE_FUNCTION int layers(std::int64_t i) const {
    return static_cast<int>(i < owned
                                ? first_layer(i + 1) - first_layer(i)
                                : first_ghost_layer(i + 1 - owned) - first_ghost_layer(i - owned));
  }
};

// Continues with the next mesh. Ghosts must be up to date. A new column is the mean of the columns
// at both ends of its edge. Below the bottom of one of these, the value of its last layer counts.
inline void adapt(Nodes& nodes, const Mesh& next) {
  const Origins from = find_origins(nodes, next);
  const auto count = static_cast<std::int64_t>(from.extent(0));
  const Integers old_id = nodes.id, id("id", count);
  Kokkos::parallel_for(
      "ids", count, KOKKOS_LAMBDA(std::int64_t k) {
        const Point one = Point::of(old_id(from(k, 0))), other = Point::of(old_id(from(k, 1)));
        id(k) = middle_of(one, other).id();
      });
  const Integers first_layer = firsts_of(layers_of(id, 0, count));
  const Numbers tracer("tracer", end_of(first_layer));
  const ColumnsView old(nodes);
  Kokkos::parallel_for(
      "columns", count, KOKKOS_LAMBDA(std::int64_t i) {
        const double *one = old.of(from(i, 0)), *other = old.of(from(i, 1));
        const int bottom = old.layers(from(i, 0)) - 1, other_bottom = old.layers(from(i, 1)) - 1;
        const auto layers = static_cast<int>(first_layer(i + 1) - first_layer(i));
        for (int k = 0; k < layers; ++k)
          tracer(first_layer(i) + k) =
              0.5 * (one[k < bottom ? k : bottom] + other[k < other_bottom ? k : other_bottom]);
      });
  Kokkos::fence();
  nodes.mesh = next;
  nodes.x = Vectors("x", count);
  nodes.id = id;
  nodes.first_layer = first_layer;
  nodes.tracer = tracer;
  nodes.owned = count;
  find_rings(nodes);
}

// --- Ghosts --------------------------------------------------------------------------------------

// The neighbours that are on other ranks.
inline Integers foreign_of(const Integers& ring, const Flags& near) {
  const Integers list("foreign", ring.extent(0));
  int found = 0;
  Kokkos::parallel_scan(
      "foreign", ring.extent(0),
      KOKKOS_LAMBDA(std::int64_t e, int& sum, bool last) {
        if (near(e) >= 0) return;
        if (last) list(sum) = ring(e);
        ++sum;
      },
      found);
  return Kokkos::subview(list, std::pair(0, found));
}

// Makes room for the columns of ghosts, and for those that are ghosts on other ranks.
inline void make_room_for_columns(const ek::Halo& halo, Nodes& nodes) {
  nodes.first_ghost_layer =
      firsts_of(layers_of(nodes.id, halo.owned(), halo.owned() + halo.ghosts()));
  const Integers sent("sent", static_cast<std::size_t>(halo.objects().size()));
  const Integers first_layer = nodes.first_layer;
  const std::int64_t* const objects = halo.objects().data();
  Kokkos::parallel_for(
      "sent", sent.extent(0), KOKKOS_LAMBDA(std::int64_t k) {
        sent(k) = first_layer(objects[k] + 1) - first_layer(objects[k]);
      });
  nodes.first_sent_layer = firsts_of(sent);
  nodes.ghost_tracer = Numbers("ghosts", end_of(nodes.first_ghost_layer));
  nodes.sent_tracer = Numbers("sent", end_of(nodes.first_sent_layer));
}

// Collective. Call this after a move and after a change of the mesh. Finds the ghosts, the indices
// of neighbours, and the places of all nodes.
inline ek::Halo connect(const ek::Communicator& ranks, const ek::Domains& domains, Nodes& nodes) {
  Flags near("near", nodes.ring.extent(0));
  ek::LocalIds(nodes.id, nodes.owned).write_indices(nodes.ring, near);
  const ek::IdDirectory directory(ranks, nodes.id, nodes.owned);
  const Integers foreign = foreign_of(nodes.ring, near);
  ek::Halo halo = ek::Halo::around_ids(ranks, domains, directory, foreign, nodes.owned);
  halo.make_room(ek::set(nodes.x, ek::carry(nodes.id), {.count = &nodes.owned}));
  halo.exchange(ek::carry(nodes.id));
  const std::int64_t all = halo.owned() + halo.ghosts(), owned = nodes.owned;
  ek::LocalIds(nodes.id, all).write_indices(nodes.ring, near);
  nodes.near = near;
  make_room_for_columns(halo, nodes);

  const Numbers layers("layers", nodes.extent());
  const Integers id = nodes.id, first_layer = nodes.first_layer;
  const Vectors x = nodes.x;
  const Mesh mesh = nodes.mesh;
  Kokkos::parallel_for(
      "places", all, KOKKOS_LAMBDA(std::int64_t i) {
        double place[2];
        mesh.place_of(Point::of(id(i)), place);
        x(i, 0) = place[0];
        x(i, 1) = place[1];
        if (i < owned) layers(i) = static_cast<double>(first_layer(i + 1) - first_layer(i));
      });
  Kokkos::fence();
  nodes.layers = layers;
  return halo;
}

// Collective. Updates the columns of ghosts.
inline void exchange_columns(const ek::Communicator& ranks, const ek::Halo& halo, Nodes& nodes) {
  const Integers first_layer = nodes.first_layer, first_sent = nodes.first_sent_layer;
  const Numbers tracer = nodes.tracer, sent = nodes.sent_tracer;
  const std::int64_t* const objects = halo.objects().data();
  Kokkos::parallel_for(
      "send", halo.objects().size(), KOKKOS_LAMBDA(std::int64_t k) {
        for (std::int64_t l = first_sent(k); l < first_sent(k + 1); ++l)
          sent(l) = tracer(first_layer(objects[k]) + l - first_sent(k));
      });
  const Kokkos::HostSpace host;
  const auto send_at = Kokkos::create_mirror_view_and_copy(host, first_sent);
  const auto receive_at = Kokkos::create_mirror_view_and_copy(host, nodes.first_ghost_layer);
  constexpr ek::MemoryKind kind = ek::memory_kind_of<Numbers::memory_space>();
  constexpr auto bytes_between = [](const auto& first, const ek::Parcel& parcel) {
    return static_cast<std::int64_t>(sizeof(double)) *
           (first(parcel.first + parcel.objects) - first(parcel.first));
  };
  std::vector<ek::stages::Send> sends;
  for (const ek::Parcel& to : halo.exports())
    sends.push_back({to.rank, sent.data() + send_at(to.first), bytes_between(send_at, to), kind});
  std::vector<ek::stages::Receive> receives;
  for (const ek::Parcel& from : halo.imports())
    receives.push_back({from.rank, nodes.ghost_tracer.data() + receive_at(from.first),
                        bytes_between(receive_at, from), kind});
  Kokkos::fence();
  std::optional<ek::stages::Transfer> transfer;
  ek::stages::vote(ranks, ek::stages::attempt("columns", [&] {
                     transfer.emplace(ek::Space::where(kind), ranks, sends, receives);
                   }));
  transfer->run();
}
