#include "graph/nets/improve.hpp"
#include "graph/stage.hpp"

#include "graph/improve/moves_state.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

constexpr int is_candidate = 4;  // a mark, like is_active

struct NetState {
  MovesState state;
  NetsView nets;
  const int* parts;  // by pin
  int* targets;
  std::int64_t* gains;
  const std::uint64_t* names;
  int* marks;
  int *net_parts, *net_counts, *net_sizes;

  // Returns true if pin v assumes that pin u moves before it.
  KOKKOS_FUNCTION bool is_before(Vertex u, Vertex v) const {
    return gains[u] != gains[v] ? gains[u] > gains[v] : names[u] < names[v];
  }
};

// --- The parts of nets ---------------------------------------------------------------------------

template <class Instance>
struct Touch {
  NetsView nets;
  const int* parts_next;
  int *parts, *net_marks;
  Appender<Instance> touched;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (parts[v] == parts_next[v]) return;
    parts[v] = parts_next[v];
    for (std::int64_t i = nets.firsts[v]; i < nets.firsts[v + 1]; ++i)
      if (sets_mark<Instance>(&net_marks[nets.nets[i]], 1)) touched(nets.nets[i]);
  }
};

// Counts the pins of a net by part, and lists its vertices as active. On the home rank of the net,
// also adds the change of the connectivity.
template <class Instance>
struct CountPins {
  NetState all;
  const Net* touched;
  int* net_marks;
  std::int64_t* change;
  Appender<Instance> active;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Net e = touched[i];
    net_marks[e] = 0;
    const std::int64_t begin = all.nets.offsets[e], end = all.nets.offsets[e + 1];
    int* const parts = all.net_parts + begin;
    int* const counts = all.net_counts + begin;
    int size = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      const int part = all.parts[all.nets.pins[k]];
      int at = 0;
      while (at < size && parts[at] != part) ++at;
      if (at == size) {
        parts[size] = part;
        counts[size++] = 0;
      }
      ++counts[at];
    }
    if (all.nets.is_home[e] != 0 && size != all.net_sizes[e])
      add<Instance>(change, finer(all.nets.weights[e]) * (size - all.net_sizes[e]));
    all.net_sizes[e] = size;
    for (std::int64_t k = begin; k < end; ++k) {
      const Vertex v = all.nets.pins[k];
      if (v < all.state.owned && !all.state.is_fixed(v) &&
          sets_mark<Instance>(&all.marks[v], is_active))
        active(v);
    }
  }
};

// --- Choosing ------------------------------------------------------------------------------------

// The connection of a vertex to a part is the weight of its nets that have other pins in that part.
// As in a graph, the gain of a move is the difference of two connections. The reason: a net that
// has no pin in the new part yet is in one part more after the move. A net whose last pin leaves
// the old part is in one part less.
template <class Connections>
KOKKOS_INLINE_FUNCTION void connect(const NetState& all, Vertex v, Connections& connections) {
  const int own = all.parts[v];
  for (std::int64_t i = all.nets.firsts[v]; i < all.nets.firsts[v + 1]; ++i) {
    const Net e = all.nets.nets[i];
    const std::int64_t begin = all.nets.offsets[e];
    for (int k = 0; k < all.net_sizes[e]; ++k)
      if (all.net_parts[begin + k] != own || all.net_counts[begin + k] > 1)
        connections.add(all.net_parts[begin + k], all.nets.weights[e]);
  }
}

// Chooses the target of a vertex from its nets. Choose in jet.cpp does this from edges.
template <class Instance>
struct ChooseByNets {
  NetState all;
  double tolerated_loss;
  Appender<Instance> active_next, candidates;

  KOKKOS_FUNCTION bool wants(Vertex v) const {
    clears_mark<Instance>(&all.marks[v], is_active);
    all.state.favourites[v] = nowhere;
    if (all.state.is_lump(v)) {  // no part may get a second lump
      all.targets[v] = nowhere;
      return false;
    }
    if (all.state.moved_at[v] != all.state.round - 1) return true;
    // The vertex moved in the last round, so it is locked for one round.
    if (sets_mark<Instance>(&all.marks[v], is_active)) active_next(v);
    all.targets[v] = nowhere;
    return false;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& connections) const {
    const Wish wish = wish_of(all.state, v, connections, tolerated_loss);
    all.targets[v] = wish.part;
    all.gains[v] = wish.gain;
    if (wish.part != nowhere && sets_mark<Instance>(&all.marks[v], is_candidate)) candidates(v);
  }
};

// --- Afterburner ---------------------------------------------------------------------------------

// Computes the gain of a vertex under the assumption that pins with a higher gain are already in
// their expected parts. If the vertex then loses nothing, it goes, too.
struct BurnByNets {
  NetState all;
  const Vertex* candidates;
  const int* expected;  // by pin: the part that it is expected to go to, or nowhere
  int* going;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const int from = all.parts[v], to = all.targets[v];
    const bool may_go = to != nowhere && !is_light(all.state, from) && all.state.admits(to, v);
    going[v] = may_go && gain_of(v, from, to) >= 0 ? to : nowhere;
  }
  KOKKOS_FUNCTION std::int64_t gain_of(Vertex v, int from, int to) const {
    std::int64_t gain = all.state.stay_of(v, to) - all.state.stay_of(v, from);
    for (std::int64_t n = all.nets.firsts[v]; n < all.nets.firsts[v + 1]; ++n) {
      const Net e = all.nets.nets[n];
      bool is_in_from = false, is_in_to = false;
      for (std::int64_t k = all.nets.offsets[e];
           k < all.nets.offsets[e + 1] && !(is_in_from && is_in_to); ++k) {
        const Vertex u = all.nets.pins[k];
        if (u == v) continue;
        const int part = expected[u] != nowhere && all.is_before(u, v) ? expected[u] : all.parts[u];
        is_in_from |= part == from;
        is_in_to |= part == to;
      }
      if (!is_in_from) gain += finer(all.nets.weights[e]);
      if (!is_in_to) gain -= finer(all.nets.weights[e]);
    }
    return gain;
  }
};

// Lists the vertices that move now, and the candidates of the next round.
template <class Instance>
struct Depart {
  const Vertex* candidates;
  const int* targets;
  int *likely, *going, *marks;  // `likely` and `going` are nowhere afterwards
  Appender<Instance> candidates_next, movers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const bool goes = going[v] != nowhere;
    likely[v] = going[v] = nowhere;
    if (targets[v] == nowhere) {
      clears_mark<Instance>(&marks[v], is_candidate);
      return;
    }
    candidates_next(v);
    if (goes) movers(v);
  }
};

}  // namespace

// The steps that run on the space of the level.
struct NetMoves::Work {
  NetMoves& all;

  const NetLevel& nets() const { return all.nets_; }
  Moves& moves() const { return all.moves_; }
  const Space& space() const { return all.nets_.space; }

  NetState state() const {
    return {state_of(all.moves_),     NetsView(all.nets_),       all.pins_.parts.data(),
            all.pins_.targets.data(), all.pins_.gains.data(),    all.pins_.names.data(),
            all.pins_.marks.data(),   all.in_nets_.parts.data(), all.in_nets_.counts.data(),
            all.in_nets_.sizes.data()};
  }

  void allocate() const {
    const std::int64_t local = nets().local(), owned = nets().owned, count = nets().count();
    // All pins begin in no part, so that the first follow() counts all nets.
    all.pins_.parts = exec::filled<int>(space(), nets_label, local, nowhere);
    all.pins_.parts_next = {space(), nets_label, local};
    all.pins_.targets = exec::filled<int>(space(), nets_label, local, nowhere);
    all.pins_.likely = exec::filled<int>(space(), nets_label, local, nowhere);
    all.pins_.going = exec::filled<int>(space(), nets_label, local, nowhere);
    all.pins_.gains = exec::filled<std::int64_t>(space(), nets_label, local, 0);
    all.pins_.marks = exec::filled<int>(space(), nets_label, owned, 0);
    all.in_nets_.parts = {space(), nets_label, nets().pins.size()};
    all.in_nets_.counts = {space(), nets_label, nets().pins.size()};
    all.in_nets_.sizes = exec::filled<int>(space(), nets_label, count, 1);
    all.in_nets_.marks = exec::filled<int>(space(), nets_label, count, 0);
    all.lists_.touched = {space(), count};
    all.lists_.active = {space(), owned};
    all.lists_.active_next = {space(), owned};
    all.lists_.candidates = {space(), owned};
    all.lists_.candidates_next = {space(), owned};
    all.pins_.names = {space(), nets_label, local};
    exec::for_each(space(), nets_label, owned,
                   exec::Copy{moves().level->names.data(), all.pins_.names.data()});
  }

  template <class Instance>
  std::int64_t count_pins(const Instance& instance) const {
    all.lists_.touched.clear();
    exec::for_each(instance, nets_label, nets().local(),
                   Touch<Instance>{NetsView(nets()), all.pins_.parts_next.data(),
                                   all.pins_.parts.data(), all.in_nets_.marks.data(),
                                   all.lists_.touched.template appender<Instance>()});
    all.lists_.touched.count_up();
    const auto change = exec::filled<std::int64_t>(space(), nets_label, 1, 0);
    exec::for_each(
        instance, nets_label, all.lists_.touched.size(),
        CountPins<Instance>{state(), all.lists_.touched.data(), all.in_nets_.marks.data(),
                            change.data(), all.lists_.active.template appender<Instance>()});
    all.lists_.active.count_up();
    std::int64_t changed = 0;
    change.fetch(0, {&changed, 1});
    return changed;
  }

  template <class Instance>
  void choose(const Instance& instance, double tolerated_loss) const {
    all.lists_.active_next.clear();
    for_listed(instance, moves(), state(), all.lists_.active,
               ChooseByNets<Instance>{state(), tolerated_loss,
                                      all.lists_.active_next.template appender<Instance>(),
                                      all.lists_.candidates.template appender<Instance>()});
    all.lists_.active_next.count_up();
    all.lists_.active.swap(all.lists_.active_next);
    all.lists_.candidates.count_up();
  }

  // Finds the parts to which vertices go if other vertices go to their parts in `expected`.
  template <class Instance>
  void burn(const Instance& instance, const exec::Array<int>& expected,
            const exec::Array<int>& going) const {
    exec::for_each(
        instance, nets_label, all.lists_.candidates.size(),
        BurnByNets{state(), all.lists_.candidates.data(), expected.data(), going.data()});
  }
  template <class Instance>
  void depart(const Instance& instance) const {
    all.lists_.candidates_next.clear();
    moves().lists.movers.clear();
    exec::for_each(
        instance, nets_label, all.lists_.candidates.size(),
        Depart<Instance>{all.lists_.candidates.data(), all.pins_.targets.data(),
                         all.pins_.likely.data(), all.pins_.going.data(), all.pins_.marks.data(),
                         all.lists_.candidates_next.template appender<Instance>(),
                         moves().lists.movers.template appender<Instance>()});
    all.lists_.candidates_next.count_up();
    all.lists_.candidates.swap(all.lists_.candidates_next);
    moves().lists.movers.count_up();
  }

  template <class Step>
  Status attempted(const Step& step) const {
    return attempt(moves_stage, [&] { with_space(space(), step); });
  }
};

NetMoves::NetMoves(const NetLevel& nets, Moves& moves) : nets_(nets), moves_(moves) {
  const Work work{*this};
  nets.ghosts.refresh(pins_.names, 1, attempt(moves_stage, [&] { work.allocate(); }));
}

void NetMoves::follow() {
  const Work work{*this};
  const Status copied = attempt(moves_stage, [&] {
    exec::for_each(nets_.space, nets_label, nets_.owned,
                   exec::Copy{moves_.vertices.parts.data(), pins_.parts_next.data()});
  });
  nets_.ghosts.refresh(pins_.parts_next, 1, copied);
  std::int64_t change = 0;
  vote_between(*moves_.communicator,
               work.attempted([&](const auto& instance) { change = work.count_pins(instance); }));
  connectivity_ += moves_.communicator->all_reduce(change, Reduction::sum);
}

std::int64_t NetMoves::improve(double tolerated_loss) {
  const Work work{*this};
  Status ready =
      work.attempted([&](const auto& instance) { work.choose(instance, tolerated_loss); });
  nets_.ghosts.refresh(pins_.targets, 1, ready);
  nets_.ghosts.refresh(pins_.gains);
  ready = work.attempted(
      [&](const auto& instance) { work.burn(instance, pins_.targets, pins_.likely); });
  // Pins of one net depend on each other: if one pin does not go, others may lose by going. So this
  // is done twice.
  nets_.ghosts.refresh(pins_.likely, 1, ready);
  ready =
      work.attempted([&](const auto& instance) { work.burn(instance, pins_.likely, pins_.going); });
  if (ready.ok()) ready = work.attempted([&](const auto& instance) { work.depart(instance); });
  const std::int64_t moved = moves_.commit(ready, pins_.targets, true);
  ++moves_.round;
  return moved;
}

}  // namespace evenkeel::graphs
