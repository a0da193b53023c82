// Each rank brings the vertices with the least loss of each part that is too heavy, as many as
// twice what must go; all ranks then place them in the same order.

#include "graph/settle.hpp"

#include "graph/moves_state.hpp"

#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>
#include <vector>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::settle";

// A vertex that may go.
struct Leaver {
  int part;
  int rank;
  int neighbour;  // the part that it is connected to best, besides its own
  Vertex vertex;
  std::int64_t loss;        // where it goes there
  std::int64_t loss_apart;  // where it goes anywhere else
  std::int64_t weights[most_constraints];
  std::uint64_t name;
  double order;  // loss by weight

  bool operator<(const Leaver& other) const {
    if (part != other.part) return part < other.part;
    return order != other.order ? order < other.order : name < other.name;
  }
};

template <class Instance>
struct ListPart {
  State state;
  const int* is_heavy;
  Appender<Instance> list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    if (is_heavy[state.parts[v]] != 0 && !state.is_fixed(v)) list(v);
  }
};

template <class Instance>
struct ListCrowdedLumps {
  State state;
  Appender<Instance> list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto v = static_cast<Vertex>(i);
    if (state.is_lump(v) && state.lumps[state.parts[v]] > 1 && !state.is_fixed(v)) list(v);
  }
};

// What a vertex is connected to.
struct Bonds {
  State state;
  int* neighbours;
  std::int64_t *own, *best;
  KOKKOS_FUNCTION bool wants(Vertex) const { return true; }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const int own_part = state.parts[v];
    std::int64_t mine = state.stay_of(v, own_part), greatest = -1;
    int neighbour = nowhere;
    for (int i = 0; i < all.size(); ++i) {
      const int part = all.part(i);
      const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
      if (part == own_part) {
        mine += all.weight(i) << finer_bits;
      } else if (weight > greatest || (weight == greatest && part < neighbour)) {
        greatest = weight;
        neighbour = part;
      }
    }
    neighbours[v] = neighbour;
    own[v] = mine;
    best[v] = greatest;
  }
};

struct Widen {
  const Vertex* from;
  std::int64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

// Who goes, and where.
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
    std::vector<Leaver> mine;
    const Status ready = attempt(moves_stage, [&] {
      if (moves_.excess() > 0)
        with_space(space(), [&](const auto& instance) { mine = leavers(instance); });
    });
    std::vector<Leaver> all =
        all_gather(*moves_.communicator, ready, std::span<const Leaver>(mine)).values;
    const Status placed = attempt(moves_stage, [&] {
      cut_off(all);
      place(all);
    });
    return moves_.commit(placed, moves_.release_targets, false);
  }

  std::int64_t seat() {
    std::vector<Leaver> mine;
    const Status ready = attempt(moves_stage, [&] {
      with_space(space(), [&](const auto& instance) { mine = crowded_lumps(instance); });
    });
    std::vector<Leaver> all =
        all_gather(*moves_.communicator, ready, std::span<const Leaver>(mine)).values;
    const Status placed = attempt(moves_stage, [&] { place_lumps(all); });
    return moves_.commit(placed, moves_.release_targets, false);
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  const Space& space() const { return moves_.level->space; }
  bool is_heavy(int part) const {
    for (std::size_t c = 0; c < constraints_; ++c)
      if (moves_.weights[at(part) * constraints_ + c] > moves_.goal.limits[c]) return true;
    return false;
  }

  template <class Instance>
  std::vector<Leaver> leavers(const Instance& instance) {
    std::vector<int> heavy;
    heavy.reserve(at(moves_.goal.parts));
    for (int p = 0; p < moves_.goal.parts; ++p) heavy.push_back(is_heavy(p) ? 1 : 0);
    const exec::Array<int> heavy_there(space(), label, std::span<const int>(heavy));
    moves_.candidates.clear();
    exec::for_each(instance, label, moves_.level->owned,
                   ListPart<Instance>{state_of(moves_), heavy_there.data(),
                                      moves_.candidates.template appender<Instance>()});
    std::vector<Leaver> all = described(instance);
    std::erase_if(all, [&](const Leaver& one) { return lightest(moves_.weights, one) == nowhere; });
    for (Leaver& one : all)
      one.order = static_cast<double>(one.loss) /
                  static_cast<double>(std::max<std::int64_t>(one.weights[0], 1));
    cut_off(all);
    return all;
  }
  template <class Instance>
  std::vector<Leaver> crowded_lumps(const Instance& instance) {
    moves_.candidates.clear();
    exec::for_each(instance, label, moves_.level->owned,
                   ListCrowdedLumps<Instance>{state_of(moves_),
                                              moves_.candidates.template appender<Instance>()});
    std::vector<Leaver> all = described(instance);
    for (Leaver& one : all) one.order = -static_cast<double>(one.weights[0]);
    return all;
  }
  // Of the candidates.
  template <class Instance>
  std::vector<Leaver> described(const Instance& instance) {
    const std::int64_t owned = moves_.level->owned;
    const exec::Array<std::int64_t> own(space(), label, owned), best(space(), label, owned);
    moves_.candidates.count_up();
    for_listed(instance, moves_, moves_.candidates,
               Bonds{state_of(moves_), moves_.release_targets.data(), own.data(), best.data()});
    exec::fence(instance, label);
    std::vector<std::int64_t> listed(at(moves_.candidates.size()));
    const exec::Array<std::int64_t> wide(space(), label, moves_.candidates.size());
    exec::for_each(instance, label, wide.size(), Widen{moves_.candidates.data(), wide.data()});
    wide.fetch(0, listed);
    return described(listed, own, best);
  }
  std::vector<Leaver> described(const std::vector<std::int64_t>& listed,
                                const exec::Array<std::int64_t>& own,
                                const exec::Array<std::int64_t>& best) const {
    const auto parts = exec::picked(moves_.parts, label, listed);
    const auto names = exec::picked(moves_.level->names, label, listed);
    const auto neighbours = exec::picked(moves_.release_targets, label, listed);
    const auto owns = exec::picked(own, label, listed), bests = exec::picked(best, label, listed);
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
      const auto weights = exec::picked(moves_.level->weights, label, places);
      for (std::size_t i = 0; i < all.size(); ++i) all[i].weights[c] = weights[i];
    }
    return all;
  }

  // Keeps of each part those that come first, until they weigh twice what must go, and the heaviest
  // of all may be among them.
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
            moves_.weights[at(part) * constraints_ + c] - moves_.goal.limits[c];
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
      if (weights[at(part) * constraints_ + c] + one.weights[c] > moves_.goal.limits[c])
        return false;
    return true;
  }
  // The part with room that is lightest; nowhere: none has any.
  int lightest(const std::vector<std::int64_t>& weights, const Leaver& one) const {
    int found = nowhere;
    for (int p = 0; p < moves_.goal.parts; ++p)
      if (p != one.part && has_room(weights, p, one) &&
          (found == nowhere || weights[at(p) * constraints_] < weights[at(found) * constraints_]))
        found = p;
    return found;
  }

  void place(const std::vector<Leaver>& all) {
    std::vector<std::int64_t> weights = moves_.weights;
    std::vector<std::int64_t> vertices;
    std::vector<int> targets;
    for (const Leaver& one : all) {
      bool is_needed = false;
      for (std::size_t c = 0; c < constraints_; ++c)
        is_needed |=
            weights[at(one.part) * constraints_ + c] > moves_.goal.limits[c] && one.weights[c] > 0;
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

  // Of the lumps of a part, the heaviest stays; each other goes to its neighbour without a lump, or
  // to the lightest part without one.
  void place_lumps(std::vector<Leaver>& all) {
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> lumps = moves_.lumps;
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
  int lightest_without(const std::vector<std::int64_t>& lumps) const {
    int found = nowhere;
    for (int p = 0; p < moves_.goal.parts; ++p)
      if (lumps[at(p)] == 0 && (found == nowhere || moves_.weights[at(p) * constraints_] <
                                                        moves_.weights[at(found) * constraints_]))
        found = p;
    return found;
  }

  // Makes these vertices the movers.
  void enter(const std::vector<std::int64_t>& vertices, const std::vector<int>& targets) {
    const exec::Array<std::int64_t> vertices_there(space(), label,
                                                   std::span<const std::int64_t>(vertices));
    const exec::Array<int> targets_there(space(), label, std::span<const int>(targets));
    with_space(space(),
               [&](const auto& instance) { list(instance, vertices_there, targets_there); });
  }
  template <class Instance>
  void list(const Instance& instance, const exec::Array<std::int64_t>& vertices,
            const exec::Array<int>& to) {
    moves_.movers.clear();
    exec::for_each(instance, label, vertices.size(),
                   Enter<Instance>{vertices.data(), to.data(), moves_.release_targets.data(),
                                   moves_.movers.template appender<Instance>()});
    moves_.movers.count_up();
  }

  Moves& moves_;
  std::size_t constraints_;
};

}  // namespace

std::int64_t settle(Moves& moves) { return Settling(moves).settle(); }

std::int64_t seat_lumps(Moves& moves) {
  const bool is_crowded =
      std::ranges::any_of(moves.lumps, [](std::int64_t lumps) { return lumps > 1; });
  return is_crowded ? Settling(moves).seat() : 0;
}

}  // namespace evenkeel::graphs
