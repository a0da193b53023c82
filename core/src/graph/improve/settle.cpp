// For each part that is too heavy, each rank contributes the vertices that lose least by leaving,
// up to twice the weight that must go. Then all ranks place the collected vertices in the same
// order.

#include "graph/improve/moves_state.hpp"
#include "graph/improve/packing.hpp"
#include "graph/improve/ways.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/migrate/plan.hpp>

#include <algorithm>
#include <vector>

namespace evenkeel::graphs {

namespace {

constexpr const char* settle_label = "evenkeel::graph::settle";

// Lists the vertices of chosen parts that are free to move.
template <class Instance>
struct ListMovable {
  MovesState state;
  const int* is_chosen;  // by part
  bool only_lumps;
  Appender<Instance> list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    if (is_chosen[state.parts[v]] != 0 && (!only_lumps || state.is_lump(v)) && !state.is_fixed(v))
      list(v);
  }
};

// Writes the weight of a vertex's connections to its own part and to its best other part.
struct WriteConnections {
  MovesState state;
  int* neighbours;
  std::int64_t *own, *best;
  KOKKOS_FUNCTION bool wants(Vertex) const { return true; }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const BestPart found = best_part_of(state, v, all, [](int) { return true; });
    neighbours[v] = found.part;
    own[v] = found.own_weight;
    best[v] = found.weight;
  }
};

// Makes the given vertices movers, and writes their targets.
template <class Instance>
struct Enter {
  const std::int64_t* vertices;
  const int* to;
  int* targets;
  Appender<Instance> movers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    targets[vertices[i]] = to[i];
    movers(static_cast<Vertex>(vertices[i]));
  }
};

class Settling {
 public:
  explicit Settling(Moves& moves)
      : moves_(moves), constraints_(static_cast<std::size_t>(moves.goal.constraints)) {}

  std::int64_t settle() {
    return commit([&] { return moves_.excess() > 0 ? leavers() : std::vector<Leaver>(); },
                  [&](std::vector<Leaver>& all) {
                    cut_off(all);
                    place(all);
                  });
  }
  std::int64_t seat() {
    return commit([&] { return crowded_lumps(); },
                  [&](std::vector<Leaver>& all) { place_lumps(all); });
  }
  std::int64_t pack() {
    return commit([&] { return movable_of([](int) { return true; }, false); },
                  [&](std::vector<Leaver>& all) { place_packed(all); });
  }

 private:
  // Collective. Passes the results of leavers_here() of all ranks to place_all(), which lists the
  // movers; then commits their moves.
  template <class LeaversHere, class PlaceAll>
  std::int64_t commit(const LeaversHere& leavers_here, const PlaceAll& place_all) {
    std::vector<Leaver> mine;
    const Status ready = attempt(moves_stage, [&] { mine = leavers_here(); });
    std::vector<Leaver> all =
        all_gather(*moves_.communicator, ready, std::span<const Leaver>(mine)).values;
    const Status placed = attempt(moves_stage, [&] { place_all(all); });
    return moves_.commit(placed, moves_.room.release_targets, false);
  }

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  const Space& space() const { return moves_.level->space; }
  bool is_heavy(int part) const {
    for (std::size_t c = 0; c < constraints_; ++c)
      if (moves_.loads.weights[at(part) * constraints_ + c] > moves_.goal.limit_of(at(part), c))
        return true;
    return false;
  }

  std::vector<Leaver> leavers() {
    std::vector<Leaver> all = movable_of([&](int part) { return is_heavy(part); }, false);
    std::erase_if(
        all, [&](const Leaver& one) { return lightest(moves_.loads.weights, one) == nowhere; });
    for (Leaver& one : all)
      one.order = static_cast<double>(one.loss) /
                  static_cast<double>(std::max<std::int64_t>(one.weights[0], 1));
    cut_off(all);
    return all;
  }
  std::vector<Leaver> crowded_lumps() {
    std::vector<Leaver> all =
        movable_of([&](int part) { return moves_.loads.lumps[at(part)] > 1; }, true);
    for (Leaver& one : all) one.order = -static_cast<double>(one.weights[0]);
    return all;
  }
  // Returns the vertices that may leave the parts for which is_chosen(part) is true; only lumps if
  // `only_lumps` is set.
  template <class IsChosen>
  std::vector<Leaver> movable_of(const IsChosen& is_chosen, bool only_lumps) {
    std::vector<int> chosen(at(moves_.goal.parts));
    for (int p = 0; p < moves_.goal.parts; ++p) chosen[at(p)] = is_chosen(p) ? 1 : 0;
    const exec::Array<int> chosen_there(space(), settle_label, std::span<const int>(chosen));
    return with_space(space(), [&](const auto& instance) {
      return movable_of(instance, chosen_there, only_lumps);
    });
  }
  template <class Instance>
  std::vector<Leaver> movable_of(const Instance& instance, const exec::Array<int>& is_chosen,
                                 bool only_lumps) {
    const std::int64_t owned = moves_.level->owned;
    const exec::Array<std::int64_t> own(space(), settle_label, owned),
        best(space(), settle_label, owned);
    moves_.lists.candidates.clear();
    exec::for_each(instance, settle_label, owned,
                   ListMovable<Instance>{state_of(moves_), is_chosen.data(), only_lumps,
                                         moves_.lists.candidates.template appender<Instance>()});
    moves_.lists.candidates.count_up();
    for_listed(instance, moves_, moves_.lists.candidates,
               WriteConnections{state_of(moves_), moves_.room.release_targets.data(), own.data(),
                                best.data()});
    exec::fence(instance, settle_label);
    std::vector<std::int64_t> listed(at(moves_.lists.candidates.size()));
    const exec::Array<std::int64_t> wide(space(), settle_label, moves_.lists.candidates.size());
    exec::for_each(instance, settle_label, wide.size(),
                   exec::Copy{moves_.lists.candidates.data(), wide.data()});
    wide.fetch(0, listed);
    return described(listed, own, best);
  }
  std::vector<Leaver> described(const std::vector<std::int64_t>& listed,
                                const exec::Array<std::int64_t>& own,
                                const exec::Array<std::int64_t>& best) const {
    const auto parts = exec::picked(moves_.vertices.parts, settle_label, listed);
    const auto names = exec::picked(moves_.level->names, settle_label, listed);
    const auto neighbours = exec::picked(moves_.room.release_targets, settle_label, listed);
    const auto owns = exec::picked(own, settle_label, listed),
               bests = exec::picked(best, settle_label, listed);
    std::vector<Leaver> all(listed.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t apart = owns[i];
      all[i] = {parts[i],
                moves_.communicator->rank(),
                neighbours[i],
                static_cast<Vertex>(listed[i]),
                neighbours[i] == nowhere ? apart : owns[i] - bests[i],
                apart,
                {},
                names[i],
                0};
    }
    for (std::size_t c = 0; c < constraints_; ++c) {
      std::vector<std::int64_t> places;
      places.reserve(listed.size());
      for (const std::int64_t v : listed)
        places.push_back(v * moves_.goal.constraints + static_cast<std::int64_t>(c));
      const auto weights = exec::picked(moves_.level->weights, settle_label, places);
      for (std::size_t i = 0; i < all.size(); ++i) all[i].weights[c] = weights[i];
    }
    return all;
  }

  // For each part, keeps the first vertices, until they weigh twice the weight that must go.
  void cut_off(std::vector<Leaver>& all) const {
    std::sort(all.begin(), all.end());
    std::vector<Leaver> kept;
    std::vector<std::int64_t> sums(constraints_, 0);
    int part = nowhere;
    for (const Leaver& one : all) {
      if (one.part != part) {
        part = one.part;
        sums.assign(constraints_, 0);
      }
      bool is_wanted = false;
      for (std::size_t c = 0; c < constraints_; ++c) {
        const std::int64_t excess =
            moves_.loads.weights[at(part) * constraints_ + c] - moves_.goal.limit_of(at(part), c);
        is_wanted |= excess > 0 && sums[c] < 2 * excess;
      }
      if (!is_wanted) continue;
      for (std::size_t c = 0; c < constraints_; ++c) sums[c] += one.weights[c];
      kept.push_back(one);
    }
    all = std::move(kept);
  }

  bool has_room(const std::vector<std::int64_t>& weights, int part, const Leaver& one) const {
    for (std::size_t c = 0; c < constraints_; ++c)
      if (weights[at(part) * constraints_ + c] + one.weights[c] > moves_.goal.limit_of(at(part), c))
        return false;
    return true;
  }
  // The lightest part with room, or nowhere if no part has room.
  int lightest(const std::vector<std::int64_t>& weights, const Leaver& one) const {
    int found = nowhere;
    for (int p = 0; p < moves_.goal.parts; ++p)
      if (p != one.part && has_room(weights, p, one) &&
          (found == nowhere || is_lighter(weights, p, found)))
        found = p;
    return found;
  }
  // Compares the first weights of two parts; if parts differ in speed, relative to their limits.
  bool is_lighter(const std::vector<std::int64_t>& weights, int part, int other) const {
    const std::int64_t its = weights[at(part) * constraints_],
                       others = weights[at(other) * constraints_];
    if (moves_.goal.has_equal_parts()) return its < others;
    return static_cast<double>(its) * static_cast<double>(moves_.goal.limit_of(at(other), 0)) <
           static_cast<double>(others) * static_cast<double>(moves_.goal.limit_of(at(part), 0));
  }

  void place(const std::vector<Leaver>& all) {
    std::vector<std::int64_t> weights = moves_.loads.weights;
    std::vector<std::int64_t> vertices;
    std::vector<int> targets;
    for (const Leaver& one : all) {
      bool is_needed = false;
      for (std::size_t c = 0; c < constraints_; ++c)
        is_needed |=
            weights[at(one.part) * constraints_ + c] > moves_.goal.limit_of(at(one.part), c) &&
            one.weights[c] > 0;
      if (!is_needed) continue;
      const int to = one.neighbour != nowhere && has_room(weights, one.neighbour, one)
                         ? one.neighbour
                         : lightest(weights, one);
      if (to == nowhere) continue;
      for (std::size_t c = 0; c < constraints_; ++c) {
        weights[at(one.part) * constraints_ + c] -= one.weights[c];
        weights[at(to) * constraints_ + c] += one.weights[c];
      }
      if (one.rank != moves_.communicator->rank()) continue;
      vertices.push_back(one.vertex);
      targets.push_back(to);
    }
    enter(vertices, targets);
  }

  // In each part the heaviest lump stays. Each other lump goes to its neighbour part if that part
  // has no lump, or else to the lightest part without a lump.
  void place_lumps(std::vector<Leaver>& all) {
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> lumps = moves_.loads.lumps;
    std::vector<std::int64_t> vertices;
    std::vector<int> targets;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
      if (lumps[at(one->part)] < 2) continue;
      int to = one->neighbour;
      if (to == nowhere || lumps[at(to)] > 0) to = lightest_without(lumps);
      if (to == nowhere) break;
      --lumps[at(one->part)];
      ++lumps[at(to)];
      if (one->rank != moves_.communicator->rank()) continue;
      vertices.push_back(one->vertex);
      targets.push_back(to);
    }
    enter(vertices, targets);
  }
  void place_packed(std::vector<Leaver>& all) {
    std::sort(all.begin(), all.end(),
              [](const Leaver& a, const Leaver& b) { return a.name < b.name; });
    const std::vector<int> parts = packed(moves_.goal, moves_.loads.weights, all);
    std::vector<std::int64_t> vertices;
    std::vector<int> targets;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (parts[i] == all[i].part || all[i].rank != moves_.communicator->rank()) continue;
      vertices.push_back(all[i].vertex);
      targets.push_back(parts[i]);
    }
    enter(vertices, targets);
  }
  int lightest_without(const std::vector<std::int64_t>& lumps) const {
    int found = nowhere;
    for (int p = 0; p < moves_.goal.parts; ++p)
      if (lumps[at(p)] == 0 &&
          (found == nowhere || moves_.loads.weights[at(p) * constraints_] <
                                   moves_.loads.weights[at(found) * constraints_]))
        found = p;
    return found;
  }

  // Makes these vertices the movers.
  void enter(const std::vector<std::int64_t>& vertices, const std::vector<int>& targets) {
    const exec::Array<std::int64_t> vertices_there(space(), settle_label,
                                                   std::span<const std::int64_t>(vertices));
    const exec::Array<int> targets_there(space(), settle_label, std::span<const int>(targets));
    with_space(space(),
               [&](const auto& instance) { list(instance, vertices_there, targets_there); });
  }
  template <class Instance>
  void list(const Instance& instance, const exec::Array<std::int64_t>& vertices,
            const exec::Array<int>& to) {
    moves_.lists.movers.clear();
    exec::for_each(instance, settle_label, vertices.size(),
                   Enter<Instance>{vertices.data(), to.data(), moves_.room.release_targets.data(),
                                   moves_.lists.movers.template appender<Instance>()});
    moves_.lists.movers.count_up();
  }

  Moves& moves_;
  std::size_t constraints_;
};

}  // namespace

std::int64_t settle(Moves& moves) { return Settling(moves).settle(); }

std::int64_t pack(Moves& moves) {
  // All ranks gather the vertices, and compare each with all parts.
  constexpr std::int64_t most_vertices = std::int64_t{1} << 17, most_compared = most_vertices << 9;
  const std::int64_t vertices = moves.level->all_vertices;
  return vertices <= most_vertices && vertices * moves.goal.parts <= most_compared
             ? Settling(moves).pack()
             : 0;
}

std::int64_t seat_lumps(Moves& moves) {
  const bool is_crowded =
      std::ranges::any_of(moves.loads.lumps, [](std::int64_t lumps) { return lumps > 1; });
  return is_crowded ? Settling(moves).seat() : 0;
}

}  // namespace evenkeel::graphs
