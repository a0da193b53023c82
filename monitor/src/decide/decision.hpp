#pragma once

// Deciding: a pure function of a state and the totals of an epoch. It runs on every rank, and since
// all that it sees is the same on every rank, so is its result, to the bit; a hash of all of it,
// compared before anything moves, catches what this reasoning missed.

#include "agree/epoch.hpp"
#include "decide/state.hpp"

#include <evenkeel/backends/export.hpp>

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
  curable,      // act: what a fresh cut would take off pays for it
  goes_back,    // act: earlier domains would be more even now than a fresh cut
  below_noise,  // even, or not told apart from noise
  not_curable,  // a fresh cut would be as uneven
  near_end,     // what is left of the run does not pay for it
  in_debt,      // rebalances have lost too much against never
  // Of shifts between new cuts.
  shifts,           // act: the offsets are shifted
  returns_to_best,  // act: no shift has been better than earlier domains
  refined,          // shifts have made the load as even as they can
  // Of rebalances that no look has asked for.
  due,       // act: the trigger acts at this step, whatever the load
  requested  // act: the application has asked for it
};

// What somebody outside can say to a running application; the greater of two counts.
enum class Command : int { none, resume, pause, rebalance };

struct Decision {
  Action action = Action::hold;
  Reason reason = Reason::not_asked;
  // What was weighed against what, if the reason is one of cost: nanoseconds, or for cost_aware
  // nanoseconds per step.
  double weighed = 0, against = 0;
  // Nanoseconds that a rebalance now is expected to gain, net of its cost.
  double predicted_gain = 0;
  friend bool operator==(const Decision&, const Decision&) = default;
};

struct Verdict {
  State state;
  Decision decision;
};

// Pure: the same arguments give the same bits.
EVENKEEL_API Verdict fold(const State& state, const Totals& totals);

// The state with these totals entered into its books; decides nothing. Pure.
EVENKEEL_API State accounted(State state, const Totals& totals) noexcept;

// How a rebalance came about: the application asked for it; or a look did, and led to a fresh cut,
// back to earlier domains, or to a shift of the present ones.
enum class RebalanceKind : int { application, fresh, earlier, shift };

// The state after a rebalance at the end of `step`. Pure.
EVENKEEL_API State rebalanced(State state, std::int64_t step, std::int64_t generation,
                              RebalanceKind kind = RebalanceKind::fresh) noexcept;

// Whether the next look should make a survey; these may take a thousandth of the run's time. Pure.
EVENKEEL_API bool wants_survey(const State& state) noexcept;

// Steps from one look to the next. Pure.
EVENKEEL_API std::int64_t epoch_length(const State& state) noexcept;

// What kind of rule a trigger is: it acts at steps that are known beforehand; it judges what a look
// shows; it judges by what surveys have found, too; it is the application's own.
EVENKEEL_API bool acts_by_steps(const Trigger& trigger) noexcept;
EVENKEEL_API bool judges_the_load(const Trigger& trigger) noexcept;
EVENKEEL_API bool needs_surveys(const Trigger& trigger) noexcept;
EVENKEEL_API bool is_of_application(const Trigger& trigger) noexcept;

// The reason in words, with its numbers.
EVENKEEL_API std::string explain(const State& state, const Totals& totals,
                                 const Decision& decision);
EVENKEEL_API const char* name_of(Action action) noexcept;
EVENKEEL_API const char* name_of(Reason reason) noexcept;
EVENKEEL_API const char* name_of(RebalanceKind kind) noexcept;

EVENKEEL_API std::uint64_t hash_of(const Decision& decision) noexcept;

}  // namespace evenkeel
