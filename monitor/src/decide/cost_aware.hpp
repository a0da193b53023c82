#pragma once

// The trigger cost_aware. It knows, or estimates, the level of a fresh cut, and how uneven cuts
// become with age. With x the reduction of u by a fresh cut now, C the cost of that cut in mean
// steps, and a(t) the level of a cut of age t above that of a fresh one, it acts when
//
//   x >= g,   g = min over T of (C + integral of a from 0 to T) / T,   T <= T_max,
//
// where g is the least average loss per step that repeated cuts can reach. As long as the loss per
// step is below g, waiting is cheaper (optimal stopping by the renewal-reward theorem). T_max is
// 1.5 times the steps that the run has been watched, and never beyond its end. x is a lower
// confidence bound, plus its growth from the measurement until the rebalance acts. The code uses
// only + - * / and square roots, and no constant has a unit.

#include "decide/decision.hpp"

#include <optional>

namespace evenkeel {

// The view of a look. Levels are shares of the mean load; negative levels are not known.
struct LoadSeen {
  struct Earlier {
    double age = 0;  // steps; 0 if there is no such cut
    double level = 0;
  };
  std::int64_t steps = 1;  // that were measured
  std::int64_t since = 1;  // measured steps since the last rebalance
  std::int64_t ranks = 1;
  double level = 0;      // u
  bool is_even = false;  // below the floor: no rebalance, whatever this rule decides
  double variance = 0;   // of a rank's load from step to step, averaged over ranks
  double first = -1, previous = -1, fresh = -1;  // u if other domains were taken now
  double as_weighed = -1;                        // u if objects cost what their weights say
  std::array<Earlier, Counterfactual::earlier_cuts> earlier{};
  double cost = 0;  // of a rebalance, in mean steps
  double debt = 0;  // loss of all rebalances against never rebalancing, in costs of one
  std::optional<double> left = {};  // steps of the run, from when a rebalance would act
  std::int64_t latency = 0;         // steps until then
  double age = -1;                  // of the domains, in steps; negative if unknown
  std::int64_t generation = 0;      // of the domains
  std::int64_t kept_from = -1;      // the first generation that can be taken again, or -1
};

// The prospects of a rebalance now. Levels are shares of the mean load.
struct Prospect {
  double fresh = 0;    // u that a fresh cut would have
  double growth = 0;   // of u until a rebalance acts, as cuts age
  double curable = 0;  // x, a lower bound, when a rebalance acts
  double price = 0;    // g
  double lasts = 0;    // T
  double gain = 0;     // mean steps that it would save in T steps, net of its cost
  double noise = 0;    // u that noise gives to even loads
};

// Enters the look into the outlook.
Prospect observe(Outlook& outlook, const LoadSeen& seen) noexcept;

// `weighed` and `against` of the result are levels.
Decision judge(Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept;

// `generation`: of the domains from now on.
void rebalanced(Outlook& outlook, std::int64_t generation, RebalanceKind kind) noexcept;

}  // namespace evenkeel
