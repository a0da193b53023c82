#pragma once

// A decision is a pure function of a state and the totals of an epoch. It runs on every rank. Its
// input is the same on every rank, and so is its result, to the bit. Ranks compare a hash of both
// before anything moves, to catch a violation of this.

#include "decide/state.hpp"

namespace evenkeel {

enum class Action : int { hold, rebalance };

enum class Reason : int {
  outdated,         // the decomposition has changed since: these totals no longer count
  unfit,            // a rank has no valid sample
  no_load,          // no kernel ran
  low_coverage,     // the kernels cover too little of the steps
  cooling_down,     // too soon after the last rebalance
  below_floor,      // even enough
  below_threshold,  // not uneven enough
  above_threshold,  // act
  not_asked,        // the trigger does not look at the load
  custom,           // the rule of the application has decided
  below_cost,       // the loss has not reached the cost of a rebalance
  above_cost,       // act: the loss has reached it
  paused,           // a user has paused the run
  commanded,        // act: a user has asked for it
  // Reasons of cost_aware, which also uses below_cost.
  curable,      // act: the reduction by a fresh cut pays for it
  goes_back,    // act: earlier domains would be more even now than a fresh cut
  below_noise,  // even, or not to be distinguished from noise
  not_curable,  // a fresh cut would be as uneven
  near_end,     // the rest of the run is too short to pay for it
  in_debt,      // rebalances have lost too much against never rebalancing
  // Reasons of shifts between new cuts.
  shifts,           // act: the offsets are shifted
  returns_to_best,  // act: earlier domains were better than the last shift
  refined,          // shifts have made the load as even as they can
  // Reasons of rebalances that no look has asked for.
  due,       // act: the trigger acts at this step, whatever the load
  requested  // act: the application has asked for it
};

// The commands of users to a running application. The greater of two commands counts.
enum class Command : int { none, resume, pause, rebalance };

struct Decision {
  Action action = Action::hold;
  Reason reason = Reason::not_asked;
  // The two numbers that were compared, if the reason is one of cost: nanoseconds, or nanoseconds
  // per step for cost_aware.
  double weighed = 0, against = 0;
  // The expected gain of a rebalance now, net of its cost, in nanoseconds.
  double predicted_gain = 0;
  friend bool operator==(const Decision&, const Decision&) = default;
};

struct Verdict {
  DecisionState state;
  Decision decision;
};

// Pure: the same arguments give the same bits.
EVENKEEL_API Verdict fold(const DecisionState& state, const Totals& totals);

// The state with these totals entered into its books, without a decision. Pure.
EVENKEEL_API DecisionState accounted(DecisionState state, const Totals& totals) noexcept;

// The kind of a rebalance: the application asked for it, or a look did and led to a fresh cut, back
// to earlier domains, or to a shift of the present ones.
enum class RebalanceKind : int { application, fresh, earlier, shift };

// The state after a rebalance at the end of `step`. Pure.
EVENKEEL_API DecisionState rebalanced(DecisionState state, std::int64_t step,
                                      std::int64_t generation,
                                      RebalanceKind kind = RebalanceKind::fresh) noexcept;

// True if the next look should make a survey. Surveys may take a thousandth of the run's time.
// Pure.
EVENKEEL_API bool wants_survey(const DecisionState& state) noexcept;

// True if cuts by costs that the application has not given leave the load as uneven as before, and
// far more uneven than predicted. Pure.
EVENKEEL_API bool cuts_fall_short(const DecisionState& state) noexcept;

// Steps from one look to the next. Pure.
EVENKEEL_API std::int64_t epoch_length(const DecisionState& state) noexcept;

// The kind of a trigger's rule: it acts at steps that are known beforehand; it judges the load that
// a look shows; it also needs the results of surveys; it is a rule of the application.
EVENKEEL_API bool acts_by_steps(const Trigger& trigger) noexcept;
EVENKEEL_API bool judges_the_load(const Trigger& trigger) noexcept;
EVENKEEL_API bool needs_surveys(const Trigger& trigger) noexcept;
EVENKEEL_API bool is_of_application(const Trigger& trigger) noexcept;

// The reason in words, with its numbers.
EVENKEEL_API std::string explain(const DecisionState& state, const Totals& totals,
                                 const Decision& decision);
EVENKEEL_API const char* name_of(Action action) noexcept;
EVENKEEL_API const char* name_of(Reason reason) noexcept;
EVENKEEL_API const char* name_of(RebalanceKind kind) noexcept;

EVENKEEL_API std::uint64_t hash_of(const Decision& decision) noexcept;

}  // namespace evenkeel
