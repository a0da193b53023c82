#pragma once

// What the trigger cost_aware remembers. Times are nanoseconds per step unless something else is
// said; u = max - average of the load. docs/triggers.md tells what it is used for.

#include <array>
#include <cstdint>

namespace evenkeel {

struct Outlook {
  // Since the last rebalance, or since the start.
  std::int64_t looks = 0;
  std::int64_t since = 0;  // the step after which it was
  double steps = 0;        // measured
  double wasted = 0;       // nanoseconds: sum of u
  double start = 0;        // u of the first looks
  double transient = 0;    // nanoseconds: of `start`, what a fresh cut would soon have again
  double excess = 0;       // nanoseconds: sum of what u is above the residual
  double lowest = -1;      // the least u; below 0: none yet
  double episode = 0;      // nanoseconds above the lowest that have not gone away yet
  double episode_peak = 0;
  std::array<double, 16> recent{};  // u of the last looks, the latest first
  std::int64_t recent_looks = 0;

  // Learned over all of the run.
  std::array<double, 15> bends{};  // |second differences| of u, the latest first
  std::int64_t bends_known = 0;
  double variance = 0;   // of the load from step to step, smoothed
  double residual = 0;   // what a rebalance leaves of u
  double candidate = 0;  // for it, from the looks since the last one
  std::int64_t residual_from =
      0;  // 0: not known, 1: from the start of the run, 2: from a rebalance
  std::int64_t has_candidate = 0;
  double healed = 0;       // nanoseconds: the greatest episode that went away by itself
  double spikiness = 0.5;  // share of jumps that are gone at the next look

  // The account of rebalances, by cautious figures.
  std::int64_t rebalances = 0, losses = 0, losses_in_row = 0, rearmed = 0;
  std::int64_t open = 0;  // 1: the last one has not been judged yet
  double lasted = 0;      // steps from the one before it to the last one
  double level = 0;       // of u, as the last look saw it
  double level_before = 0;
  double demand = 1;            // factor on the gain that is asked for; losses raise it
  double excess_demand = 1;     // the same, where the gain is an excess
  std::int64_t for_excess = 0;  // 1: the last one was
  std::int64_t uncured = 0;     // rebalances in a row that left things as they were
  std::int64_t refined = 0;     // rebalances in a row that went on with what the one before began
  // The most even decomposition since the first of rebalances in a row, the one before it
  // included; generation -1: none.
  double best = 0;  // its u
  std::int64_t best_generation = -1;
  std::int64_t decided = 0;       // 1: the next rebalance is one that this rule has asked for
  std::int64_t went_back = 0;     // 1: the last one went back, and has not been judged yet
  std::int64_t back_is_vain = 0;  // 1: to go back did not help
  double back_off = 0;            // steps
  std::int64_t off_until = -1;    // a step

  std::int64_t calm_looks = 0;  // in a row that found nothing to do
  std::int64_t next_epoch = 6;  // steps until the next look: the more, the farther off a rebalance
};

}  // namespace evenkeel
