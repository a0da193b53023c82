// In each round, each vertex without a partner chooses its best neighbour that has no partner
// either. Two vertices that choose each other become a pair. Each vertex decides only about itself,
// from its values and those of its neighbours, so ranks exchange only values of ghosts.
//
// The rating of a neighbour is (edge weight)^2 / (weight of the neighbour), because heavy edges
// between light vertices should vanish first. If ratings are equal, the greater hash of the two
// names wins; it is the same at both ends of an edge.

#include "graph/levels/cluster.hpp"
#include "graph/stage.hpp"

#include "graph/levels/vertex_list.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <limits>

namespace evenkeel::graphs {

namespace {

constexpr const char* cluster_label = "evenkeel::graph::cluster";
constexpr Address nobody = std::numeric_limits<Address>::max();

constexpr int rounds = 4;

// --- Vertices and ghosts -------------------------------------------------------------------------

// The values of vertices and ghosts, for kernels.
struct Scene {
  RowsView rows;
  const std::int64_t* weights;
  const std::uint64_t* names;
  const int* homes;  // may be null
  const int* fixed;  // may be null
  const int* parts;  // may be null
  const Address* ghosts;
  std::int64_t owned;
  int constraints, rank;
  std::int64_t heaviest[most_constraints];
  std::uint64_t salt;

  KOKKOS_FUNCTION Address address(Vertex v) const {
    return v < owned ? address_of(rank, v) : ghosts[v - owned];
  }
  KOKKOS_FUNCTION const std::int64_t* weights_of(Vertex v) const {
    return weights + static_cast<std::int64_t>(v) * constraints;
  }
  // Adds the weights in all constraints; this is fair, because all constraints have about the same
  // total.
  KOKKOS_FUNCTION double mass(Vertex v) const {
    const std::int64_t* const mine = weights_of(v);
    std::int64_t sum = mine[0];
    if (constraints > 1) {
      sum = 0;
      // at most 8 constraints; their sum must not overflow
      for (int c = 0; c < constraints; ++c) sum += mine[c] >> 3;
    }
    return sum > 0 ? static_cast<double>(sum) : 1.0;
  }
  // Returns true if `there` plus `times` the weight of v is within the limit, in each constraint.
  KOKKOS_FUNCTION bool fits(const std::int64_t* there, Vertex v, int times) const {
    for (int c = 0; c < constraints; ++c)
      if (weights_of(v)[c] > (heaviest[c] - there[c]) / times) return false;
    return true;
  }
  KOKKOS_FUNCTION bool may_meet(Vertex v, Vertex u) const {
    return (homes == nullptr || homes[v] == homes[u]) &&
           (fixed == nullptr || fixed[v] == fixed[u]) && (parts == nullptr || parts[v] == parts[u]);
  }
  KOKKOS_FUNCTION std::uint64_t tie(std::uint64_t name, std::uint64_t other) const {
    return (name ^ other) * salt;
  }
  KOKKOS_FUNCTION double rating(EdgeUnits edge, Vertex u) const {
    return static_cast<double>(edge) * static_cast<double>(edge) / mass(u);
  }
};

// The neighbour with the best rating so far.
struct BestNeighbour {
  Vertex vertex = -1;
  double rating = 0;
  std::uint64_t tie = 0;
  KOKKOS_FUNCTION void offer(Vertex candidate, double its_rating, std::uint64_t its_tie) {
    if (vertex >= 0 && (its_rating < rating || (its_rating == rating && its_tie <= tie))) return;
    vertex = candidate;
    rating = its_rating;
    tie = its_tie;
  }
};

// --- Pairs ---------------------------------------------------------------------------------------

// Two values of a vertex that its neighbours read. They are adjacent in memory, so one access reads
// both; neighbours are at random places.
struct Appeal {
  double value;  // rating of an edge of weight 1 to the vertex; 0 if the vertex has a partner
  std::uint64_t name;
};
struct Appraise {
  Scene scene;
  Appeal* appeals;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    appeals[v] = {1 / scene.mass(static_cast<Vertex>(v)), scene.names[v]};
  }
};

// Counts vertices that weigh more than half of the limit of a cluster.
struct IsTooHeavy {
  Scene scene;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    const auto vertex = static_cast<Vertex>(v);
    return scene.fits(scene.weights_of(vertex), vertex, 1) ? 0 : 1;
  }
};

// The neighbour with the best rating so far. There are no branches, because no processor can
// predict which neighbour is best.
struct BestAlone {
  Vertex vertex = -1;
  double rating = 0;
  std::uint64_t tie = std::numeric_limits<std::uint64_t>::max();
  KOKKOS_FUNCTION void offer(Vertex candidate, double its_rating, std::uint64_t its_tie,
                             bool may_be) {
    const bool is_better =
        may_be & ((its_rating > rating) | ((its_rating == rating) & (its_tie > tie)));
    vertex = is_better ? candidate : vertex;
    rating = is_better ? its_rating : rating;
    tie = is_better ? its_tie : tie;
  }
};

// If `all_fit` is set, any two vertices together are within the limit of a cluster.
template <bool all_fit>
struct WishToPair {
  Scene scene;
  const Appeal* appeals;
  const Vertex* alone;
  Vertex* targets;
  Address* wishes;
  bool is_first;  // true in the first round
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = alone[i];
    // The set of vertices without a partner only shrinks, so the best one in it stays the best.
    if (!is_first && appeals[targets[v]].value > 0) return;
    const std::uint64_t name = scene.names[v];
    BestAlone best;
    for (std::int64_t e = scene.rows.offsets[v]; e < scene.rows.offsets[v + 1]; ++e) {
      const Vertex u = scene.rows.columns[e];
      const auto edge = static_cast<double>(scene.rows.weights[e]);
      const Appeal its = appeals[u];
      best.offer(u, edge * edge * its.value, scene.tie(name, its.name),
                 (all_fit || scene.fits(scene.weights_of(v), u, 1)) && scene.may_meet(v, u));
    }
    targets[v] = best.vertex;
    wishes[v] = best.vertex < 0 ? nobody : scene.address(best.vertex);
  }
};

template <class Instance>
struct Pair {
  const Vertex* alone;
  const Vertex* targets;
  const Address* wishes;
  int rank;
  Address* partners;
  Appeal* appeals;
  Appender<Instance> undecided;  // they have no partner, and their best neighbour had no partner
                                 // before this round
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = alone[i], u = targets[v];
    if (u < 0) return;
    if (wishes[u] == address_of(rank, v)) {
      partners[v] = wishes[v];
      appeals[v].value = 0;
    } else {
      undecided(v);
    }
  }
};

struct FollowGhostAppeals {
  const Address* partners;
  std::int64_t owned;
  Appeal* appeals;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    if (partners[owned + g] != nobody) appeals[owned + g].value = 0;
  }
};

// The vertex with the lesser name leads the pair.
template <class Instance>
struct LeadPairs {
  Scene scene;
  const Address* partners;
  const Vertex* targets;
  Address* leaders;
  std::int64_t* joint;  // weights of the cluster, by constraint
  Appender<Instance> alone;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    const bool is_pair = partners[v] != nobody;
    const Vertex u = is_pair ? targets[v] : v;
    leaders[v] = scene.names[u] < scene.names[v] ? partners[v] : address_of(scene.rank, v);
    for (int c = 0; c < scene.constraints; ++c)
      joint[i * scene.constraints + c] =
          scene.weights_of(v)[c] + (is_pair ? scene.weights_of(u)[c] : 0);
    if (!is_pair) alone(v);
  }
};

// --- Single vertices join pairs ------------------------------------------------------------------

// Each of the two vertices of a pair may get a single vertex. Both joins are decided independently,
// so there must be room for twice the weight of the vertex that joins.
struct WishToJoin {
  Scene scene;
  const Address* partners;
  const std::int64_t* joint;
  const Vertex* alone;
  Vertex* targets;
  Address* wishes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = alone[i];
    BestNeighbour best;
    for (std::int64_t e = scene.rows.offsets[v]; e < scene.rows.offsets[v + 1]; ++e) {
      const Vertex u = scene.rows.columns[e];
      if (partners[u] == nobody || !scene.may_meet(v, u) ||
          !scene.fits(joint + static_cast<std::int64_t>(u) * scene.constraints, v, 2))
        continue;
      best.offer(u, scene.rating(scene.rows.weights[e], u),
                 scene.tie(scene.names[v], scene.names[u]));
    }
    targets[v] = best.vertex;
    wishes[v] = best.vertex < 0 ? nobody : scene.address(best.vertex);
  }
};

// Lists each owned vertex that other vertices wish to join. Each is listed once.
template <class Instance>
struct ListWanted {
  const Address* wishes;
  int rank;
  int* is_wanted;
  Appender<Instance> wanted;
  KOKKOS_FUNCTION void take(Address wish) const {
    if (wish == nobody || rank_of(wish) != rank) return;
    const Vertex u = index_of(wish);
    if (add<Instance>(&is_wanted[u], 1) == 0) wanted(u);
  }
};
template <class Instance>
struct ListWantedByOwned {
  ListWanted<Instance> list;
  const Vertex* alone;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { list.take(list.wishes[alone[i]]); }
};
template <class Instance>
struct ListWantedByGhosts {
  ListWanted<Instance> list;
  std::int64_t owned;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { list.take(list.wishes[owned + i]); }
};

struct Accept {
  Scene scene;
  const Address* wishes;
  const Vertex* wanted;
  Address* accepted;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex u = wanted[i];
    const Address self = address_of(scene.rank, u);
    BestNeighbour best;
    for (std::int64_t e = scene.rows.offsets[u]; e < scene.rows.offsets[u + 1]; ++e) {
      const Vertex v = scene.rows.columns[e];
      if (wishes[v] == self)
        best.offer(v, scene.rating(scene.rows.weights[e], v),
                   scene.tie(scene.names[v], scene.names[u]));
    }
    accepted[u] = best.vertex < 0 ? nobody : scene.address(best.vertex);
  }
};

template <class Instance>
struct JoinPair {
  const Vertex* alone;
  const Vertex* targets;
  const Address* accepted;
  int rank;
  Address* leaders;
  Appender<Instance> still_alone;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = alone[i], u = targets[v];
    if (u >= 0 && accepted[u] == address_of(rank, v))
      leaders[v] = leaders[u];
    else
      still_alone(v);
  }
};

// --- All together --------------------------------------------------------------------------------

struct Matching {
  exec::Array<Address> partners, wishes, leaders, accepted;
  exec::Array<Vertex> targets;
  exec::Array<std::int64_t> joint;
  exec::Array<Appeal> appeals;
  exec::Array<int> is_wanted;
  VertexList alone, next, wanted;
  bool all_fit = false;
};

template <class T>
void fill(const Space& space, const exec::Array<T>& values, T value) {
  exec::for_each(space, cluster_label, values.size(), exec::Fill<T>{values.data(), value});
}

Matching matching_for(const Level& level) {
  const Space& space = level.space;
  const std::int64_t local = level.local();
  Matching matching{
      {space, cluster_label, local},       {space, cluster_label, local},
      {space, cluster_label, local},       {space, cluster_label, local},
      {space, cluster_label, level.owned}, {space, cluster_label, local * level.constraints},
      {space, cluster_label, local},       {space, cluster_label, level.owned},
      VertexList(space, level.owned),      VertexList(space, level.owned),
      VertexList(space, level.owned)};
  fill(space, matching.partners, nobody);
  fill(space, matching.wishes, nobody);
  fill(space, matching.is_wanted, 0);
  return matching;
}

template <class Instance>
struct ListAll {
  Appender<Instance> list;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { list(static_cast<Vertex>(v)); }
};

template <class Instance>
struct Rounds {
  const Instance& instance;
  const Level& level;
  Scene scene;
  Matching& all;

  void for_alone(const auto& body) {
    exec::for_each(instance, cluster_label, all.alone.size(), body);
  }

  void begin() {
    exec::for_each(instance, cluster_label, level.local(), Appraise{scene, all.appeals.data()});
    exec::for_each(instance, cluster_label, level.owned,
                   ListAll<Instance>{all.alone.appender<Instance>()});
    all.alone.count_up();
    // If each vertex weighs at most half of the limit of a cluster, any two of them fit.
    all.all_fit = exec::sum<std::int64_t>(instance, level.local(), IsTooHeavy{scene}) == 0;
  }
  void wish_to_pair(bool is_first) {
    if (all.all_fit)
      wish<true>(is_first);
    else
      wish<false>(is_first);
  }
  template <bool all_fit>
  void wish(bool is_first) {
    for_alone(WishToPair<all_fit>{scene, all.appeals.data(), all.alone.data(), all.targets.data(),
                                  all.wishes.data(), is_first});
  }
  void pair() {
    all.next.clear();
    for_alone(Pair<Instance>{all.alone.data(), all.targets.data(), all.wishes.data(), scene.rank,
                             all.partners.data(), all.appeals.data(),
                             all.next.appender<Instance>()});
    take_next();
  }
  void follow_ghosts() {
    exec::for_each(instance, cluster_label, level.ghost_count(),
                   FollowGhostAppeals{all.partners.data(), level.owned, all.appeals.data()});
  }
  void lead_pairs() {
    all.next.clear();
    exec::for_each(
        instance, cluster_label, level.owned,
        LeadPairs<Instance>{scene, all.partners.data(), all.targets.data(), all.leaders.data(),
                            all.joint.data(), all.next.appender<Instance>()});
    take_next();
  }
  void wish_to_join() {
    fill(level.space, all.wishes, nobody);
    for_alone(WishToJoin{scene, all.partners.data(), all.joint.data(), all.alone.data(),
                         all.targets.data(), all.wishes.data()});
  }
  void accept() {
    const ListWanted<Instance> list{all.wishes.data(), scene.rank, all.is_wanted.data(),
                                    all.wanted.appender<Instance>()};
    for_alone(ListWantedByOwned<Instance>{list, all.alone.data()});
    exec::for_each(instance, cluster_label, level.ghost_count(),
                   ListWantedByGhosts<Instance>{list, level.owned});
    all.wanted.count_up();
    fill(level.space, all.accepted, nobody);
    exec::for_each(instance, cluster_label, all.wanted.size(),
                   Accept{scene, all.wishes.data(), all.wanted.data(), all.accepted.data()});
  }
  void join() {
    all.next.clear();
    for_alone(JoinPair<Instance>{all.alone.data(), all.targets.data(), all.accepted.data(),
                                 scene.rank, all.leaders.data(), all.next.appender<Instance>()});
    take_next();
  }
  void take_next() {
    all.next.count_up();
    all.alone.swap(all.next);
  }
};

}  // namespace

exec::Array<Address> clusters_of(const Communicator& communicator, const Status& status,
                                 const Level& level, const PerConstraint& heaviest,
                                 const exec::Array<int>& parts, std::uint64_t seed) {
  Scene scene{RowsView(level.rows),
              level.weights.data(),
              level.names.data(),
              !level.wishes.has_homes ? nullptr : level.wishes.homes.data(),
              !level.wishes.has_fixed ? nullptr : level.wishes.fixed.data(),
              parts.data(),
              level.ghosts.addresses().data(),
              level.owned,
              level.constraints,
              communicator.rank(),
              {},
              seed == 0 ? 1 : exec::mixed(seed) | 1U};
  for (std::size_t c = 0; c < heaviest.size(); ++c) scene.heaviest[c] = heaviest[c];
  Matching all;
  Status ready = status;
  // Does local work. The next exchange reports a failure.
  const auto work = [&](const auto& stage) {
    if (!ready.ok()) return;
    ready = attempt(stage_name, [&] {
      with_space(level.space, [&](const auto& instance) {
        Rounds<std::remove_cvref_t<decltype(instance)>> its{instance, level, scene, all};
        stage(its);
      });
    });
  };
  const auto refresh = [&](const auto& values, int each = 1) {
    level.ghosts.refresh(values, each, ready);
  };

  if (ready.ok()) ready = attempt(stage_name, [&] { all = matching_for(level); });
  work([](auto& its) { its.begin(); });
  for (int round = 0; round < rounds; ++round) {
    work([&](auto& its) { its.wish_to_pair(round == 0); });
    refresh(all.wishes);
    work([](auto& its) { its.pair(); });
    refresh(all.partners);
    work([](auto& its) { its.follow_ghosts(); });
  }
  work([](auto& its) { its.lead_pairs(); });
  refresh(all.leaders);
  refresh(all.joint, level.constraints);
  work([](auto& its) { its.wish_to_join(); });
  refresh(all.wishes);
  work([](auto& its) { its.accept(); });
  refresh(all.accepted);
  work([](auto& its) { its.join(); });
  refresh(all.leaders);
  return std::move(all.leaders);
}

}  // namespace evenkeel::graphs
