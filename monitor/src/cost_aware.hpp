#pragma once

// The trigger cost_aware. With u = max - average of the load per step, n the steps since the last
// rebalance and C what one costs, it acts when one of two gains pays for C:
//
//   growth   n U - sum(u) + n x + ...: had we n more steps at the level U of now, a fresh cut would
//            replay what this one did, and save so much (Boulmier et al. 2022). Two things are
//            added: x, the imbalance that was there right after the cut although a rebalance is
//            known, or at first hoped, to cure it; and a horizon, since a fresh cut is trusted to
//            last only so many times as long as this one, and never beyond the end of the run.
//   excess   sum(max(0, U - r)), r the residual that a rebalance leaves: the load that has jumped
//            and stays, to which growth is blind.
//
// U is a lower confidence bound. What forbids it: too little left of the run, an excess such as has
// gone away by itself before, a last step that stands out, rebalances that have not paid. Only
// + - * / and square roots are used, and no constant has a unit.

#include <evenkeel/monitor/decision.hpp>
#include <evenkeel/monitor/outlook.hpp>

#include <cstdint>
#include <optional>

namespace evenkeel {

// What it sees of a look. Nanoseconds per step.
struct LoadSeen {
  std::int64_t step = 0;   // the last one that was measured
  std::int64_t steps = 1;  // that were measured
  double peak = 0, mean = 0;
  double variance = 0;  // of a rank's load from step to step, the mean over ranks
  double growth = 0;    // greatest, of a rank's load beyond that of the mean since the first look
  double cost = 0;      // of a rebalance, nanoseconds
  std::optional<double> left = {};  // steps of the run, from when a rebalance would act
  std::int64_t latency = 0;         // steps until then
  std::int64_t refine_rounds = 0;   // in a row, at most
  std::int64_t generation = 0;      // of the decomposition
  std::int64_t kept_from = -1;      // the first generation that can be gone back to; -1: none can
};

// What a rebalance now would be good for. Nanoseconds; level and residual per step.
struct Prospect {
  double level = 0;     // U
  double residual = 0;  // r
  double noise = 0;     // standard deviation of u
  double cured = 0;     // x
  double growth_gain = 0, excess_gain = 0;
  double ahead = 0;   // of an excess, what is thought to be still to come
  double to_end = 0;  // what is left to save in all of the run
  double price = 0;   // what a gain must reach
};

// Takes the look into the memory.
Prospect observe(Outlook& outlook, const LoadSeen& seen);

// Settles the account of the last rebalance where this one would follow.
Decision judge(Outlook& outlook, const LoadSeen& seen, Prospect prospect);

void rebalanced(Outlook& outlook, std::int64_t step) noexcept;

}  // namespace evenkeel
