#pragma once

// Deciding: a pure function of a state and the totals of an epoch. It runs on every rank, and since
// all that it sees is the same on every rank, so is its result, to the bit; a hash of all of it,
// compared before anything moves, catches what this reasoning missed.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/state.hpp>

#include <cstdint>
#include <string>

namespace evenkeel {

enum class Action : int { hold, rebalance };

enum class Reason : int {
  outdated,         // the decomposition changed since: these totals count no more
  unfit,            // a rank has no sample to trust
  no_load,          // no kernel ran
  low_coverage,     // the kernels cover too little of the steps
  cooling_down,     // too soon after the last rebalance
  below_floor,      // even enough
  below_threshold,  // not uneven enough
  above_threshold,  // act
  not_asked,        // the trigger does not look at the load
  custom,           // the application's own rule has decided
  below_cost,       // what was lost has not reached what a rebalance costs
  above_cost,       // act: it has
  paused,           // somebody outside has said so
  commanded,        // act: somebody outside has said so
  // Of cost_aware, as is below_cost.
  growth_pays,   // act: what has been lost as imbalance grew
  excess_pays,   // act: what an imbalance that stays has cost
  refines,       // act: the last has helped, and another may go on with it
  goes_back,     // act: an earlier decomposition was more even, and that one is taken again
  too_early,     // one look is no evidence
  below_noise,   // not told apart from noise, or no worse than right after the last rebalance
  near_end,      // what is left of the run does not pay for it
  heals_itself,  // as much has gone away by itself before
  not_paying,    // enough, were it not that rebalances have not paid
  switched_off,  // rebalances have not paid several times in a row
  outlier        // the last step stands out, and a cut would be made for it
};

// What somebody outside can say to a running application; the greater of two counts.
enum class Command : int { none, resume, pause, rebalance };

struct Decision {
  Action action = Action::hold;
  Reason reason = Reason::not_asked;
  // Nanoseconds: what was weighed against what, where the reason is one of cost.
  double weighed = 0, against = 0;
  // Nanoseconds that a rebalance now is thought to bring, its cost taken off.
  double predicted_gain = 0;
  friend bool operator==(const Decision&, const Decision&) = default;
};

struct Verdict {
  State state;
  Decision decision;
};

// Pure: the same arguments give the same bits.
EVENKEEL_API Verdict fold(const State& state, const Totals& totals);

// The state after a rebalance at the end of `step`, whoever asked for it. Pure.
EVENKEEL_API State rebalanced(State state, std::int64_t step, std::int64_t generation) noexcept;

// Steps from one look to the next. Pure.
EVENKEEL_API std::int64_t epoch_length(const State& state) noexcept;

// The reason in words, with its numbers.
EVENKEEL_API std::string explain(const State& state, const Totals& totals,
                                 const Decision& decision);
EVENKEEL_API const char* name_of(Action action) noexcept;
EVENKEEL_API const char* name_of(Reason reason) noexcept;

EVENKEEL_API std::uint64_t hash_of(const Decision& decision) noexcept;

}  // namespace evenkeel
