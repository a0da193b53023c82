#pragma once

// All that a decision depends on beside the totals of a look: what was chosen, and what is
// remembered of the past. A value of fixed size, the same on all ranks to the bit.

#include "agree/epoch.hpp"
#include "decide/ledger.hpp"
#include "decide/outlook.hpp"
#include "decide/refinement.hpp"

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/trigger.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace evenkeel {

// What was seen since the last rebalance, or since the start. Times are nanoseconds per step, sums
// of them nanoseconds. u = max - average.
struct Trend {
  double slope = 0;    // nanoseconds per step and step
  double scatter = 0;  // standard deviation about it, nanoseconds per step
};

struct Interval {
  static constexpr std::size_t recent = 3;

  std::int64_t looks = 0;
  std::int64_t steps = 0;              // that were measured
  double wasted = 0;                   // sum of u
  double slowest = 0;                  // sum of max
  double degradation = 0;              // Zhai's sum
  double efficiency = 0;               // average / max, of the first look
  std::array<double, recent> waste{};  // u of the last looks, the latest first
  std::array<double, recent> peak{};   // max of the last looks

  // Over the looks, of the step in the middle of each (counted in the interval) and of u: means,
  // and sums of products of the deviations from them.
  double mean_step = 0, mean_waste = 0;
  double step_step = 0, step_waste = 0, waste_waste = 0;

  // Of as many of the last looks as there are; 0 without any.
  EVENKEEL_API double median_waste() const noexcept;
  EVENKEEL_API double median_peak() const noexcept;
  // Of u, by least squares; 0 for fewer than three looks.
  EVENKEEL_API Trend trend() const noexcept;
};

struct State {
  // From the options.
  Trigger trigger = Never{};
  double floor_percent = 0;         // below this imbalance nothing happens
  double least_coverage = 0;        // below this coverage nothing happens
  std::int64_t cooldown_steps = 0;  // after a rebalance
  std::int64_t horizon = 0;         // steps that the run will take; 0: unknown
  double expected_cost = 0;         // of a rebalance, in mean steps, until one was measured
  std::int64_t epoch_steps = 0;     // between two looks; 0: the trigger says
  std::int64_t latency_steps = 0;   // from a look to the rebalance that it leads to
  std::int64_t shift_rounds = 0;    // shifts that may be made after a new cut; 0: none
  double shift_penalty = 1;         // of the first of them
  std::int64_t kept_from = -1;      // the first generation that can be gone back to; -1: none can

  // From the past. Steps are counted from the first of a run, also where it goes on from a
  // checkpoint.
  std::int64_t began_at = 0;  // steps before this part of the run
  std::int64_t looks = 0;
  std::int64_t step = 0;        // of the last look
  std::int64_t generation = 0;  // of the decomposition
  std::int64_t rebalances = 0;
  std::int64_t unchanged = 0;       // of these, those that left everything where it was
  std::int64_t rebalanced_at = -1;  // step; -1: never; began_at: the first distribution
  std::int64_t mean_load = 0;       // nanoseconds, of the last look
  std::int64_t paused = 0;          // 1: nothing happens until somebody says resume
  Interval interval = {};
  Ledger ledger = {};
  Outlook outlook = {};
  ShiftCourse refinement = {};
};

// A 64-bit hash that does not depend on the build.
EVENKEEL_API std::uint64_t hash_of(const State& state);
EVENKEEL_API std::uint64_t hash_of(const std::string& text) noexcept;

// A line "key = value" for each member; state_from_text reads them back to the bit, but for the
// function of a Custom. `source` names the text in Errors.
EVENKEEL_API std::string to_text(const State& state);
EVENKEEL_API State state_from_text(const std::string& text, const std::string& source);

}  // namespace evenkeel
