#include "decide/decision.hpp"

#include "decide/interval.hpp"
#include "decide/rule.hpp"

#include <evenkeel/backends/words.hpp>

namespace evenkeel {

namespace {

bool is_outdated(const DecisionState& state, const Totals& totals) {
  return totals.generation_least != state.generation ||
         totals.generation_greatest != state.generation;
}

bool is_unfit(const Totals& totals) {
  return totals.unfit > 0 || totals.ranks <= 0 || totals.step_least != totals.step_greatest;
}

bool is_cooling_down(const DecisionState& state, const Totals& totals) {
  const std::int64_t passed = totals.step_greatest - state.rebalanced_at;
  return state.rebalanced_at >= 0 && std::max<std::int64_t>(0, passed) < state.cooldown_steps;
}

Command command_of(const Totals& totals) {
  constexpr auto last = static_cast<std::int64_t>(Command::rebalance);
  return static_cast<Command>(std::clamp<std::int64_t>(totals.command, 0, last));
}

void obey(DecisionState& state, Command command) {
  if (command == Command::pause) state.paused = 1;
  if (command == Command::resume) state.paused = 0;
}

// The steps of the run that are left when a rebalance acts; empty if the length of the run is
// unknown.
std::optional<double> steps_left(const DecisionState& state) {
  if (state.horizon <= 0) return std::nullopt;
  const std::int64_t left = state.horizon - state.step - state.latency_steps;
  return static_cast<double>(std::max<std::int64_t>(0, left));
}

// The growth of (load of the slowest rank - mean load) since the last look, as a share of the mean.
double grown_since(const LookInterval& before, const Totals& totals) noexcept {
  const double mean = totals.mean_load();
  const double mean_before = before.peak.front() - before.waste.front();
  if (before.looks == 0 || totals.steps <= 0 || mean <= 0 || mean_before <= 0) return 0;
  const double level = static_cast<double>(totals.critical_load()) / mean - 1;
  return level - before.waste.front() / mean_before;
}

double level_of(std::int64_t greatest, double mean) noexcept {
  return greatest < 0 ? -1 : std::max(0.0, static_cast<double>(greatest) / mean - 1);
}

// The variance of a rank's load from step to step, if all ranks had equal loads. Noise is assumed
// to be proportional to the load, so unequal loads increase the mean variance by the same factor as
// the mean square of the load.
double variance_seen(const Totals& totals) {
  const double mean = totals.mean_load(), steps = static_cast<double>(totals.steps);
  const auto ranks = static_cast<double>(totals.ranks), unit = static_cast<double>(totals.unit);
  const double share = unit * steps / mean;
  const double spread = static_cast<double>(totals.spread) / ranks * (unit / mean) * (unit / mean);
  return static_cast<double>(totals.variance) / ranks / steps * share * share / (1 + spread);
}

// All levels, measured or not, are levels of a rank's load summed over its phases, because a cut by
// one weight cannot cure the additional loss in phases.
LoadSeen load_seen(const DecisionState& state, const Totals& totals) {
  const double mean = totals.mean_load(), steps = static_cast<double>(totals.steps);
  const Counterfactual& would_be = totals.would_be;
  LoadSeen seen;
  seen.step = state.step;
  seen.work = mean / steps;
  seen.is_predicted = totals.all_steps == 0;
  seen.steps = totals.steps;
  seen.since = state.interval.steps;
  seen.ranks = totals.ranks;
  seen.level = level_of(totals.load.greatest, mean);
  seen.is_even = totals.imbalance_percent() < state.floor_percent;
  seen.variance = variance_seen(totals);
  seen.first = level_of(would_be.first_again, mean);
  seen.previous = level_of(would_be.previous_again, mean);
  seen.fresh = level_of(would_be.fresh, mean);
  seen.as_weighed = level_of(would_be.as_weighed, mean);
  for (std::size_t i = 0; i < Counterfactual::earlier_cuts; ++i)
    seen.earlier[i] = {static_cast<double>(would_be.age[i]), level_of(would_be.earlier[i], mean)};
  seen.cost = cost_of(state) * steps / mean;
  seen.usual_cost = usual_cost_of(state) * steps / mean;
  seen.debt = debt_of(state);
  seen.left = steps_left(state);
  seen.latency = state.latency_steps;
  if (state.rebalanced_at > state.began_at)
    seen.age = static_cast<double>(state.step - state.rebalanced_at);
  seen.generation = state.generation;
  seen.kept_from = state.kept_from;
  return seen;
}

// True if a rank is full, or will be before the look after this one can lead to a rebalance. Twice
// the latency leaves room for growth that is not steady.
bool runs_out_of_memory(const RuleInput& on) noexcept {
  const DecisionState& now = on.after;
  return now.paused == 0 && !std::holds_alternative<Never>(now.trigger) &&
         on.totals.memory.asked <= epoch_length(now) + 2 * now.latency_steps;
}

Decision free_memory(RuleInput& on) {
  on.after.outlook.wanted_generation = -1;
  const RankMemory& fullest = on.totals.memory.fullest;
  return {Action::rebalance, Reason::memory, static_cast<double>(fullest.bytes),
          static_cast<double>(fullest.limit)};
}

// Checks the conditions of all rules first.
Decision decide(RuleInput& on) {
  const DecisionState& before = on.before;
  const Totals& totals = on.totals;
  const Rule& rule = rule_of(before.trigger);
  if (is_outdated(before, totals)) return hold(Reason::outdated);
  if (command_of(totals) == Command::rebalance) return act(Reason::commanded);
  if (runs_out_of_memory(on)) return free_memory(on);
  if (is_unfit(totals)) return hold(Reason::unfit);
  if (on.after.paused != 0) return hold(Reason::paused);
  if (rule.judge == nullptr) return hold(Reason::not_asked);
  if (totals.load.sum == 0) return hold(Reason::no_load);
  if (totals.coverage() < before.least_coverage) return hold(Reason::low_coverage);
  if (is_cooling_down(before, totals)) return hold(Reason::cooling_down);
  if (totals.imbalance_percent() < before.floor_percent) return hold(Reason::below_floor);
  return rule.judge(before.trigger, on);
}

// Estimates the prospects of a rebalance. This is done for every rule, since the expected gain is
// always reported.
void look_ahead(RuleInput& on) {
  DecisionState& next = on.after;
  if (on.totals.would_be.moved >= 0)
    next.ledger.cost.ahead = static_cast<double>(on.totals.would_be.moved);
  on.seen = load_seen(next, on.totals);
  // Nothing was known when the first distribution was made.
  const bool is_judged = next.outlook.left == Outlook::new_cut && next.rebalances > 0;
  on.prospect = observe(next.outlook, on.seen);
  if (!is_judged) return;
  const Shortfall& shortfall = next.outlook.shortfall;
  next.ledger.miss(on.seen.level - on.prospect.fresh +
                   (shortfall.weighed > 0 ? 0 : shortfall.expected));
}

// --- Shifts between new cuts ---------------------------------------------------------------------

// True if the reason follows from a judgement of the load by a rule.
bool has_judged(Reason reason) noexcept {
  constexpr std::array before_it = {Reason::outdated,  Reason::unfit,        Reason::paused,
                                    Reason::commanded, Reason::requested,    Reason::not_asked,
                                    Reason::due,       Reason::no_load,      Reason::low_coverage,
                                    Reason::predicted, Reason::cooling_down, Reason::memory};
  return std::ranges::find(before_it, reason) == before_it.end();
}

// True if a reduction of the level by `taken_off` pays for a rebalance before the run ends, and
// within as many steps as have been measured so far.
bool pays(double taken_off, const RuleInput& on) noexcept {
  const double trusted = on.after.outlook.measured;
  const double steps = std::min(trusted, on.seen.left.value_or(trusted));
  return taken_off * steps >= on.seen.cost;
}

// True if a rule has decided to hold because a new cut would not help, but a rebalance to even
// loads would pay. Then shifts may help, because they use measured loads and not weights, which may
// be wrong.
bool may_help(const Decision& decision, const RuleInput& on) noexcept {
  const bool is_misled = on.after.outlook.shortfall.weighed > 0 && needs_surveys(on.after.trigger);
  const bool in_vain = decision.reason == Reason::not_curable ||
                       (decision.reason == Reason::below_cost && is_misled);
  return in_vain && pays(on.seen.level - on.prospect.noise, on);
}

// If a rule has decided on new domains, shifts the present ones instead, unless the load has
// changed a lot.
void refine(RuleInput& on, Decision& decision) {
  DecisionState& next = on.after;
  ShiftCourse& refinement = next.refinement;
  const bool has_domains = next.kept_from >= 0 && next.generation >= next.kept_from;
  if (next.shift_rounds <= 0 || !has_domains || !has_judged(decision.reason)) return;
  const LevelSeen seen = {on.seen.level, on.totals.generation_least};
  const double floor = next.floor_percent / 100;
  const bool has_changed = observe(refinement, seen, next.shift_penalty, floor);
  if (decision.reason == Reason::below_floor || decision.reason == Reason::goes_back) return;
  const bool acts = decision.action == Action::rebalance;
  const NextStep step = next_step(refinement, seen, next.shift_rounds, has_changed);
  const auto say = [&](Action action, Reason reason, double against) {
    decision = {action, reason, seen.level, against};
  };
  if (step == NextStep::shift) {
    if (!acts && !may_help(decision, on)) return;
    const bool is_new = has_changed || refinement.strange > 0;
    refinement.wanted = is_new ? ShiftCourse::of_last : ShiftCourse::of_all;
    next.outlook.wanted_generation = -1;
    say(Action::rebalance, Reason::shifts, static_cast<double>(refinement.rounds + 1));
  } else if (step == NextStep::go_back && pays(refinement.usual - refinement.best, on)) {
    next.outlook.wanted_generation = refinement.best_generation;
    next.outlook.left_from = -1;  // this return cannot show whether loads follow objects
    say(Action::rebalance, Reason::returns_to_best, refinement.best);
  } else if (acts && step != NextStep::cut_anew) {
    next.outlook.wanted_generation = -1;
    say(Action::hold, Reason::refined, refinement.usual);
  }
}

void pay_for_survey(Surveys& surveys, const Totals& totals) noexcept {
  constexpr double share = 0.001;   // of the run's time, for surveys
  constexpr double most_saved = 4;  // surveys for which credit can be saved
  const double elapsed =
      static_cast<double>(totals.duration.sum) / static_cast<double>(totals.ranks);
  surveys.credit = std::min(surveys.credit + share * elapsed, most_saved * surveys.cost);
  if (totals.would_be.fresh < 0) return;
  constexpr double most_growth = 1.25;  // a longer survey counts as this many times the usual cost,
                                        // since something may have disturbed it
  auto took = static_cast<double>(totals.survey);
  if (surveys.cost > 0) {
    took = std::min(took, most_growth * surveys.cost);
    surveys.cost += (took - surveys.cost) / 2;
    surveys.credit = std::max(0.0, surveys.credit - took);
  } else {
    constexpr double more_at_once = 3;  // surveys at the start, as long as nothing is known
    surveys = {.cost = took, .credit = more_at_once * took};
  }
}

// In the order of the enumerators.
constexpr std::array actions = {"hold", "rebalance"};
constexpr std::array reasons = {
    "outdated",    "unfit",           "no_load",         "low_coverage", "cooling_down",
    "below_floor", "below_threshold", "above_threshold", "not_asked",    "custom",
    "below_cost",  "above_cost",      "paused",          "commanded",    "curable",
    "goes_back",   "below_noise",     "not_curable",     "near_end",     "in_debt",
    "shifts",      "returns_to_best", "refined",         "due",          "requested",
    "predicted",   "memory"};
constexpr std::array kinds = {"application", "fresh", "earlier", "shift"};
static_assert(actions.size() == static_cast<std::size_t>(Action::rebalance) + 1);
static_assert(reasons.size() == static_cast<std::size_t>(Reason::memory) + 1);
static_assert(kinds.size() == static_cast<std::size_t>(RebalanceKind::shift) + 1);

}  // namespace

DecisionState accounted(DecisionState state, const Totals& totals) noexcept {
  if (totals.ranks <= 0) return state;
  const bool is_current = !is_outdated(state, totals);
  std::int64_t& first = state.outlook.first.generation;
  if (first < 0) first = totals.generation_least;
  state.ledger.pay(totals, is_current);
  const double grown = is_current ? grown_since(state.interval, totals) : 0;
  const bool is_as_at_first = totals.generation_greatest == first || totals.ranks == 1;
  state.ledger.enter(totals, is_as_at_first, is_current, grown);
  return state;
}

Verdict fold(const DecisionState& state, const Totals& totals) {
  Verdict verdict{state, {}};
  DecisionState& next = verdict.state;
  RuleInput question{state, totals, next, {}, {}};
  const bool is_current = !is_outdated(state, totals), is_fit = !is_unfit(totals);
  ++next.looks;
  next.step = totals.step_greatest;
  next.refinement.wanted = 0;
  obey(next, command_of(totals));
  next = accounted(next, totals);
  if (totals.ranks > 0) pay_for_survey(next.outlook.surveys, totals);
  if (is_current && is_fit) {
    next.mean_load = totals.load.sum / totals.ranks;
    observe(next.interval, totals, rule_of(next.trigger));
    if (totals.steps > 0 && totals.load.sum > 0) look_ahead(question);
  }
  verdict.decision = decide(question);
  if (is_current && is_fit && totals.steps > 0 && totals.load.sum > 0)
    refine(question, verdict.decision);
  const double mean = totals.steps > 0 ? totals.mean_load() / static_cast<double>(totals.steps) : 0;
  verdict.decision.predicted_gain = question.prospect.gain * mean;
  next.ledger.gains.promised = verdict.decision.predicted_gain;
  return verdict;
}

DecisionState with_new_speeds(DecisionState state) noexcept {
  take_new_speeds(state.outlook);
  return state;
}

DecisionState rebalanced(DecisionState state, std::int64_t step, std::int64_t generation,
                         RebalanceKind kind) noexcept {
  const std::int64_t before = state.generation;
  const bool is_first = step <= state.began_at;  // the first distribution does not count
  state.rebalances += is_first ? 0 : 1;
  state.ledger.gains.unchanged += !is_first && generation == before ? 1 : 0;
  state.rebalanced_at = step;
  state.generation = generation;
  // The first domains are those of the first step, even if no look has seen them.
  std::int64_t& first = state.outlook.first.generation;
  if (!is_first && first < 0) first = before;
  state.ledger.cost.note_rebalance();
  state.ledger.open_entry();
  rebalanced(state.outlook, generation, kind);
  rebalanced(state.refinement, before, generation, kind);
  state.interval = {};
  return state;
}

bool wants_survey(const DecisionState& state) noexcept {
  return state.outlook.surveys.credit >= state.outlook.surveys.cost;
}

bool cuts_fall_short(const DecisionState& state) noexcept {
  constexpr double far = 0.1;   // least expected shortfall of the next cut, as a share of the mean
                                // load
  constexpr double most = 0.9;  // least share of the earlier level that the last cut has left
  const Outlook& outlook = state.outlook;
  return state.rebalances > 0 && outlook.fresh >= 0 && outlook.shortfall.weighed == 0 &&
         outlook.shortfall.expected >= far && outlook.left >= most * outlook.left_from;
}

std::int64_t epoch_length(const DecisionState& state) noexcept {
  constexpr std::int64_t usual = 8;
  if (state.epoch_steps > 0) return state.epoch_steps;
  return needs_surveys(state.trigger) ? state.outlook.next_epoch : usual;
}

const char* name_of(Action action) noexcept { return detail::name_among(actions, action); }
const char* name_of(Reason reason) noexcept { return detail::name_among(reasons, reason); }
const char* name_of(RebalanceKind kind) noexcept { return detail::name_among(kinds, kind); }

std::uint64_t hash_of(const Decision& decision) noexcept {
  return detail::Hash()
      .add(static_cast<std::int64_t>(decision.action))
      .add(static_cast<std::int64_t>(decision.reason))
      .add(decision.weighed)
      .add(decision.against)
      .add(decision.predicted_gain)
      .value();
}

}  // namespace evenkeel
