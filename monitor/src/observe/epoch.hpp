#pragma once

// The values that are reduced at the end of an epoch, a window of steps between two looks at the
// load: the sample of one rank, and the totals over all ranks. The payload has a fixed size, and
// sums are integers, so that all ranks see identical bits whatever the order of the reduction.

#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/counterfactual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel {

// Every look takes this many steps between posting a reduction and completing it; see
// docs/monitor.md.
inline constexpr int protocol_latency_steps = 2;

// The shortest epoch: the two reductions of one look end before the next look begins.
inline constexpr int least_epoch_steps = 2 * protocol_latency_steps + 2;

// The load of all steps since the last look, measured or not, is reported in this many sums. Each
// is over one step, or over the same number of consecutive steps, and covers the same steps on all
// ranks.
inline constexpr std::size_t step_slots = 16;
using StepSlots = std::array<std::int64_t, step_slots>;

// The nearest integer, bounded so that sums do not overflow; 0 unless the argument is positive.
inline std::int64_t whole(double nanoseconds) {
  constexpr double most = 0x1p61;
  return nanoseconds > 0 ? std::llround(std::min(nanoseconds, most)) : 0;
}

// One rank's nanoseconds over an epoch.
struct Sample {
  std::int64_t step = 0;        // the last one of the epoch
  std::int64_t steps = 0;       // that were measured
  std::int64_t generation = 0;  // of the decomposition that was measured
  std::int64_t objects = 0;     // owned at the end
  std::int64_t load = 0;        // in kernels
  std::int64_t duration = 0;    // from step to step, kernels or not
  std::int64_t variance = 0;    // of the load from step to step, in units of Totals::unit squared
  std::int64_t cost = 0;        // of the rebalance since the last look, 0 without one
  std::int64_t rebuild = 0;     // that the application spent on it in the step after,
  std::int64_t extra = 0;       // and the extra time of its kernels in that step
  std::int64_t bytes = 0;       // that it moved
  std::int64_t command = 0;     // of a user, on rank 0: a Command of decide/decision.hpp
  std::int64_t survey = 0;      // that the survey took
  bool fit = true;              // false if the clock went backwards, or nothing was measured
  std::vector<std::int64_t> kernels = {};  // by the order of the known names
  std::uint64_t names = 0;                 // hash of the known names
  std::vector<std::int64_t> phases = {};   // the load, by the phases of its kernels

  // All steps since the last look.
  std::int64_t all_steps = 0, all_load = 0;
  StepSlots slots{};  // the load
  // The load under the first domains, if known; while those are in use, under the domains that
  // advice would have led to.
  StepSlots other_slots{};
  Counterfactual would_be = {};
};

// A sum, a minimum and a maximum over the ranks.
struct RankTally {
  std::int64_t sum = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::lowest();

  static constexpr RankTally of(std::int64_t value) noexcept { return {value, value, value}; }
};

struct Totals {
  static constexpr int named_kernels = 32;  // the rest counts as `other`
  static constexpr int other = named_kernels;

  // Header. Least and greatest differ if ranks differ.
  std::int64_t step_least = 0, step_greatest = 0;
  std::int64_t generation_least = 0, generation_greatest = 0;
  std::uint64_t names_least = 0, names_greatest = 0;
  std::int64_t ranks = 0;
  std::int64_t unfit = 0;  // ranks whose sample cannot be trusted
  std::int64_t steps = 0;  // the least number measured on any rank

  // Nanoseconds over the epoch.
  RankTally load, duration, objects;
  std::int64_t cost = 0;      // greatest
  std::int64_t rebuild = 0;   // least: a greater one includes waiting for other ranks
  std::int64_t extra = 0;     // greatest
  std::int64_t bytes = 0;     // greatest
  std::int64_t command = 0;   // greatest
  std::int64_t survey = 0;    // greatest
  std::int64_t unit = 0;      // of the next two; the same on all ranks
  std::int64_t spread = 0;    // between ranks: sum of ((load - last mean) / unit)^2
  std::int64_t variance = 0;  // from step to step: sum over ranks, per unit^2
  std::array<RankTally, named_kernels + 1> kernels{};  // valid if the names agree
  std::array<RankTally, kernel_phases> phases{};

  // All steps since the last look: the least number on any rank, the sum of the load over ranks,
  // and in each slot the greatest load of a rank, which all ranks wait for.
  std::int64_t all_steps = 0, all_load = 0;
  StepSlots slots{}, other_slots{};
  Counterfactual would_be = {};

  // Nanoseconds over all of these steps: of the slowest rank in each step, and of the average rank.
  EVENKEEL_API double slowest_of_all() const noexcept;
  double mean_of_all() const noexcept {
    return ranks > 0 ? static_cast<double>(all_load) / static_cast<double>(ranks) : 0;
  }

  // The load of the slowest ranks under the other domains above that of the average rank, as a
  // share of the latter. Both are as measured, with recurring work spread over its period.
  EVENKEEL_API double level_of_others() const noexcept;

  bool names_agree() const noexcept { return names_least == names_greatest; }
  double mean_load() const noexcept {
    return ranks > 0 ? static_cast<double>(load.sum) / static_cast<double>(ranks) : 0;
  }
  // The load that all ranks wait for: the greatest one or, if work is in several phases with a
  // barrier between them, the sum over the phases of the greatest load in each.
  EVENKEEL_API std::int64_t critical_load() const noexcept;
  // max / average of the load, with the critical load for max; 1 without load. See
  // monitor/metrics.hpp.
  EVENKEEL_API double lambda() const noexcept;
  EVENKEEL_API double imbalance_percent() const noexcept;
  // The share of the steps that the kernels cover: kernel seconds / step seconds over all ranks.
  EVENKEEL_API double coverage() const noexcept;
  // Seconds per step that ranks wait for the slowest on average, over all phases.
  EVENKEEL_API double wasted_seconds() const noexcept;
};

// The contribution of one rank. `last_mean` is the mean load of the look before, or 0 at first. The
// spread is counted about it, in fixed point that cannot overflow. A negative number counts as 0,
// and makes the sample unfit.
EVENKEEL_API Totals totals_of(const Sample& sample, std::int64_t last_mean) noexcept;

// Associative and commutative to the bit. A sum that would overflow stays at the greatest number.
EVENKEEL_API void combine(Totals& into, const Totals& from) noexcept;

// The loads of single ranks for the journal: with up to 256 ranks, the load of each. With more, it
// is a histogram of the loads as shares of the last mean, in bins of 1/64 of it, of which the last
// one is open. Without a last mean, every rank with a load is in the last bin.
struct LoadPicture {
  static constexpr int slots = 256;
  static constexpr int bins_per_mean = 64;
  std::array<std::int64_t, slots> values{};
};

EVENKEEL_API LoadPicture picture_of(std::int64_t load, int rank, int ranks,
                                    std::int64_t last_mean) noexcept;
EVENKEEL_API void combine(LoadPicture& into, const LoadPicture& from) noexcept;

}  // namespace evenkeel
