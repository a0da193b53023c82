#pragma once

// The trigger cost_aware. It knows, or estimates, what a fresh cut would have now, and how uneven
// cuts become with age. With x = what a fresh cut would take off u now, C what it costs in mean
// steps, and a(t) the level of a cut of age t above that of a fresh one, it acts when
//
//   x >= g,   g = min over T of (C + integral of a from 0 to T) / T,   T <= T_max,
//
// where g is the least average loss per step that making cuts can reach: as long as less than g is
// lost per step, waiting is cheaper (the renewal-reward theorem's optimal stopping). T_max is 1.5
// times the steps that the run has been watched, and never beyond its end. x is a lower confidence
// bound, plus its growth from when it is measured until the rebalance acts. Only + - * / and square
// roots are used, and no constant has a unit.

#include "decide/decision.hpp"
#include "decide/outlook.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace evenkeel {

// What it sees of a look. Levels are shares of the mean load; below 0 they are not known.
struct LoadSeen {
  struct Earlier {
    double age = 0;  // steps; 0: there is none
    double level = 0;
  };
  std::int64_t step = 0;   // the last one that was measured
  std::int64_t steps = 1;  // that were measured
  std::int64_t ranks = 1;
  double level = 0;      // u
  bool is_even = false;  // below the floor: nothing happens, whatever this rule says
  double variance = 0;   // of a rank's load from step to step, the mean over ranks
  double first = -1, previous = -1, fresh = -1;  // u if other domains were taken now
  double as_weighed = -1;                        // u if objects cost what their weights say
  std::array<Earlier, Counterfactual::earlier_cuts> earlier{};
  double cost = 0;  // of a rebalance, in mean steps
  double debt = 0;  // what rebalances have lost so far against never, in units of the cost of one
  std::optional<double> left = {};  // steps of the run, from when a rebalance would act
  std::int64_t latency = 0;         // steps until then
  double age = -1;                  // of the domains, in steps; below 0: not known
  std::int64_t generation = 0;      // of the domains
  std::int64_t kept_from = -1;      // the first generation that can be gone back to; -1: none can
};

// What a rebalance now would be good for. Levels are shares of the mean load.
struct Prospect {
  double fresh = 0;    // u that a fresh cut would have
  double growth = 0;   // of u until a rebalance acts, as cuts age
  double curable = 0;  // x, a lower bound, when a rebalance acts
  double price = 0;    // g
  double lasts = 0;    // T
  double gain = 0;     // mean steps: what it would bring in T steps, its cost taken off
  double noise = 0;    // u that even loads are seen to have
};

// Takes the look into the memory.
Prospect observe(Outlook& outlook, const LoadSeen& seen) noexcept;

// `weighed` and `against` of the result are levels.
Decision judge(Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept;

// `generation`: of the domains from now on.
void rebalanced(Outlook& outlook, std::int64_t generation_before, std::int64_t generation,
                RebalanceKind kind) noexcept;

}  // namespace evenkeel
