#include "decide/decision.hpp"

#include "agree/hash.hpp"
#include "decide/cost_aware.hpp"
#include "decide/interval.hpp"
#include "decide/rule.hpp"

#include <algorithm>
#include <optional>

namespace evenkeel {

namespace {

bool is_outdated(const State& state, const Totals& totals) {
  return totals.generation_least != state.generation ||
         totals.generation_greatest != state.generation;
}

bool is_unfit(const Totals& totals) {
  return totals.unfit > 0 || totals.ranks <= 0 || totals.step_least != totals.step_greatest;
}

bool is_cooling_down(const State& state, const Totals& totals) {
  const std::int64_t passed = totals.step_greatest - state.rebalanced_at;
  return state.rebalanced_at >= 0 && std::max<std::int64_t>(0, passed) < state.cooldown_steps;
}

Command command_of(const Totals& totals) {
  constexpr auto last = static_cast<std::int64_t>(Command::rebalance);
  return static_cast<Command>(std::clamp<std::int64_t>(totals.command, 0, last));
}

void obey(State& state, Command command) {
  if (command == Command::pause) state.paused = 1;
  if (command == Command::resume) state.paused = 0;
}

// Steps of the run that are left when a rebalance acts; nothing where its length is not known.
std::optional<double> steps_left(const State& state) {
  if (state.horizon <= 0) return std::nullopt;
  const std::int64_t left = state.horizon - state.step - state.latency_steps;
  return static_cast<double>(std::max<std::int64_t>(0, left));
}

double level_of(std::int64_t greatest, double mean) noexcept {
  return greatest < 0 ? -1 : std::max(0.0, static_cast<double>(greatest) / mean - 1);
}

// The variance of a rank's load from step to step, as it would be if all loads were equal: noise is
// taken to grow with the load, and the mean of squares is more than the square of the mean.
double variance_seen(const Totals& totals) {
  const double mean = totals.mean_load(), steps = static_cast<double>(totals.steps);
  const auto ranks = static_cast<double>(totals.ranks), unit = static_cast<double>(totals.unit);
  const double share = unit * steps / mean;
  const double spread = static_cast<double>(totals.spread) / ranks * (unit / mean) * (unit / mean);
  return static_cast<double>(totals.variance) / ranks / steps * share * share / (1 + spread);
}

// All levels, measured or not, are those of the load as a whole: what phases lose beyond that, no
// cut by one weight can cure.
LoadSeen load_seen(const State& state, const Totals& totals) {
  const double mean = totals.mean_load(), steps = static_cast<double>(totals.steps);
  const Counterfactual& would_be = totals.would_be;
  LoadSeen seen;
  seen.step = state.step;
  seen.steps = totals.steps;
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
  const double cost = cost_of(state);
  seen.cost = cost * steps / mean;
  // Whether the time without any rebalance is known, or was not long ago.
  const bool knows_never = state.ledger.never.pending <= state.ledger.never.sum;
  seen.debt = cost > 0 && knows_never ? -state.ledger.saved() / cost : 0;
  seen.left = steps_left(state);
  seen.latency = state.latency_steps;
  if (state.rebalanced_at > state.began_at)
    seen.age = static_cast<double>(state.step - state.rebalanced_at);
  seen.generation = state.generation;
  seen.kept_from = state.kept_from;
  return seen;
}

// What holds for every rule comes first.
Decision decide(Question& on) {
  const State& before = on.before;
  const Totals& totals = on.totals;
  const Rule& rule = rule_of(before.trigger);
  if (is_outdated(before, totals)) return hold(Reason::outdated);
  if (command_of(totals) == Command::rebalance) return act(Reason::commanded);
  if (is_unfit(totals)) return hold(Reason::unfit);
  if (on.after.paused != 0) return hold(Reason::paused);
  if (rule.judge == nullptr) return hold(Reason::not_asked);
  if (totals.load.sum == 0) return hold(Reason::no_load);
  if (totals.coverage() < before.least_coverage) return hold(Reason::low_coverage);
  if (is_cooling_down(before, totals)) return hold(Reason::cooling_down);
  if (totals.imbalance_percent() < before.floor_percent) return hold(Reason::below_floor);
  return rule.judge(before.trigger, on);
}

// The expected gain of a rebalance is reported, whatever the rule.
void look_ahead(Question& on) {
  State& next = on.after;
  const Outlook& outlook = next.outlook;
  on.seen = load_seen(next, on.totals);
  const bool is_judged = outlook.awaits_judgement != 0;
  on.prospect = observe(next.outlook, on.seen);
  if (is_judged) next.ledger.miss(on.seen.level - on.prospect.fresh + outlook.shortfall);
}

// --- Shifts between new cuts ---------------------------------------------------------------------

// Whether a rule has looked at the load at all; else nothing follows from it.
bool has_judged(Reason reason) noexcept {
  switch (reason) {
    case Reason::outdated:
    case Reason::unfit:
    case Reason::paused:
    case Reason::commanded:
    case Reason::requested:
    case Reason::not_asked:
    case Reason::due:
    case Reason::no_load:
    case Reason::low_coverage:
    case Reason::cooling_down: return false;
    default: return true;
  }
}

// Whether this much less u pays for a rebalance, for as long as the future is trusted to be like
// the past, or until the run ends.
bool pays(double taken_off, const Question& on) noexcept {
  const double trusted = on.after.outlook.measured;
  const double steps = std::min(trusted, on.seen.left.value_or(trusted));
  return taken_off * steps >= on.seen.cost;
}

// Whether a rule has held back because a new cut would not help: it would be as wrong as the
// weights that were given. A shift goes by what was measured.
bool may_help(const Decision& decision, const Question& on) noexcept {
  const bool is_misled = on.after.outlook.misfit_looks > 0 && needs_surveys(on.after.trigger);
  const bool in_vain = decision.reason == Reason::not_curable ||
                       (decision.reason == Reason::below_cost && is_misled);
  return in_vain && pays(on.seen.level - on.prospect.noise, on);
}

// A rule that wants new domains gets shifted ones, as long as the load has not changed a lot.
void refine(Question& on, Decision& decision) {
  State& next = on.after;
  ShiftCourse& refinement = next.refinement;
  const bool has_domains = next.kept_from >= 0 && next.generation >= next.kept_from;
  if (next.shift_rounds <= 0 || !has_domains || !has_judged(decision.reason)) return;
  const Seen seen = {on.seen.level, on.totals.generation_least};
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
    next.outlook.left_from = -1;  // no judge of whether loads follow objects
    say(Action::rebalance, Reason::returns_to_best, refinement.best);
  } else if (acts && step != NextStep::cut_anew) {
    next.outlook.wanted_generation = -1;
    say(Action::hold, Reason::refined, refinement.usual);
  }
}

void pay_for_survey(Outlook& outlook, const Totals& totals) noexcept {
  constexpr double share = 0.001;   // of the run's time
  constexpr double most_saved = 4;  // surveys
  const double elapsed =
      static_cast<double>(totals.duration.sum) / static_cast<double>(totals.ranks);
  outlook.survey_credit =
      std::min(outlook.survey_credit + share * elapsed, most_saved * outlook.survey_cost);
  if (totals.would_be.fresh < 0) return;
  constexpr double most_growth = 1.25;  // a survey that something else has disturbed is no measure
  auto took = static_cast<double>(totals.survey);
  if (outlook.surveys > 0) took = std::min(took, most_growth * outlook.survey_cost);
  outlook.survey_cost =
      outlook.surveys == 0 ? took : outlook.survey_cost + (took - outlook.survey_cost) / 2;
  outlook.survey_credit = std::max(0.0, outlook.survey_credit - took);
  ++outlook.surveys;
}

}  // namespace

State accounted(State state, const Totals& totals) noexcept {
  if (totals.ranks <= 0) return state;
  const bool is_current = !is_outdated(state, totals);
  std::int64_t& first = state.outlook.first_generation;
  if (first < 0) first = totals.generation_least;
  state.ledger.pay(totals, state.rebalanced_at > state.began_at, is_current);
  state.ledger.enter(totals, totals.generation_greatest == first, is_current);
  return state;
}

Verdict fold(const State& state, const Totals& totals) {
  Verdict verdict{state, {}};
  State& next = verdict.state;
  Question question{state, totals, next, {}, {}};
  const bool is_current = !is_outdated(state, totals), is_fit = !is_unfit(totals);
  ++next.looks;
  next.step = totals.step_greatest;
  next.refinement.wanted = 0;
  obey(next, command_of(totals));
  next = accounted(next, totals);
  if (totals.ranks > 0) pay_for_survey(next.outlook, totals);
  if (is_current && is_fit) {
    next.mean_load = totals.load.sum / totals.ranks;
    observe(next.interval, totals);
    if (totals.steps > 0 && totals.load.sum > 0) look_ahead(question);
  }
  verdict.decision = decide(question);
  if (is_current && is_fit && totals.steps > 0 && totals.load.sum > 0)
    refine(question, verdict.decision);
  const double mean = totals.steps > 0 ? totals.mean_load() / static_cast<double>(totals.steps) : 0;
  verdict.decision.predicted_gain = question.prospect.gain * mean;
  next.ledger.promised = verdict.decision.predicted_gain;
  return verdict;
}

State rebalanced(State state, std::int64_t step, std::int64_t generation,
                 RebalanceKind kind) noexcept {
  const std::int64_t before = state.generation;
  const bool is_first = step <= state.began_at;  // the first distribution does not count
  state.rebalances += is_first ? 0 : 1;
  state.unchanged += !is_first && generation == before ? 1 : 0;
  state.rebalanced_at = step;
  state.generation = generation;
  // The run begins with what there is at its first step, whether or not a look has seen it.
  std::int64_t& first = state.outlook.first_generation;
  if (!is_first && first < 0) first = before;
  state.ledger.open_entry();
  rebalanced(state.outlook, before, generation, kind);
  rebalanced(state.refinement, before, generation, kind);
  state.interval = {};
  return state;
}

bool wants_survey(const State& state) noexcept {
  constexpr std::int64_t free_surveys = 3;  // at the start, when nothing is known yet
  const Outlook& outlook = state.outlook;
  return outlook.surveys < free_surveys || outlook.survey_credit >= outlook.survey_cost;
}

std::int64_t epoch_length(const State& state) noexcept {
  constexpr std::int64_t usual = 8;
  if (state.epoch_steps > 0) return state.epoch_steps;
  return needs_surveys(state.trigger) ? state.outlook.next_epoch : usual;
}

const char* name_of(Action action) noexcept {
  switch (action) {
    case Action::hold: return "hold";
    case Action::rebalance: return "rebalance";
  }
  return "unknown";
}

const char* name_of(Reason reason) noexcept {
  switch (reason) {
    case Reason::outdated: return "outdated";
    case Reason::unfit: return "unfit";
    case Reason::no_load: return "no_load";
    case Reason::low_coverage: return "low_coverage";
    case Reason::cooling_down: return "cooling_down";
    case Reason::below_floor: return "below_floor";
    case Reason::below_threshold: return "below_threshold";
    case Reason::above_threshold: return "above_threshold";
    case Reason::not_asked: return "not_asked";
    case Reason::custom: return "custom";
    case Reason::below_cost: return "below_cost";
    case Reason::above_cost: return "above_cost";
    case Reason::paused: return "paused";
    case Reason::commanded: return "commanded";
    case Reason::curable: return "curable";
    case Reason::goes_back: return "goes_back";
    case Reason::below_noise: return "below_noise";
    case Reason::not_curable: return "not_curable";
    case Reason::near_end: return "near_end";
    case Reason::in_debt: return "in_debt";
    case Reason::shifts: return "shifts";
    case Reason::returns_to_best: return "returns_to_best";
    case Reason::refined: return "refined";
    case Reason::due: return "due";
    case Reason::requested: return "requested";
  }
  return "unknown";
}

const char* name_of(RebalanceKind kind) noexcept {
  switch (kind) {
    case RebalanceKind::application: return "application";
    case RebalanceKind::fresh: return "fresh";
    case RebalanceKind::earlier: return "earlier";
    case RebalanceKind::shift: return "shift";
  }
  return "unknown";
}

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
