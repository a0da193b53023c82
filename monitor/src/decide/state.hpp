#pragma once

// The state of decisions. A decision depends only on this state, which contains the options and the
// memory of the past, and on the totals of a look. The state has a fixed size, and is the same on
// all ranks to the bit.

#include "decide/ledger.hpp"
#include "decide/outlook.hpp"
#include "decide/refinement.hpp"
#include "observe/figures.hpp"

#include <evenkeel/monitor/trigger.hpp>

namespace evenkeel {

// The growth of u since the last rebalance; no decision uses it. Each look gives a point: the step
// in the middle of its epoch, counted from the rebalance, and u. The members are the means over the
// points, and the sums of products of the deviations from these means.
struct WasteTrend {
  double mean_step = 0, mean_waste = 0;
  double step_step = 0, step_waste = 0, waste_waste = 0;

  void add(double step, double waste, std::int64_t looks) noexcept;
  // The line by least squares; 0 for fewer than three looks.
  EVENKEEL_API Trend line(std::int64_t looks) const noexcept;
};

// The looks since the last rebalance, or since the start. Times are in nanoseconds per step, and
// their sums over steps in nanoseconds. u = max - average.
struct LookInterval {
  static constexpr std::size_t recent = 3;

  std::int64_t looks = 0;
  std::int64_t steps = 0;              // number of measured steps
  double wasted = 0;                   // sum of u over steps
  double slowest = 0;                  // sum of max over steps
  double of_rule = 0;                  // kept by the rule: a sum, or a value of the first look
  std::array<double, recent> waste{};  // u of the last looks, the latest first
  std::array<double, recent> peak{};   // max of the last looks, the latest first

  WasteTrend trend;

  // Medians over the last looks, up to three; 0 without looks.
  EVENKEEL_API double median_waste() const noexcept;
  EVENKEEL_API double median_peak() const noexcept;
};

struct DecisionState {
  // From the options:
  Trigger trigger = Never{};
  double floor_percent = 0;         // no rebalance below this imbalance
  double least_coverage = 0;        // no rebalance below this coverage
  std::int64_t cooldown_steps = 0;  // no rebalance in this many steps after a rebalance
  std::int64_t horizon = 0;         // steps that the run will take; 0 if unknown
  double expected_cost = 0;         // of a rebalance, in mean steps, before one was measured
  std::int64_t epoch_steps = 0;     // between two looks; if 0, the trigger decides
  std::int64_t latency_steps = 0;   // from a look to the rebalance that it leads to
  std::int64_t shift_rounds = 0;    // shifts that may follow a new cut
  double shift_penalty = 1;         // of the first of these shifts
  std::int64_t kept_from = -1;      // the first generation to which the run can return, or -1

  // From the past. If a run continues from a checkpoint, steps are counted from the first step of
  // the earlier run.
  std::int64_t began_at = 0;  // number of steps before the checkpoint
  std::int64_t looks = 0;
  std::int64_t step = 0;        // of the last look
  std::int64_t generation = 0;  // of the decomposition
  std::int64_t rebalances = 0;
  std::int64_t rebalanced_at = -1;  // last step before the rebalance; -1 without a rebalance
  std::int64_t mean_load = 0;       // of a rank in the epoch of the last look, in nanoseconds
  std::int64_t paused = 0;          // 1 if nothing is rebalanced until a user gives the command
                                    // resume
  LookInterval interval = {};
  Ledger ledger = {};
  Outlook outlook = {};
  ShiftCourse refinement = {};
};

// A 64-bit hash that does not depend on the build.
EVENKEEL_API std::uint64_t hash_of(const DecisionState& state);
EVENKEEL_API std::uint64_t hash_of(const std::string& text) noexcept;

// Returns a line "key = value" for each member. state_from_text() reads the members back to the
// bit, except the function of a Custom. `source` names the text in Errors.
EVENKEEL_API std::string to_text(const DecisionState& state);
EVENKEEL_API DecisionState state_from_text(const std::string& text, const std::string& source);

}  // namespace evenkeel
