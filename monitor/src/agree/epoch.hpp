#pragma once

// What is reduced at the end of an epoch, a window of steps between two looks at the load: the
// sample of one rank, and the totals over all ranks. The payload has a fixed size, and sums are
// integers, so that all ranks see identical bits whatever the order of the reduction.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/counterfactual.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace evenkeel {

// Every look takes this many steps between posting a reduction and completing it; see
// docs/monitor.md.
inline constexpr int protocol_latency_steps = 2;

// The shortest epoch: the two reductions of one look end before the next look begins.
inline constexpr int least_epoch_steps = 2 * protocol_latency_steps + 2;

// The load of all steps since the last look, measured or not, is reported in this many sums: of one
// step each, or of equally many consecutive steps each, on all ranks alike.
inline constexpr std::size_t step_slots = 16;
using StepSlots = std::array<std::int64_t, step_slots>;

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
  std::int64_t rebuild = 0;     // that the application has spent on it in the step after,
  std::int64_t extra = 0;       // and what its kernels have taken longer there than usual
  std::int64_t bytes = 0;       // that it moved
  std::int64_t command = 0;     // from outside, on rank 0: a Command of decide/decision.hpp
  std::int64_t survey = 0;      // that the survey took
  bool fit = true;              // false: the clock went backwards, or nothing was measured
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

// Over the ranks.
struct Tally {
  std::int64_t sum = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::lowest();

  static constexpr Tally of(std::int64_t value) noexcept { return {value, value, value}; }
};

struct Totals {
  static constexpr int named_kernels = 32;  // the rest counts as `other`
  static constexpr int other = named_kernels;

  // Header. Least and greatest differ when ranks do not run alike.
  std::int64_t step_least = 0, step_greatest = 0;
  std::int64_t generation_least = 0, generation_greatest = 0;
  std::uint64_t names_least = 0, names_greatest = 0;
  std::int64_t ranks = 0;
  std::int64_t unfit = 0;  // ranks whose sample cannot be trusted
  std::int64_t steps = 0;  // least that a rank has measured

  // Nanoseconds over the epoch.
  Tally load, duration, objects;
  std::int64_t cost = 0;      // greatest
  std::int64_t rebuild = 0;   // least: where it is more, a rank has waited for others
  std::int64_t extra = 0;     // greatest
  std::int64_t bytes = 0;     // greatest
  std::int64_t command = 0;   // greatest
  std::int64_t survey = 0;    // greatest
  std::int64_t unit = 0;      // of the two that follow; the same on all ranks
  std::int64_t spread = 0;    // between ranks: sum of ((load - last mean) / unit)^2
  std::int64_t variance = 0;  // from step to step: sum over ranks, per unit^2
  std::array<Tally, named_kernels + 1> kernels{};  // meaningful when the names agree
  std::array<Tally, kernel_phases> phases{};

  // All steps since the last look: the least number on any rank, the sum of the load over ranks,
  // and in each slot the greatest load of a rank: what all of them have waited for.
  std::int64_t all_steps = 0, all_load = 0;
  StepSlots slots{}, other_slots{};
  Counterfactual would_be = {};

  // Nanoseconds over all of these steps, of the slowest rank of each and of the average rank.
  EVENKEEL_API double slowest_of_all() const noexcept;
  double mean_of_all() const noexcept {
    return ranks > 0 ? static_cast<double>(all_load) / static_cast<double>(ranks) : 0;
  }

  // How far the slowest ranks under the other domains are above the average rank, as a share of its
  // load. Both as measured, with recurring work spread over its period.
  EVENKEEL_API double level_of_others() const noexcept;

  bool names_agree() const noexcept { return names_least == names_greatest; }
  double mean_load() const noexcept {
    return ranks > 0 ? static_cast<double>(load.sum) / static_cast<double>(ranks) : 0;
  }
  // What all ranks wait for: the greatest load, or, where work is in several phases with a barrier
  // between them, the sum over the phases of the greatest in each.
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

// One rank's part. `last_mean`: the mean load of the look before, 0 at first; the spread is counted
// about it, in fixed point that cannot overflow. A negative number counts as 0, and makes the
// sample unfit.
EVENKEEL_API Totals totals_of(const Sample& sample, std::int64_t last_mean) noexcept;

// Associative and commutative to the bit. A sum that would overflow stays at the greatest number.
EVENKEEL_API void combine(Totals& into, const Totals& from) noexcept;

// What the journal shows of single ranks: the load of each of up to 256 ranks; above, how many
// ranks have which share of the last mean, in bins of 1/64 of it, the last one open. Without a last
// mean, every rank with a load is in the last bin.
struct LoadPicture {
  static constexpr int slots = 256;
  static constexpr int bins_per_mean = 64;
  std::array<std::int64_t, slots> values{};
};

EVENKEEL_API LoadPicture picture_of(std::int64_t load, int rank, int ranks,
                                    std::int64_t last_mean) noexcept;
EVENKEEL_API void combine(LoadPicture& into, const LoadPicture& from) noexcept;

}  // namespace evenkeel
