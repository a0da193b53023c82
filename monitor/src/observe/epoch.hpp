#pragma once

// The values that are reduced at the end of an epoch, which is the steps between two looks: the
// sample of one rank, and the totals over all ranks. Totals have a fixed size, and their sums are
// integers, so all ranks get identical bits in any order of the reduction.

#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/counterfactual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel {

// Steps between posting a reduction of a look and completing it; see docs/monitor.md.
inline constexpr int protocol_latency_steps = 2;

// Steps of the shortest epoch: the two reductions of one look end before the next look begins.
inline constexpr int least_epoch_steps = 2 * protocol_latency_steps + 2;

// The number of slots. A slot is the sum of the load over consecutive steps, measured or not, since
// the last look. All slots have the same number of steps (at first one), and cover the same steps
// on all ranks.
inline constexpr std::size_t step_slots = 16;
using StepSlots = std::array<std::int64_t, step_slots>;

// Returns the nearest integer, but at most 2^61, so that a sum of two results does not overflow. If
// the argument is not positive, returns 0.
inline std::int64_t whole(double nanoseconds) {
  constexpr double most = 0x1p61;
  return nanoseconds > 0 ? std::llround(std::min(nanoseconds, most)) : 0;
}

// How long a fixed piece of work takes on the ranks; see observe/pace.hpp. A pace is the logarithm
// of nanoseconds. Paces, shares and variances are in 2^-20.
struct PaceTally {
  static constexpr double unit = 0x1p20;

  std::int64_t known = 0;     // ranks with a pace
  std::int64_t sum = 0;       // of their paces
  std::int64_t greatest = 0;  // pace
  std::int64_t slowest = -1;  // the first rank with the greatest pace
  std::int64_t waits = 0;     // the share of its time in which that rank waits for a core
  std::int64_t of_slow = 0;   // pace of the rank that is known to be slow; 0 if unknown
  std::int64_t variance = 0;  // of the error of a pace, summed over ranks
  std::int64_t took = 0;      // greatest time of this measurement; 0 without one
};

// The memory of one rank, the bytes of its objects, and the steps until they fill it at the growth
// of the last looks.
struct RankMemory {
  // steps_left if the bytes do not grow
  static constexpr std::int64_t never = std::int64_t{1} << 61;

  std::int64_t rank = -1;  // negative if nothing is known
  std::int64_t bytes = 0, limit = 0;
  std::int64_t steps_left = never;

  bool is_known() const noexcept { return rank >= 0; }
  double share() const noexcept {
    return limit > 0 ? static_cast<double>(bytes) / static_cast<double>(limit) : 0;
  }
};

// The memory of all ranks, if it is limited: that of the fullest rank, and that of the rank that
// will be full soonest. `asked` is the least `steps_left` of the ranks that ask for a rebalance.
struct MemoryTotals {
  RankMemory fullest, soonest;
  std::int64_t asked = RankMemory::never;
};
EVENKEEL_API void combine(MemoryTotals& into, const MemoryTotals& from) noexcept;

// The measurements of one rank in an epoch; times are in nanoseconds.
struct Sample {
  std::int64_t step = 0;        // number of the last step of the epoch
  std::int64_t steps = 0;       // number of measured steps
  std::int64_t generation = 0;  // of the decomposition that was measured
  std::int64_t objects = 0;     // number that this rank owns at the end
  std::int64_t load = 0;        // time in kernels
  std::int64_t duration = 0;    // time of the steps, in kernels and outside them
  std::int64_t variance = 0;    // of the load from step to step, in Totals::unit squared
  std::int64_t cost = 0;        // time of the rebalances since the last look
  std::int64_t rebuild = 0;     // extra time outside of kernels in the step after a rebalance
  std::int64_t noted = 0;       // time that the application has noted for these rebalances
  std::int64_t extra = 0;       // extra time in kernels in the step after a rebalance; less than 0
                                // if noise made that step shorter than later ones
  std::int64_t bytes = 0;       // number that the rebalances moved
  std::int64_t rebalances = 0;  // number of these rebalances; with a cost, 0 counts as 1
  // The time and the bytes of the first distribution.
  std::int64_t first_cost = 0, first_bytes = 0;
  std::int64_t command = 0;  // of a user, on rank 0: a Command of decide/decision.hpp
  std::int64_t survey = 0;   // time of the survey
  PaceTally pace = {};
  bool fit = true;  // false if the clock went backwards, or nothing was measured
  std::vector<std::int64_t> kernels = {};  // time of each kernel, in the order of the known names
  std::uint64_t names = 0;                 // hash of the known names
  std::vector<std::int64_t> phases = {};   // the load of each phase

  // The number and the load of all steps since the last look.
  std::int64_t all_steps = 0, all_load = 0;
  StepSlots slots{};  // the load in each slot
  // The load in each slot under the first domains, if it is known; while the first domains are in
  // use, under the domains to which advice would have led.
  StepSlots other_slots{};
  Counterfactual would_be = {};
  MemoryTotals memory = {};  // of this rank
};

// A sum, a minimum and a maximum over the ranks.
struct RankTally {
  std::int64_t sum = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::lowest();

  static constexpr RankTally of(std::int64_t value) noexcept { return {value, value, value}; }
};

struct Totals {
  static constexpr int named_kernels = 32;  // all further kernels count as `other`
  static constexpr int other = named_kernels;

  // The least and the greatest value over ranks. They differ if ranks differ.
  std::int64_t step_least = 0, step_greatest = 0;
  std::int64_t generation_least = 0, generation_greatest = 0;
  std::uint64_t names_least = 0, names_greatest = 0;
  std::int64_t ranks = 0;
  std::int64_t unfit = 0;  // ranks whose sample cannot be trusted
  std::int64_t steps = 0;  // the least number of measured steps on any rank

  // The members of Sample over all ranks; times are in nanoseconds.
  RankTally load, duration, objects;
  std::int64_t cost = 0;     // greatest
  std::int64_t rebuild = 0;  // least: on other ranks it includes waiting for slower ranks
  std::int64_t noted = 0;    // greatest
  std::int64_t extra = 0;    // sum, since noise differs from rank to rank
  std::int64_t bytes = 0;    // greatest
  // The greatest, too.
  std::int64_t rebalances = 0, first_cost = 0, first_bytes = 0;
  std::int64_t command = 0;  // greatest
  std::int64_t survey = 0;   // greatest
  PaceTally pace = {};
  std::int64_t unit = 0;      // of the next two, in nanoseconds; the same on all ranks
  std::int64_t spread = 0;    // between ranks: sum over ranks of ((load - last mean) / unit)^2
  std::int64_t variance = 0;  // from step to step: sum over ranks, in unit^2
  std::array<RankTally, named_kernels + 1> kernels{};  // valid if the names agree
  std::array<RankTally, kernel_phases> phases{};

  // For all steps since the last look: the least number of steps on any rank, the load summed over
  // ranks, and in each slot the greatest load of a rank, since all ranks wait for that rank.
  std::int64_t all_steps = 0, all_load = 0;
  StepSlots slots{}, other_slots{};
  Counterfactual would_be = {};
  MemoryTotals memory = {};

  // Nanoseconds over all steps since the last look: the load of the slowest rank of each slot, the
  // load of the average rank, and `extra` of the average rank.
  EVENKEEL_API double slowest_of_all() const noexcept;
  double mean_of_all() const noexcept {
    return ranks > 0 ? static_cast<double>(all_load) / static_cast<double>(ranks) : 0;
  }

  // The cost of rebalances outside of evenkeel and of kernels.
  double cost_of_application() const noexcept {
    return static_cast<double>(rebuild) + static_cast<double>(noted);
  }

  double mean_extra() const noexcept {
    return ranks > 0 ? static_cast<double>(extra) / static_cast<double>(ranks) : 0;
  }

  // The level under the other domains: (load of the slowest rank of each slot - load of the average
  // rank) / load of the average rank. In both loads, recurring work is spread over its period.
  EVENKEEL_API double level_of_others() const noexcept;

  // If the loads under other domains were predicted before the epoch, scales them so that their
  // mean load is the measured one.
  EVENKEEL_API void scale_predictions() noexcept;

  bool names_agree() const noexcept { return names_least == names_greatest; }
  double mean_load() const noexcept {
    return ranks > 0 ? static_cast<double>(load.sum) / static_cast<double>(ranks) : 0;
  }
  // The load for which all ranks wait: the greatest load of a rank or, with several phases, the sum
  // over the phases of the greatest load of a rank in the phase.
  EVENKEEL_API std::int64_t critical_load() const noexcept;
  // critical_load() / mean_load(); 1 without load. See monitor/metrics.hpp.
  EVENKEEL_API double lambda() const noexcept;
  EVENKEEL_API double imbalance_percent() const noexcept;
  // The share of the time that kernels cover: load / duration, each summed over all ranks.
  EVENKEEL_API double coverage() const noexcept;
  // Seconds per step that the average rank waits for the slowest ranks of the phases.
  EVENKEEL_API double wasted_seconds() const noexcept;
};

// Multiplies all loads that are known.
EVENKEEL_API void scale_loads(Counterfactual& would_be, double factor) noexcept;

// Returns the contribution of one rank. `last_mean` is the mean load at the last look, or 0 at the
// first look. The spread is measured from this mean, in fixed point that cannot overflow. A
// negative number counts as 0, and makes the sample unfit.
EVENKEEL_API Totals totals_of(const Sample& sample, std::int64_t last_mean) noexcept;

// Adds `from` to `into`; associative and commutative to the bit. A sum that would overflow stays at
// the greatest number.
EVENKEEL_API void combine(Totals& into, const Totals& from) noexcept;

// The loads of single ranks, for the journal. With up to 256 ranks, there is a value for each rank.
// With more ranks, the values are a histogram of load / last mean, in bins of width 1/64. The last
// bin also counts all greater loads. If there is no last mean, every rank with a load is in the
// last bin.
struct LoadPicture {
  static constexpr int slots = 256;
  static constexpr int bins_per_mean = 64;
  std::array<std::int64_t, slots> values{};
};

EVENKEEL_API LoadPicture picture_of(std::int64_t load, int rank, int ranks,
                                    std::int64_t last_mean) noexcept;
EVENKEEL_API void combine(LoadPicture& into, const LoadPicture& from) noexcept;

}  // namespace evenkeel
