#include "graph/nets/improve.hpp"

#include "graph/moves_state.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::nets";
constexpr int is_candidate = 4;  // a mark beside is_active

struct NetState {
  State state;
  NetsView nets;
  const int* parts;  // of pins
  int* targets;
  std::int64_t* gains;
  const std::uint64_t* names;
  int* marks;
  int *net_parts, *net_counts, *net_sizes;

  // Whether a pin's move counts for another one's.
  KOKKOS_FUNCTION bool is_before(Vertex u, Vertex v) const {
    return gains[u] != gains[v] ? gains[u] > gains[v] : names[u] < names[v];
  }
};

// --- What nets are in ----------------------------------------------------------------------------

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

// Counts the pins of a net by part. Adds what that changes at its home, and lists its vertices.
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

// What a part means to a vertex: the weight of the nets that have other pins in it. So what it
// gains by a move is, as in a graph, the difference: nets that have no pin there yet will be in one
// part more, and nets that it leaves as their last pin in one less.
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

// The part that a vertex would go to, as Choose of jet.cpp does it for edges.
template <class Instance>
struct ChooseByNets {
  NetState all;
  double tolerated_loss;
  Appender<Instance> active_next, candidates;

  KOKKOS_FUNCTION bool wants(Vertex v) const {
    clears_mark<Instance>(&all.marks[v], is_active);
    if (all.state.is_lump(v)) {  // a part would have two
      all.targets[v] = nowhere;
      return false;
    }
    if (all.state.moved_at[v] != all.state.round - 1) return true;
    // Locked for one round.
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

// What a vertex gains when pins with a higher gain have gone where it is expected; it goes itself
// where that does no harm.
struct BurnByNets {
  NetState all;
  std::int64_t floors[most_constraints];
  const Vertex* candidates;
  const int* expected;  // where pins are expected to go
  int* going;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const int from = all.parts[v], to = all.targets[v];
    going[v] = to != nowhere && !is_light(all.state, from, floors) && gain_of(v, from, to) >= 0
                   ? to
                   : nowhere;
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

// Who goes, and who may go later.
template <class Instance>
struct Depart {
  const Vertex* candidates;
  const int* targets;
  int *likely, *going, *marks;  // nobody goes anywhere afterwards
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

// The steps on a space.
struct NetMoves::Work {
  NetMoves& all;

  const NetLevel& nets() const { return all.nets_; }
  Moves& moves() const { return all.moves_; }
  const Space& space() const { return all.nets_.space; }

  NetState state() const {
    return {state_of(all.moves_),   NetsView(all.nets_),  all.parts_.data(), all.targets_.data(),
            all.gains_.data(),      all.names_.data(),    all.marks_.data(), all.net_parts_.data(),
            all.net_counts_.data(), all.net_sizes_.data()};
  }

  void allocate() const {
    const std::int64_t local = nets().local(), owned = nets().owned, count = nets().count();
    // In no part: all nets are touched.
    all.parts_ = exec::filled<int>(space(), label, local, nowhere);
    all.parts_next_ = {space(), label, local};
    all.targets_ = exec::filled<int>(space(), label, local, nowhere);
    all.likely_ = exec::filled<int>(space(), label, local, nowhere);
    all.going_ = exec::filled<int>(space(), label, local, nowhere);
    all.gains_ = exec::filled<std::int64_t>(space(), label, local, 0);
    all.marks_ = exec::filled<int>(space(), label, owned, 0);
    all.net_parts_ = {space(), label, nets().pins.size()};
    all.net_counts_ = {space(), label, nets().pins.size()};
    all.net_sizes_ = exec::filled<int>(space(), label, count, 1);
    all.net_marks_ = exec::filled<int>(space(), label, count, 0);
    all.touched_ = {space(), count};
    all.active_ = {space(), owned};
    all.active_next_ = {space(), owned};
    all.candidates_ = {space(), owned};
    all.candidates_next_ = {space(), owned};
    all.names_ = {space(), label, local};
    exec::for_each(space(), label, owned,
                   Copy<std::uint64_t>{moves().level->names.data(), all.names_.data()});
  }

  template <class Instance>
  std::int64_t count_pins(const Instance& instance) const {
    all.touched_.clear();
    exec::for_each(
        instance, label, nets().local(),
        Touch<Instance>{NetsView(nets()), all.parts_next_.data(), all.parts_.data(),
                        all.net_marks_.data(), all.touched_.template appender<Instance>()});
    all.touched_.count_up();
    const auto change = exec::filled<std::int64_t>(space(), label, 1, 0);
    exec::for_each(instance, label, all.touched_.size(),
                   CountPins<Instance>{state(), all.touched_.data(), all.net_marks_.data(),
                                       change.data(), all.active_.template appender<Instance>()});
    all.active_.count_up();
    std::int64_t changed = 0;
    change.fetch(0, {&changed, 1});
    return changed;
  }

  template <class Instance>
  void choose(const Instance& instance, double tolerated_loss) const {
    all.active_next_.clear();
    for_listed(instance, moves(), state(), all.active_,
               ChooseByNets<Instance>{state(), tolerated_loss,
                                      all.active_next_.template appender<Instance>(),
                                      all.candidates_.template appender<Instance>()});
    all.active_next_.count_up();
    all.active_.swap(all.active_next_);
    all.candidates_.count_up();
  }

  // Where vertices go if others do as `expected`.
  template <class Instance>
  void burn(const Instance& instance, const exec::Array<int>& expected,
            const exec::Array<int>& going) const {
    BurnByNets burner{state(), {}, all.candidates_.data(), expected.data(), going.data()};
    std::copy(moves().goal.floors.begin(), moves().goal.floors.end(), burner.floors);
    exec::for_each(instance, label, all.candidates_.size(), burner);
  }
  template <class Instance>
  void depart(const Instance& instance) const {
    all.candidates_next_.clear();
    moves().movers.clear();
    exec::for_each(instance, label, all.candidates_.size(),
                   Depart<Instance>{all.candidates_.data(), all.targets_.data(), all.likely_.data(),
                                    all.going_.data(), all.marks_.data(),
                                    all.candidates_next_.template appender<Instance>(),
                                    moves().movers.template appender<Instance>()});
    all.candidates_next_.count_up();
    all.candidates_.swap(all.candidates_next_);
    moves().movers.count_up();
  }

  template <class Step>
  Status attempted(const Step& step) const {
    return attempt(moves_stage, [&] { with_space(space(), step); });
  }
};

NetMoves::NetMoves(const NetLevel& nets, Moves& moves) : nets_(nets), moves_(moves) {
  const Work work{*this};
  nets.ghosts.refresh(names_, 1, attempt(moves_stage, [&] { work.allocate(); }));
}

void NetMoves::follow() {
  const Work work{*this};
  const Status copied = attempt(moves_stage, [&] {
    exec::for_each(nets_.space, label, nets_.owned,
                   Copy<int>{moves_.parts.data(), parts_next_.data()});
  });
  nets_.ghosts.refresh(parts_next_, 1, copied);
  std::int64_t change = 0;
  vote_between(*moves_.communicator,
               work.attempted([&](const auto& instance) { change = work.count_pins(instance); }));
  connectivity_ += moves_.communicator->all_reduce(change, Reduction::sum);
}

std::int64_t NetMoves::improve(double tolerated_loss) {
  const Work work{*this};
  Status ready =
      work.attempted([&](const auto& instance) { work.choose(instance, tolerated_loss); });
  nets_.ghosts.refresh(targets_, 1, ready);
  nets_.ghosts.refresh(gains_);
  ready = work.attempted([&](const auto& instance) { work.burn(instance, targets_, likely_); });
  // Where one of several pins does not go, others had better stay too.
  nets_.ghosts.refresh(likely_, 1, ready);
  ready = work.attempted([&](const auto& instance) { work.burn(instance, likely_, going_); });
  if (ready.ok()) ready = work.attempted([&](const auto& instance) { work.depart(instance); });
  const std::int64_t moved = moves_.commit(ready, targets_, true);
  ++moves_.round;
  return moved;
}

}  // namespace evenkeel::graphs
