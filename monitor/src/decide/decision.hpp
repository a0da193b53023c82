#pragma once

// fold() decides: it is a pure function of a state and the totals of an epoch. It runs on every
// rank. Its input is the same on every rank to the bit, and so is its result. As a check, ranks
// compare hashes of both before anything moves.

#include "decide/state.hpp"

namespace evenkeel {

enum class Action : int { hold, rebalance };

enum class Reason : int {
  outdated,         // the decomposition has changed since the epoch: its totals no longer count
  unfit,            // a rank has no valid sample
  no_load,          // no kernel ran
  low_coverage,     // the kernels cover too little of the steps
  cooling_down,     // the last rebalance was too few steps ago
  below_floor,      // the load is even enough for every rule
  below_threshold,  // the imbalance is below the limit of the trigger threshold
  above_threshold,  // act: the imbalance has reached that limit
  not_asked,        // the trigger does not use the load
  custom,           // the rule of the application has decided to act or to hold
  below_cost,       // the loss has not reached the cost of a rebalance
  above_cost,       // act: the loss has reached the cost
  paused,           // a user has paused the run
  commanded,        // act: a user has asked for a rebalance
  // Reasons of cost_aware, which also uses below_cost.
  curable,      // act: a fresh cut pays for itself
  goes_back,    // act: earlier domains would be more even now than a fresh cut
  below_noise,  // the load is even, or its imbalance may be noise
  not_curable,  // a fresh cut would be as uneven
  near_end,     // the rest of the run is too short for a rebalance to pay
  in_debt,      // rebalances have lost too much against never rebalancing
  // Reasons of shifts between new cuts.
  shifts,           // act: the offsets are shifted
  returns_to_best,  // act: earlier domains were better than the last shift
  refined,          // shifts have made the load as even as they can
  // Reasons of rebalances that do not follow from a look.
  due,        // act: the trigger acts at this step, whatever the load
  requested,  // act: the application has asked for a rebalance
  predicted,  // act: objects have changed, and by the load that follows the rule acts
  memory      // act: a rank is full, or will be before the next rebalance
};

// The commands of users to a running application. The greater of two commands counts.
enum class Command : int { none, resume, pause, rebalance };

struct Decision {
  Action action = Action::hold;
  Reason reason = Reason::not_asked;
  // The two numbers that the rule has compared. If the rule compares a loss with a cost, they are
  // in nanoseconds; with cost_aware they are in nanoseconds per step.
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

// Returns the state after these totals have been added to its ledger. Decides nothing. Pure.
EVENKEEL_API DecisionState accounted(DecisionState state, const Totals& totals) noexcept;

// The kind of a rebalance: `application` if no look has asked for it. A look asks for a fresh cut,
// for a return to earlier domains, or for a shift of the present domains.
enum class RebalanceKind : int { application, fresh, earlier, shift };

// The state after a rebalance at the end of `step`. Pure.
EVENKEEL_API DecisionState rebalanced(DecisionState state, std::int64_t step,
                                      std::int64_t generation,
                                      RebalanceKind kind = RebalanceKind::fresh) noexcept;

// The state after a look, if ranks have other speeds from now on. Pure.
EVENKEEL_API DecisionState with_new_speeds(DecisionState state) noexcept;

// True if the next look should make a survey. Surveys may take at most a thousandth of the run's
// time. Pure.
EVENKEEL_API bool wants_survey(const DecisionState& state) noexcept;

// True if cuts by guessed costs do not help: the application has given no costs of objects, and the
// last cuts have left the load about as uneven as before and far more uneven than predicted. Pure.
EVENKEEL_API bool cuts_fall_short(const DecisionState& state) noexcept;

// Steps from one look to the next. Pure.
EVENKEEL_API std::int64_t epoch_length(const DecisionState& state) noexcept;

// acts_by_steps(): the trigger acts at steps that are known beforehand. judges_the_load(): it
// judges the load that a look measures. needs_surveys(): it also judges the results of surveys.
// is_of_application(): the application has given its rule.
EVENKEEL_API bool acts_by_steps(const Trigger& trigger) noexcept;
EVENKEEL_API bool judges_the_load(const Trigger& trigger) noexcept;
EVENKEEL_API bool needs_surveys(const Trigger& trigger) noexcept;
EVENKEEL_API bool is_of_application(const Trigger& trigger) noexcept;

// The reason of a decision as a clause, with its numbers.
EVENKEEL_API std::string explain(const DecisionState& state, const Totals& totals,
                                 const Decision& decision);
EVENKEEL_API const char* name_of(Action action) noexcept;
EVENKEEL_API const char* name_of(Reason reason) noexcept;
EVENKEEL_API const char* name_of(RebalanceKind kind) noexcept;

EVENKEEL_API std::uint64_t hash_of(const Decision& decision) noexcept;

}  // namespace evenkeel
