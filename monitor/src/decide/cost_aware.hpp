#pragma once

// The trigger cost_aware. The level of a load is max / mean - 1. The trigger estimates the
// level of a fresh cut, and how the levels of cuts grow with their age. Let x be the reduction of
// the level by a fresh cut now, C the cost of that cut in mean steps, and a(t) the level of a cut
// of age t minus the level of a fresh cut. The trigger acts when
//
//   x >= g,   g = min over T of (C + integral of a from 0 to T) / T,   T <= T_max,
//
// where g is the least average loss per step that repeated cuts can reach. As long as the loss per
// step is below g, waiting is cheaper (optimal stopping by the renewal-reward theorem). T_max is
// 1.5 times the number of measured steps, but at most the rest of the run. If imbalances have
// passed, their lengths also bound T_max. For x the code takes a lower confidence bound, plus the
// growth of the level from the measurement until the rebalance acts. It uses only + - * / and
// square roots, and no constant has a unit.

#include "decide/decision.hpp"

#include <optional>

namespace evenkeel {

// The results of a look. A level is negative if it is not known.
struct LoadSeen {
  struct Earlier {
    double age = 0;  // steps; 0 if there is no such cut
    double level = 0;
  };
  std::int64_t step = 0;   // the last one of the epoch
  std::int64_t steps = 1;  // measured steps of the epoch
  std::int64_t since = 1;  // measured steps since the last rebalance
  std::int64_t ranks = 1;
  double level = 0;           // the level of the present domains
  bool is_predicted = false;  // true if the load was not measured, because objects have changed
  bool is_even = false;  // true if the level is below the floor; then nothing moves, whatever this
                         // rule decides
  double variance = 0;   // of the load from step to step / (mean load)^2, averaged over ranks
  double first = -1, previous = -1, fresh = -1;  // under the first, previous, freshly cut domains
  double as_weighed = -1;                        // if each object cost as much as its weight says
  std::array<Earlier, Counterfactual::earlier_cuts> earlier{};
  double work = 0;        // the mean load of a step, in nanoseconds
  double cost = 0;        // of a fresh cut, in mean steps
  double usual_cost = 0;  // of a rebalance that moves as much as usual, if it is more
  double debt = 0;  // time that rebalances have lost against never rebalancing, divided by the cost
                    // of a rebalance
  std::optional<double> left = {};  // steps of the run after a rebalance acts; empty if unknown
  std::int64_t latency = 0;         // steps until a rebalance would act
  double age = -1;                  // of the domains, in steps; negative if unknown
  std::int64_t generation = 0;      // of the domains
  std::int64_t kept_from = -1;      // the first generation to which the run can return, or -1
};

// The prospects of a rebalance now. Levels are shares of the mean load.
struct Prospect {
  double fresh = 0;    // the level that a fresh cut would have
  double growth = 0;   // of the level from now until a rebalance acts, because the present cut ages
  double curable = 0;  // x, a lower bound, when a rebalance acts
  double price = 0;    // g
  double lasts = 0;    // T
  double gain = 0;     // mean steps that the rebalance would save in T steps, net of its cost
  double noise = 0;    // the level that noise gives to even loads
};

// Adds the look to the outlook, and returns the prospects.
Prospect observe(Outlook& outlook, const LoadSeen& seen) noexcept;

// Decides, and adds the decision to the outlook. `weighed` and `against` of the result are levels.
Decision judge(Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept;

// Adds a rebalance to the outlook. `generation` is that of its domains.
void rebalanced(Outlook& outlook, std::int64_t generation, RebalanceKind kind) noexcept;

// Forgets how far cuts have missed, since they were made for other speeds.
void take_new_speeds(Outlook& outlook) noexcept;

}  // namespace evenkeel
