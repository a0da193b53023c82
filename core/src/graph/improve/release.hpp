#pragma once

// Releases given amounts of weight from groups of vertices. A chooser enters vertices on borders as
// candidates, each with a group, a target and a class. Classes are ranges of loss / weight, and
// those with less loss go first. If the last class as a whole would exceed the amount, a hash
// selects some of its vertices. So two sums over all ranks suffice, and no rank's vertices are
// preferred.

#include "graph/improve/moves_state.hpp"

#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

namespace evenkeel::graphs {

inline constexpr const char* release_label = "evenkeel::graph::release";

inline constexpr int loss_classes = 96;  // two classes for each factor of 2 of loss / weight
inline constexpr int hash_bins = 256;

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

KOKKOS_INLINE_FUNCTION int bin_of(std::uint64_t name, int step) {
  return static_cast<int>(drawn(name, step) >> 56U);
}

// The target, group and class of each candidate, by vertex.
struct Entries {
  int *targets, *groups, *classes;
};

template <class Instance>
struct Candidates {
  MovesState state;
  Entries entries;
  const int* constraint_of_group;
  double mean_weight;
  std::int64_t* histogram;  // groups x loss_classes entries
  Appender<Instance> list;

  KOKKOS_FUNCTION std::int64_t weight_in(std::int64_t group, Vertex v) const {
    return state.weight(v, constraint_of_group[group]);
  }
  KOKKOS_FUNCTION void enter(Vertex v, int target, int group, std::int64_t loss) const {
    const std::int64_t its_weight = weight_in(group, v);
    const int its_class = class_of(loss, its_weight, mean_weight);
    entries.targets[v] = target;
    entries.groups[v] = group;
    entries.classes[v] = its_class;
    add<Instance>(&histogram[static_cast<std::int64_t>(group) * loss_classes + its_class],
                  its_weight);
    list(v);
  }
};

template <class Instance>
struct CountBins {
  MovesState state;
  Entries entries;
  const int* constraint_of_group;
  const int* thresholds;  // for each group, the class of which only some vertices go
  const Vertex* candidates;
  std::int64_t* histogram;  // groups x hash_bins entries
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const int group = entries.groups[v];
    if (entries.classes[v] != thresholds[group]) return;
    add<Instance>(&histogram[static_cast<std::int64_t>(group) * hash_bins +
                             bin_of(state.names[v], state.step)],
                  state.weight(v, constraint_of_group[group]));
  }
};

struct IsReleased {
  MovesState state;
  Entries entries;
  const int* thresholds;
  const int* bins;  // by group; vertices of the threshold class go if their bin is lower
  KOKKOS_FUNCTION bool operator()(Vertex v) const {
    const int group = entries.groups[v];
    return entries.classes[v] < thresholds[group] ||
           (entries.classes[v] == thresholds[group] &&
            bin_of(state.names[v], state.step) < bins[group]);
  }
};

// Adds up the weight that enters each part, by constraint, and the weight that leaves each group.
template <class Instance>
struct CountReleased {
  MovesState state;
  IsReleased is_released;
  const int* constraint_of_group;
  const Vertex* candidates;
  std::int64_t *inflow, *outflow;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    if (!is_released(v)) return;
    const int group = is_released.entries.groups[v];
    for (int c = 0; c < state.constraints; ++c)
      add<Instance>(
          &inflow[static_cast<std::int64_t>(is_released.entries.targets[v]) * state.constraints +
                  c],
          state.weight(v, c));
    add<Instance>(&outflow[group], state.weight(v, constraint_of_group[group]));
  }
};

template <class Instance>
struct Admit {
  IsReleased is_released;
  const std::uint32_t* admissions;  // by part
  const Vertex* candidates;
  Appender<Instance> movers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Vertex v = candidates[i];
    const MovesState& state = is_released.state;
    if (is_released(v) &&
        lot_of(state.names[v], state.step) <= admissions[is_released.entries.targets[v]])
      movers(v);
  }
};

// --- Releasing groups ----------------------------------------------------------------------------

// For each group, the weight that may leave it, and the constraint in which this weight is
// measured.
struct ReleaseGroups {
  std::vector<int> constraints;
  std::vector<std::int64_t> amounts;

  std::int64_t count() const { return std::ssize(amounts); }
};

// The bin at which the running sum of the bins reaches an amount, and the sum of all bins before
// it.
struct ReleaseThreshold {
  int bin;
  std::int64_t below;
};
inline ReleaseThreshold threshold_of(std::span<const std::int64_t> bins, std::int64_t amount) {
  std::int64_t sum = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (sum + bins[bin] >= amount) return {static_cast<int>(bin), sum};
    sum += bins[bin];
  }
  return {static_cast<int>(bins.size()), sum};
}

class Release {
 public:
  Release(Moves& moves, const ReleaseGroups& groups) : moves_(moves), groups_(groups) {}

  // Collective. `chooser(candidates)` makes the body that enters candidates. If `is_checked` is
  // set, parts take no more weight than they have room for. Returns the number of vertices that
  // moved. Afterwards gone() is the weight that has left each group.
  template <class Chooser>
  std::int64_t run(const Chooser& chooser, bool is_checked) {
    find_candidates(chooser);
    set_thresholds();
    count_bins();
    set_bins(!is_checked);
    count_released();
    const Status ready = local([&](const auto& instance) { admit(instance, is_checked); });
    return moves_.commit(ready, moves_.room.release_targets, false);
  }
  const std::vector<std::int64_t>& gone() const { return gone_; }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  const Space& space() const { return moves_.level->space; }
  Entries entries() const {
    return {moves_.room.release_targets.data(), moves_.room.release_groups.data(),
            moves_.room.release_classes.data()};
  }
  template <class Work>
  Status local(const Work& work) const {
    return attempt(moves_stage, [&] { with_space(space(), work); });
  }
  // Collective. work(instance, sums) adds up `count` sums; then they are added over all ranks.
  template <class Work>
  void sum(std::int64_t count, const Work& work) {
    vote_between(*moves_.communicator, attempt(moves_stage, [&] {
      const auto there = exec::filled<std::int64_t>(space(), release_label, count, 0);
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
      thresholds_.assign(groups_.amounts.size(), 0);
      bins_.assign(groups_.amounts.size(), 0);
      rests_ = groups_.amounts;
      gone_.reserve(groups_.amounts.size());
      constraints_there_ = {space(), release_label, std::span<const int>(groups_.constraints)};
      moves_.lists.border.put_in_order(instance, moves_.vertices.marks.data(), on_border,
                                       moves_.level->owned);
      moves_.lists.candidates.clear();
      const Candidates<Instance> candidates{
          state_of(moves_),      entries(), constraints_there_.data(),
          moves_.mean_weight(0), histogram, moves_.lists.candidates.template appender<Instance>()};
      for_listed(instance, moves_, moves_.lists.border, chooser(candidates));
      moves_.lists.candidates.count_up();
    });
  }
  void set_thresholds() {
    for (std::size_t g = 0; g < rests_.size(); ++g) {
      const auto [bin, below] = threshold_of(sums_of(g, loss_classes), rests_[g]);
      thresholds_[g] = bin;
      rests_[g] -= below;
    }
  }
  void count_bins() {
    sum(groups_.count() * hash_bins, [&](const auto& instance, std::int64_t* histogram) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      thresholds_there_ = {space(), release_label, std::span<const int>(thresholds_)};
      exec::for_each(
          instance, release_label, moves_.lists.candidates.size(),
          CountBins<Instance>{state_of(moves_), entries(), constraints_there_.data(),
                              thresholds_there_.data(), moves_.lists.candidates.data(), histogram});
    });
  }
  // Also releases the bin at which a group reaches its amount. If `is_nearest` is set, does not
  // release this bin if the sum without it is nearer to the amount.
  void set_bins(bool is_nearest) {
    for (std::size_t g = 0; g < rests_.size(); ++g) {
      if (thresholds_[g] == loss_classes) continue;
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
    const std::int64_t weights = std::ssize(moves_.loads.weights);
    sum(weights + groups_.count(), [&](const auto& instance, std::int64_t* sums) {
      using Instance = std::remove_cvref_t<decltype(instance)>;
      bins_there_ = {space(), release_label, std::span<const int>(bins_)};
      exec::for_each(
          instance, release_label, moves_.lists.candidates.size(),
          CountReleased<Instance>{state_of(moves_), is_released(), constraints_there_.data(),
                                  moves_.lists.candidates.data(), sums, sums + weights});
    });
    gone_.assign(sums_.begin() + weights, sums_.end());
  }
  template <class Instance>
  void admit(const Instance& instance, bool is_checked) {
    std::vector<std::uint32_t> admissions(at(moves_.goal.parts), all_admitted);
    const auto constraints = at(moves_.goal.constraints);
    for (std::size_t p = 0; is_checked && p < admissions.size(); ++p)
      for (std::size_t c = 0; c < constraints; ++c) {
        const std::int64_t room =
            moves_.goal.limit_of(p, c) - moves_.loads.weights[p * constraints + c];
        const std::int64_t comes = sums_[p * constraints + c];
        if (comes <= room) continue;
        admissions[p] = std::min(
            admissions[p], admission_of(static_cast<double>(room) / static_cast<double>(comes)));
      }
    const exec::Array<std::uint32_t> admissions_there(space(), release_label,
                                                      std::span<const std::uint32_t>(admissions));
    moves_.lists.movers.clear();
    exec::for_each(
        instance, release_label, moves_.lists.candidates.size(),
        Admit<Instance>{is_released(), admissions_there.data(), moves_.lists.candidates.data(),
                        moves_.lists.movers.template appender<Instance>()});
    moves_.lists.movers.count_up();
  }

  Moves& moves_;
  const ReleaseGroups& groups_;
  std::vector<int> thresholds_, bins_;
  std::vector<std::int64_t> rests_, sums_, gone_;
  exec::Array<int> constraints_there_, thresholds_there_, bins_there_;
};

}  // namespace evenkeel::graphs
