// Both choose, for vertices on borders, a group and a class: a group has an amount that may go, and
// the classes with the least loss go first. Of the class that exceeds the amount a part goes that
// a hash decides, so that two sums over all ranks suffice, and no rank's vertices come first.

#include "graph/release.hpp"

#include "graph/moves_state.hpp"
#include "graph/quotient.hpp"

#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::release";

constexpr int loss_classes = 96;  // of half an octave of the loss by weight
constexpr int hash_bins = 256;
constexpr int no_constraint = -1;

// --- For kernels ---------------------------------------------------------------------------------

KOKKOS_INLINE_FUNCTION int exponent_and_half(double value) {
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return static_cast<int>(bits >> 51U);
}

KOKKOS_INLINE_FUNCTION int class_of(std::int64_t loss, std::int64_t weight, double mean_weight) {
  if (loss <= 0) return loss < 0 ? 0 : 1;
  constexpr int exponent_of_1 = 1023 * 2;
  const double relative = static_cast<double>(loss) * (mean_weight / static_cast<double>(weight));
  const int its_class = exponent_and_half(relative) - exponent_of_1 + 2;
  return its_class < 2 ? 2 : its_class < loss_classes ? its_class : loss_classes - 1;
}

KOKKOS_INLINE_FUNCTION std::uint64_t drawn(std::uint64_t name, int step) {
  const std::uint64_t bits =
      (name + static_cast<std::uint64_t>(step) * 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
  return (bits ^ (bits >> 29U)) * 0x94D049BB133111EBU;
}
KOKKOS_INLINE_FUNCTION int bin_of(std::uint64_t name, int step) {
  return static_cast<int>(drawn(name, step) >> 56U);
}
KOKKOS_INLINE_FUNCTION std::uint32_t lot_of(std::uint64_t name, int step) {
  return static_cast<std::uint32_t>(drawn(name, step) >> 24U);
}

// What a vertex that may leave is entered with.
struct Entries {
  int *targets, *groups, *classes;
};

template <class Instance>
struct Candidates {
  State state;
  Entries entries;
  const int* constraint_of_group;
  double mean_weight;
  std::int64_t* histogram;  // groups x loss_classes
  Appender<Instance> list;

  KOKKOS_FUNCTION std::int64_t weight(Vertex v, int constraint) const {
    return state.weights[static_cast<std::int64_t>(v) * state.constraints + constraint];
  }
  KOKKOS_FUNCTION void enter(Vertex v, int target, int group, std::int64_t loss) const {
    const std::int64_t its_weight = weight(v, constraint_of_group[group]);
    const int its_class = class_of(loss, its_weight, mean_weight);
    entries.targets[v] = target;
    entries.groups[v] = group;
    entries.classes[v] = its_class;
    add<Instance>(&histogram[static_cast<std::int64_t>(group) * loss_classes + its_class],
                  its_weight);
    list(v);
  }
};

// A group for each part that is too heavy: its number is the part's.
template <class Instance>
struct ChooseRelief {
  Candidates<Instance> candidates;
  std::int64_t limits[most_constraints];

  KOKKOS_FUNCTION bool has_room(int part, Vertex v) const {
    const State& state = candidates.state;
    if (state.is_closed(part, v)) return false;
    for (int c = 0; c < state.constraints; ++c)
      if (state.part_weights[static_cast<std::int64_t>(part) * state.constraints + c] +
              candidates.weight(v, c) >
          limits[c])
        return false;
    return true;
  }
  KOKKOS_FUNCTION bool wants(Vertex v) const {
    const int c = candidates.constraint_of_group[candidates.state.parts[v]];
    return c >= 0 && candidates.weight(v, c) > 0;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const State& state = candidates.state;
    const int own_part = state.parts[v];
    std::int64_t own = state.stay_of(v, own_part), best = -1;
    int best_part = nowhere;
    for (int i = 0; i < all.size(); ++i) {
      const int part = all.part(i);
      if (part == own_part) {
        own += all.weight(i) << finer_bits;
        continue;
      }
      if (!has_room(part, v)) continue;
      const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
      if (weight < best || (weight == best && part > best_part)) continue;
      best = weight;
      best_part = part;
    }
    if (best_part != nowhere) candidates.enter(v, best_part, own_part, own - best);
  }
};

// A group for each flow between two parts.
template <class Instance>
struct ChooseFlow {
  Candidates<Instance> candidates;
  const std::int64_t* firsts;  // flows from each part
  const int* to;
  const std::int64_t* amounts;

  KOKKOS_FUNCTION bool wants(Vertex v) const {
    const int part = candidates.state.parts[v];
    return firsts[part] < firsts[part + 1];
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const State& state = candidates.state;
    const int own_part = state.parts[v];
    std::int64_t own = state.stay_of(v, own_part), best = -1;
    std::int64_t best_flow = -1;
    for (int i = 0; i < all.size(); ++i) {
      const int part = all.part(i);
      if (part == own_part) {
        own += all.weight(i) << finer_bits;
        continue;
      }
      const std::int64_t flow = flow_to(own_part, part);
      if (flow < 0 || !fits(v, flow)) continue;
      const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
      if (weight < best || (weight == best && flow > best_flow)) continue;
      best = weight;
      best_flow = flow;
    }
    if (best_flow >= 0) candidates.enter(v, to[best_flow], static_cast<int>(best_flow), own - best);
  }
  KOKKOS_FUNCTION std::int64_t flow_to(int from, int part) const {
    for (std::int64_t f = firsts[from]; f < firsts[from + 1]; ++f)
      if (to[f] == part) return f;
    return -1;
  }
  // At least half of the vertex is wanted.
  KOKKOS_FUNCTION bool fits(Vertex v, std::int64_t flow) const {
    const std::int64_t weight = candidates.weight(v, candidates.constraint_of_group[flow]);
    return weight > 0 && weight - amounts[flow] <= amounts[flow];
  }
};

template <class Instance>
struct CountBins {
  State state;
  Entries entries;
  const int* constraint_of_group;
  const int* thresholds;  // class of each group
  const Vertex* candidates;
  std::int64_t* histogram;  // groups x hash_bins
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const int group = entries.groups[v];
    if (entries.classes[v] != thresholds[group]) return;
    add<Instance>(&histogram[static_cast<std::int64_t>(group) * hash_bins +
                             bin_of(state.names[v], state.step)],
                  state.weights[static_cast<std::int64_t>(v) * state.constraints +
                                constraint_of_group[group]]);
  }
};

struct IsReleased {
  State state;
  Entries entries;
  const int* thresholds;
  const int* bins;  // of each group: those below this go too
  KOKKOS_FUNCTION bool operator()(Vertex v) const {
    const int group = entries.groups[v];
    return entries.classes[v] < thresholds[group] ||
           (entries.classes[v] == thresholds[group] &&
            bin_of(state.names[v], state.step) < bins[group]);
  }
};

// What comes to each part, constraint by constraint, and what goes of each group.
template <class Instance>
struct CountReleased {
  State state;
  IsReleased is_released;
  const int* constraint_of_group;
  const Vertex* candidates;
  std::int64_t *inflow, *outflow;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    if (!is_released(v)) return;
    const std::int64_t* const weights =
        state.weights + static_cast<std::int64_t>(v) * state.constraints;
    const int group = is_released.entries.groups[v];
    for (int c = 0; c < state.constraints; ++c)
      add<Instance>(
          &inflow[static_cast<std::int64_t>(is_released.entries.targets[v]) * state.constraints +
                  c],
          weights[c]);
    add<Instance>(&outflow[group], weights[constraint_of_group[group]]);
  }
};

template <class Instance>
struct Admit {
  IsReleased is_released;
  const std::uint32_t* shares;  // of 2^32 - 1: what each part takes of what comes
  const Vertex* candidates;
  Appender<Instance> movers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const State& state = is_released.state;
    if (is_released(v) &&
        lot_of(state.names[v], state.step) <= shares[is_released.entries.targets[v]])
      movers(v);
  }
};

// --- Releasing groups ----------------------------------------------------------------------------

// Groups with what may go, in units of a constraint; none may go of those without a constraint.
struct Groups {
  std::vector<int> constraints;
  std::vector<std::int64_t> amounts;

  std::int64_t count() const { return std::ssize(amounts); }
};

// Where the bins of a group reach an amount.
struct Threshold {
  int bin;
  std::int64_t below;
};
Threshold threshold_of(std::span<const std::int64_t> bins, std::int64_t amount) {
  std::int64_t sum = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (sum + bins[bin] >= amount) return {static_cast<int>(bin), sum};
    sum += bins[bin];
  }
  return {static_cast<int>(bins.size()), sum};
}

class Release {
 public:
  Release(Moves& moves, const Groups& groups)
      : moves_(moves),
        groups_(groups),
        thresholds_(groups.amounts.size(), 0),
        bins_(groups.amounts.size(), 0) {}

  // Collective. `chooser(candidates)` makes the body that enters candidates. `is_checked`: parts
  // take no more than they have room for. Returns how many moved, and leaves what went of groups.
  template <class Chooser>
  std::int64_t run(const Chooser& chooser, bool is_checked) {
    find_candidates(chooser);
    set_thresholds();
    count_bins();
    set_bins(!is_checked);
    count_released();
    const Status ready = local([&](const auto& instance) { admit(instance, is_checked); });
    return moves_.commit(ready, moves_.release_targets, false);
  }
  const std::vector<std::int64_t>& gone() const { return gone_; }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  const Space& space() const { return moves_.level->space; }
  Entries entries() const {
    return {moves_.release_targets.data(), moves_.release_groups.data(),
            moves_.release_classes.data()};
  }
  template <class Work>
  Status local(const Work& work) const {
    return attempt(moves_stage, [&] { with_space(space(), work); });
  }
  // Collective. The sums of all ranks of what work(instance, sums) counts.
  template <class Work>
  void sum(std::int64_t count, const Work& work) {
    vote_between(*moves_.communicator, attempt(moves_stage, [&] {
      const auto there = exec::filled<std::int64_t>(space(), label, count, 0);
      with_space(space(), [&](const auto& instance) { work(instance, there.data()); });
      sums_ = there.on_host();
    }));
    moves_.communicator->all_reduce(std::span(sums_), Reduction::sum);
  }
  std::span<const std::int64_t> sums_of(std::size_t group, std::int64_t bins) const {
    return std::span<const std::int64_t>(sums_).subspan(group * at(bins), at(bins));
  }

  template <class Chooser>
  void find_candidates(const Chooser& chooser) {
    sum(groups_.count() * loss_classes, [&](const auto& instance, std::int64_t* histogram) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      constraints_there_ = {space(), label, std::span<const int>(groups_.constraints)};
      moves_.candidates.clear();
      const Goal& goal = moves_.goal;
      const double mean =
          static_cast<double>(goal.totals[0]) /
          static_cast<double>(std::max<std::int64_t>(moves_.level->all_vertices, 1));
      const Candidates<Instance> candidates{state_of(moves_),
                                            entries(),
                                            constraints_there_.data(),
                                            mean,
                                            histogram,
                                            moves_.candidates.template appender<Instance>()};
      for_listed(instance, moves_, moves_.border, chooser(candidates));
      moves_.candidates.count_up();
    });
  }
  void set_thresholds() {
    rests_ = groups_.amounts;
    for (std::size_t g = 0; g < rests_.size(); ++g) {
      if (groups_.constraints[g] == no_constraint) continue;
      const auto [bin, below] = threshold_of(sums_of(g, loss_classes), rests_[g]);
      thresholds_[g] = bin;
      rests_[g] -= below;
    }
  }
  void count_bins() {
    sum(groups_.count() * hash_bins, [&](const auto& instance, std::int64_t* histogram) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      thresholds_there_ = {space(), label, std::span<const int>(thresholds_)};
      exec::for_each(
          instance, label, moves_.candidates.size(),
          CountBins<Instance>{state_of(moves_), entries(), constraints_there_.data(),
                              thresholds_there_.data(), moves_.candidates.data(), histogram});
    });
  }
  // The bin that reaches the amount goes too, unless `is_nearest`, and that takes it further away.
  void set_bins(bool is_nearest) {
    for (std::size_t g = 0; g < rests_.size(); ++g) {
      if (groups_.constraints[g] == no_constraint || thresholds_[g] == loss_classes) continue;
      const std::span<const std::int64_t> bins = sums_of(g, hash_bins);
      const auto [bin, below] = threshold_of(bins, rests_[g]);
      const bool is_far =
          is_nearest && bin < hash_bins && below + bins[at(bin)] - rests_[g] > rests_[g] - below;
      bins_[g] = std::min(is_far ? bin : bin + 1, hash_bins);
    }
  }
  IsReleased is_released() const {
    return {state_of(moves_), entries(), thresholds_there_.data(), bins_there_.data()};
  }
  void count_released() {
    const std::int64_t weights = std::ssize(moves_.weights);
    sum(weights + groups_.count(), [&](const auto& instance, std::int64_t* sums) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      bins_there_ = {space(), label, std::span<const int>(bins_)};
      exec::for_each(
          instance, label, moves_.candidates.size(),
          CountReleased<Instance>{state_of(moves_), is_released(), constraints_there_.data(),
                                  moves_.candidates.data(), sums, sums + weights});
    });
    gone_.assign(sums_.begin() + weights, sums_.end());
  }
  template <class Instance>
  void admit(const Instance& instance, bool is_checked) {
    std::vector<std::uint32_t> shares(at(moves_.goal.parts), 0xFFFFFFFFU);
    const auto constraints = at(moves_.goal.constraints);
    for (std::size_t p = 0; is_checked && p < shares.size(); ++p)
      for (std::size_t c = 0; c < constraints; ++c) {
        const std::int64_t room = moves_.goal.limits[c] - moves_.weights[p * constraints + c];
        const std::int64_t comes = sums_[p * constraints + c];
        if (comes <= room) continue;
        const double share = std::max(0.0, static_cast<double>(room) / static_cast<double>(comes));
        shares[p] = std::min(shares[p], static_cast<std::uint32_t>(share * 4294967295.0));
      }
    const exec::Array<std::uint32_t> shares_there(space(), label,
                                                  std::span<const std::uint32_t>(shares));
    moves_.movers.clear();
    exec::for_each(instance, label, moves_.candidates.size(),
                   Admit<Instance>{is_released(), shares_there.data(), moves_.candidates.data(),
                                   moves_.movers.template appender<Instance>()});
    moves_.movers.count_up();
  }

  Moves& moves_;
  const Groups& groups_;
  std::vector<int> thresholds_, bins_;
  std::vector<std::int64_t> rests_, sums_, gone_;
  exec::Array<int> constraints_there_, thresholds_there_, bins_there_;
};

// The constraint that a part exceeds most.
int critical_constraint(const Moves& moves, std::size_t part) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  int critical = no_constraint;
  double greatest = 0;
  for (std::size_t c = 0; c < constraints; ++c) {
    const auto limit = static_cast<double>(moves.goal.limits[c]);
    const double excess =
        (static_cast<double>(moves.weights[part * constraints + c]) - limit) / std::max(limit, 1.0);
    if (excess <= greatest) continue;
    greatest = excess;
    critical = static_cast<int>(c);
  }
  return critical;
}

}  // namespace

std::int64_t relieve(Moves& moves) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  Groups groups;
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p) {
    const int c = critical_constraint(moves, p);
    const auto at = static_cast<std::size_t>(std::max(c, 0));
    groups.constraints.push_back(c);
    groups.amounts.push_back(c < 0 ? 0
                                   : moves.weights[p * constraints + at] - moves.goal.limits[at]);
  }
  return Release(moves, groups)
      .run(
          [&]<class Instance>(const Candidates<Instance>& candidates) {
            ChooseRelief<Instance> choice{candidates, {}};
            std::copy(moves.goal.limits.begin(), moves.goal.limits.end(), choice.limits);
            return choice;
          },
          true);
}

// --- Flows ---------------------------------------------------------------------------------------

namespace {

constexpr std::uint64_t no_key = std::numeric_limits<std::uint64_t>::max();

// Adds up the weight of each border in a hash table.
template <class Instance>
struct MeasureBorders {
  State state;
  std::uint64_t* keys;
  std::int64_t* weights;
  std::int64_t mask;
  int* is_full;

  KOKKOS_FUNCTION bool wants(Vertex v) const { return (state.marks[v] & on_border) != 0; }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const int own = state.parts[v];
    for (int i = 0; i < all.size(); ++i)
      if (all.part(i) != own) enter(own, all.part(i), all.weight(i));
  }
  KOKKOS_FUNCTION void enter(int from, int to, std::int64_t weight) const {
    const std::uint64_t key =
        static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint32_t>(to);
    auto slot = static_cast<std::int64_t>((key * 0x9E3779B97F4A7C15U) >> 20U) & mask;
    for (std::int64_t tried = 0; tried <= mask; ++tried, slot = (slot + 1) & mask) {
      std::uint64_t there = keys[slot];
      if (there == no_key) {
        if constexpr (has_one_thread<Instance>)
          keys[slot] = key;
        else
          there = Kokkos::atomic_compare_exchange(&keys[slot], no_key, key);
      }
      if (there == no_key || there == key) {
        add<Instance>(&weights[slot], weight);
        return;
      }
    }
    *is_full = 1;
  }
};

struct KeyedWeight {
  std::uint64_t key;
  std::int64_t weight;
};

}  // namespace

std::vector<Border> borders_of(Moves& moves) {
  std::vector<KeyedWeight> mine;
  const Status ready = attempt(moves_stage, [&] {
    const Space& space = moves.level->space;
    for (std::int64_t slots = 4096;; slots *= 4) {
      const auto keys = exec::filled<std::uint64_t>(space, label, slots, no_key);
      const auto weights = exec::filled<std::int64_t>(space, label, slots, 0);
      const auto is_full = exec::filled<int>(space, label, 1, 0);
      with_space(space, [&](const auto& instance) {
        using Instance = std::remove_cvref_t<decltype(instance)>;
        for_listed(instance, moves, moves.border,
                   MeasureBorders<Instance>{state_of(moves), keys.data(), weights.data(), slots - 1,
                                            is_full.data()});
      });
      const std::vector<std::uint64_t> all_keys = keys.on_host();
      const std::vector<std::int64_t> all_weights = weights.on_host();
      if (is_full.on_host()[0] != 0) continue;
      for (std::size_t i = 0; i < all_keys.size(); ++i)
        if (all_keys[i] != no_key) mine.push_back({all_keys[i], all_weights[i]});
      return;
    }
  });
  const Gathered<KeyedWeight> all =
      all_gather(*moves.communicator, ready, std::span<const KeyedWeight>(mine));
  std::map<std::uint64_t, std::int64_t> sums;
  const auto reversed = [](std::uint64_t key) { return key << 32U | key >> 32U; };
  for (const auto& [key, weight] : all.values) {
    sums[key] += weight;
    sums[reversed(key)] += 0;  // fixed vertices are on no border
  }
  std::vector<Border> borders;
  borders.reserve(sums.size());
  for (const auto& [key, weight] : sums)
    borders.push_back({static_cast<int>(key >> 32U), static_cast<int>(key & 0xFFFFFFFFU), weight});
  return borders;
}

namespace {

// What parts have too much, or room for, in a constraint. Parts are filled to less than the limit,
// as long as that leaves room for all.
std::vector<std::int64_t> excess_of(const Moves& moves, int constraint, double filling) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  const auto c = static_cast<std::size_t>(constraint);
  const std::int64_t limit = moves.goal.limits[c], mean = moves.goal.totals[c] / moves.goal.parts;
  std::vector<std::int64_t> excess;
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p) {
    const std::int64_t weight = moves.weights[p * constraints + c];
    const std::int64_t most = moves.has_lump(p) && c == 0 ? moves.goal.beside_lump : limit;
    const std::int64_t full =
        mean + static_cast<std::int64_t>(static_cast<double>(most - mean) * filling);
    if (weight > limit)
      excess.push_back(weight - full);
    else
      excess.push_back(std::min<std::int64_t>(weight - full, 0));
  }
  return excess;
}

int most_exceeded_constraint(const Moves& moves) {
  int found = no_constraint;
  double greatest = 0;
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p) {
    const int c = critical_constraint(moves, p);
    if (c < 0) continue;
    const auto limit = static_cast<double>(moves.goal.limits[static_cast<std::size_t>(c)]);
    const double excess =
        (static_cast<double>(moves.weights[p * constraints + static_cast<std::size_t>(c)]) -
         limit) /
        std::max(limit, 1.0);
    if (excess <= greatest) continue;
    greatest = excess;
    found = c;
  }
  return found;
}

// Collective. Carries flows out, as far as vertices are there for them.
std::int64_t carry(Moves& moves, const std::vector<Flow>& flows, int constraint) {
  constexpr int most_rounds = 24;
  std::int64_t all_moved = 0;
  std::vector<std::int64_t> firsts(static_cast<std::size_t>(moves.goal.parts) + 1, 0);
  std::vector<int> to;
  Groups groups;
  for (const Flow& flow : flows) {  // by `from`
    ++firsts[static_cast<std::size_t>(flow.from) + 1];
    to.push_back(flow.to);
    groups.amounts.push_back(flow.amount);
    groups.constraints.push_back(constraint);
  }
  for (std::size_t p = 1; p < firsts.size(); ++p) firsts[p] += firsts[p - 1];
  exec::Array<std::int64_t> firsts_there, amounts_there;
  exec::Array<int> to_there;
  for (int round = 0; round < most_rounds; ++round) {
    vote_between(*moves.communicator, attempt(moves_stage, [&] {
      const Space& space = moves.level->space;
      firsts_there = {space, label, std::span<const std::int64_t>(firsts)};
      to_there = {space, label, std::span<const int>(to)};
      amounts_there = {space, label, std::span<const std::int64_t>(groups.amounts)};
    }));
    Release release(moves, groups);
    const std::int64_t moved = release.run(
        [&]<class Instance>(const Candidates<Instance>& candidates) {
          return ChooseFlow<Instance>{candidates, firsts_there.data(), to_there.data(),
                                      amounts_there.data()};
        },
        false);
    all_moved += moved;
    if (moved == 0) break;
    for (std::size_t g = 0; g < groups.amounts.size(); ++g)
      groups.amounts[g] = std::max<std::int64_t>(groups.amounts[g] - release.gone()[g], 0);
  }
  return all_moved;
}

}  // namespace

std::int64_t level_out(Moves& moves, int most_attempts) {
  std::int64_t all_moved = 0;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const int constraint = most_exceeded_constraint(moves);
    if (constraint == no_constraint) break;
    const std::vector<Border> borders = borders_of(moves);
    // Fuller each time: what one attempt leaves may not have found vertices of its size.
    const double filling = attempt < 2 ? 0.7 : attempt < 4 ? 0.9 : 1.0;
    const std::vector<Flow> flows = cheapest_flows(borders, excess_of(moves, constraint, filling));
    const std::int64_t moved = carry(moves, flows, constraint);
    all_moved += moved;
    if (moved == 0 && attempt >= 4) break;
  }
  return all_moved;
}

}  // namespace evenkeel::graphs
