#include "costs/learned_costs.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/stretches.hpp>

#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::balancer::costs";
constexpr double widest = 100;  // measured and expected loads may differ by this factor

// Returns an estimate of the load: near the expected load if noise explains the difference, and
// near the measured load if the difference is far greater. `left_over` is the share of loads that
// models do not explain. If costs differ within types, most of this share is not noise, so it is
// limited.
double beyond_noise(double measured, double expected, double left_over) {
  constexpr double most_noise = 0.02;
  const double off = measured / expected - 1, usual = 2 * std::min(left_over, most_noise);
  const double believed = std::max(0.0, off * off - usual * usual) / std::max(off * off, 1e-30);
  return expected * (1 + believed * off);
}

// True if a loop in chunks has timed objects of a set that is not empty.
bool is_usable(const StretchTimes& loop, std::span<const Set> sets) {
  return loop.steps > 0 && loop.objects > 0 && static_cast<std::size_t>(loop.set) < sets.size() &&
         sets[static_cast<std::size_t>(loop.set)].count() > 0;
}

double time_of(const StretchTimes& loop) {
  return std::accumulate(loop.nanoseconds.begin(), loop.nanoseconds.end(), 0.0);
}

struct Multiply {
  double by;
  double* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] *= by; }
};

void scale(const exec::Array<double>& values, double by) {
  exec::for_each(values.space(), label, values.size(), Multiply{by, values.data()});
}

// Raises costs by type that are 0, negative or very small.
struct RaiseTo {
  double least;
  double* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (!(costs[i] > least)) costs[i] = least;
  }
};

void require_positive(const exec::Array<double>& costs) {
  constexpr double least_share = 1e-3;  // share of the mean cost
  const double sum = sum_of(costs);
  const double least = sum > 0 ? least_share * sum / static_cast<double>(costs.size()) : 1;
  exec::for_each(costs.space(), label, costs.size(), RaiseTo{least, costs.data()});
}

// Objects without history cost what their type costs.
struct Enlarge {
  const double *by_type, *dearer;
  double* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    costs[i] = by_type[i] * (dearer[i] > 0 ? dearer[i] : 1);
  }
};

struct Spread {
  double of_known, of_types;
  const double* by_type;
  double* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    costs[i] = of_known * costs[i] + of_types * by_type[i];
  }
};

struct Compare {
  const double *costs, *by_type;
  double* dearer;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { dearer[i] = costs[i] / by_type[i]; }
};

// Multiplies the cost of an object in a phase by the ratio of its cost to its cost by type.
struct Adjust {
  const double *costs, *by_type;
  double* of_phase;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { of_phase[i] *= costs[i] / by_type[i]; }
};

struct ValuesDiffer {
  const std::int64_t *a, *b;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return a[i] != b[i]; }
};

bool are_same(const Space& space, const exec::Array<std::int64_t>& a,
              const exec::Array<std::int64_t>& b) {
  return a.size() == b.size() &&
         exec::first_that(space, a.size(), ValuesDiffer{a.data(), b.data()}) == a.size();
}

}  // namespace

bool LearnedCosts::has_keys() const noexcept {
  return std::any_of(keys_.begin(), keys_.end(), [](const auto& keys) { return !keys.empty(); });
}

std::int64_t LearnedCosts::follow(const Space& space, std::span<const Set> sets,
                                  RankRecords& records) {
  std::int64_t forgotten = 0;
  for (std::size_t s = 0; s < sets.size(); ++s) forgotten += follow(space, sets[s], s, records);
  return forgotten;
}

void LearnedCosts::follow_records(const Space& space, std::span<const Set> sets,
                                  RankRecords& records) {
  exec::Array<double> no_values;
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (!keys_[s].empty() && sets[s].options().key.given())
      match(space, sets[s], s, no_values, records);
}

// Matches the values and the records of objects by key. Returns the number of unknown keys.
std::int64_t LearnedCosts::match(const Space& space, const Set& set, std::size_t index,
                                 exec::Array<double>& values, RankRecords& records) {
  exec::Array<std::int64_t>& keys = keys_[index];
  exec::Array<std::int64_t> now = keys_of(space, set);
  std::int64_t unknown = 0;
  if (!are_same(space, keys, now)) {
    Followed known = followed(space, keys, values, now);
    records.follow(index, keys.size(), known.places);
    if (!values.empty()) values = std::move(known.values);
    unknown = known.unknown;
  }
  keys = std::move(now);
  return unknown;
}

std::int64_t LearnedCosts::follow(const Space& space, const Set& set, std::size_t index,
                                  RankRecords& records) {
  exec::Array<double>& costs = travelling_[index];
  exec::Array<std::int64_t>& keys = keys_[index];
  const std::int64_t count = set.count();
  const bool has_key = set.options().key.given();
  if (!has_key && costs.size() == count && count > 0) {
    keys = {};
    return 0;
  }
  const bool had_any = !costs.empty() && sum_of(costs) > 0;
  if (has_key && had_any && keys.size() == costs.size())
    return match(space, set, index, costs, records);
  keys = has_key ? keys_of(space, set) : exec::Array<std::int64_t>();
  costs = exec::filled(space, label, count, 0.0);
  if (index < is_new_.size()) is_new_[index] = 1;
  return had_any ? count : 0;
}

void LearnedCosts::travel_with(std::span<Set> sets) {
  for (std::size_t s = 0; s < sets.size(); ++s) sets[s].accompany(field_of(travelling_[s]));
}

void LearnedCosts::note_move() noexcept {
  for (auto* arrays : {&by_type_, &costs_})
    for (exec::Array<double>& array : *arrays) array = {};
}

void LearnedCosts::note_keys(const Space& space, std::span<const Set> sets) {
  for (exec::Array<std::int64_t>& keys : keys_) keys = {};
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (sets[s].options().key.given()) keys_[s] = keys_of(space, sets[s]);
}

void LearnedCosts::give_back() noexcept {
  for (std::size_t s = 0; s < std::min(travelling_.size(), is_new_.size()); ++s)
    if (is_new_[s] != 0) travelling_[s] = {};
  is_new_.clear();
}

std::int64_t LearnedCosts::expected() const {
  std::int64_t sum = 0;
  for (const auto& costs : of_sets()) sum += std::llround(sum_of(costs));
  return sum;
}

double LearnedCosts::share_followed(double measured, double foretold) noexcept {
  constexpr double least = 0.5, far_off = 0.2;
  if (foretold <= 0 || measured <= 0) return least;
  const double off = std::abs(measured / foretold - 1);
  return std::max(least, 1 - (1 - least) * off / far_off);
}

void LearnedCosts::learn(const Space& space, std::span<const Set> sets,
                         const CostEvidence& measured, double followed) {
  // The last epoch has more weight, since loads move. The other epochs count, too, since
  // measurements are noisy.
  const double mine = (measured.mine + measured.last) / 2;
  std::int64_t objects = 0;
  for (const Set& set : sets) objects += set.count();
  for (std::size_t s = 0; s < sets.size(); ++s) {
    exec::Array<double>& costs = travelling_[s];
    const std::int64_t count = sets[s].count();
    if (measured.mean_per_object > 0) {
      const double mean = mine > 0 ? mine / static_cast<double>(objects) : measured.mean_per_object;
      const MeasuredLoad load = {mean * static_cast<double>(count), measured.mean_per_object,
                                 followed};
      costs = measured_weights(space, count, load, costs);
    } else if (!(sum_of(costs) > 0)) {
      costs = exec::filled(space, label, count, mean_per_object_);
    }
  }
  refresh(sets, measured.mine, measured.chunks);
}

void LearnedCosts::renew(const Space& space, std::span<const Set> sets, const WorkCosts& work) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    by_type_[s] = costs_of(space, sets[s], work.costs(s));
    require_positive(by_type_[s]);
    const std::int64_t count = sets[s].count();
    if (!is_typed_ || travelling_[s].size() != count)
      travelling_[s] = exec::filled(space, label, count, 1.0);
    costs_[s] = exec::Array<double>(space, label, count);
    exec::for_each(space, label, count,
                   Enlarge{by_type_[s].data(), travelling_[s].data(), costs_[s].data()});
    space.fence(label);
  }
  is_typed_ = true;
}

// Distributes the load of this rank, as beyond_noise() estimates it. The share that the learned
// costs of objects have predicted is distributed by these, and the rest by the costs of types.
void LearnedCosts::learn_by_type(std::span<const Set> sets, const CostEvidence& measured,
                                 const WorkCosts& work) {
  double by_type = 0, expected = 0;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    by_type += sum_of(by_type_[s]);
    expected += sum_of(costs_[s]);
  }
  if (!(by_type > 0) || !(expected > 0)) return;
  const bool is_measured = work.are_measured() && measured.mine > 0;
  const double mine = is_measured ? (measured.mine + measured.last) / 2 : expected;
  const double followed = share_followed(mine, expected);
  const double load =
      std::clamp(beyond_noise(mine, expected, work.noise()), by_type / widest, by_type * widest);
  for (std::size_t s = 0; s < sets.size(); ++s)
    exec::for_each(costs_[s].space(), label, costs_[s].size(),
                   Spread{followed * load / expected, (1 - followed) * load / by_type,
                          by_type_[s].data(), costs_[s].data()});
  refresh(sets, measured.mine, measured.chunks);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Space space = costs_[s].space();
    exec::for_each(space, label, costs_[s].size(),
                   Compare{costs_[s].data(), by_type_[s].data(), travelling_[s].data()});
    space.fence(label);
  }
}

LearnedCosts::ByPhase LearnedCosts::by_phase(const Space& space, std::span<const Set> sets,
                                             const WorkCosts& work) const {
  ByPhase all(sets.size());
  for (int phase = 0; phase < kernel_phases; ++phase) {
    if ((work.phases() >> phase & 1U) == 0) continue;
    double expected = 0;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      exec::Array<double>& costs =
          all[s].emplace_back(costs_of(space, sets[s], work.costs(s, phase)));
      exec::for_each(space, label, costs.size(),
                     Adjust{costs_[s].data(), by_type_[s].data(), costs.data()});
      expected += sum_of(costs);
    }
    const double measured = work.load_of(phase);
    if (measured > 0 && expected > 0) {
      const double load = std::clamp(beyond_noise(measured, expected, work.noise()),
                                     expected / widest, expected * widest);
      for (const auto& of_set : all) scale(of_set.back(), load / expected);
    }
  }
  space.fence(label);
  return all;
}

// Distributes the cost of each stretch over its objects, and the cost outside of chunks over all
// objects, in proportion to the costs that were known before.
void LearnedCosts::refresh(std::span<const Set> sets, double cost, const ChunkEvidence& chunks) {
  constexpr double least_rest = 1e-3;  // share of the time in chunks: keeps all costs positive
  double in_chunks = 0, known = 0;
  for (const StretchTimes& loop : chunks.loops)
    if (is_usable(loop, sets)) {
      in_chunks += chunks.speed * time_of(loop) / loop.steps;
      cost -= chunks.speed * loop.all_nanoseconds / loop.all_steps;
    }
  for (const exec::Array<double>& costs : of_sets()) known += sum_of(costs);
  if (!(in_chunks > 0) || !(known > 0)) return;
  const double rest = std::max(least_rest * in_chunks, cost);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const exec::Array<double>& costs = of_sets()[s];
    if (costs.size() != sets[s].count() || costs.empty()) continue;
    scale(costs, rest / known);
    for (const StretchTimes& loop : chunks.loops) {
      if (!is_usable(loop, sets) || static_cast<std::size_t>(loop.set) != s) continue;
      std::vector<double> per_step = loop.nanoseconds;
      for (double& nanoseconds : per_step) nanoseconds = chunks.speed * nanoseconds / loop.steps;
      add_stretches(per_step, loop.objects, costs);
    }
  }
}

}  // namespace evenkeel
