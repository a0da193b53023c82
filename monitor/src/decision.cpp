#include <evenkeel/monitor/decision.hpp>

#include "cost_aware.hpp"
#include "hash.hpp"
#include "interval.hpp"

#include <algorithm>
#include <optional>

namespace evenkeel {

namespace {

constexpr Decision hold(Reason reason) { return {Action::hold, reason}; }
constexpr Decision act(Reason reason) { return {Action::rebalance, reason}; }

Decision weigh(double loss, double cost) {
  if (loss >= cost) return {Action::rebalance, Reason::above_cost, loss, cost};
  return {Action::hold, Reason::below_cost, loss, cost};
}

// What a rule is asked about: the state before the look, and what the look makes of it.
struct Question {
  const State& before;
  const Totals& totals;
  State& after;
  LoadSeen seen;  // of cost_aware alone, as is the prospect
  Prospect prospect;
};

// --- The rules -----------------------------------------------------------------------------------

Decision ask(const Never&, Question&) { return hold(Reason::not_asked); }

Decision ask(const Every&, Question&) { return hold(Reason::not_asked); }

bool reaches(double value, double limit) { return limit > 0 && value >= limit; }

Decision ask(const Threshold& threshold, Question& on) {
  if (reaches(on.totals.lambda(), threshold.lambda) ||
      reaches(on.totals.imbalance_percent(), threshold.imbalance_percent))
    return act(Reason::above_threshold);
  return hold(Reason::below_threshold);
}

Decision ask(const Menon&, Question& on) {
  return weigh(on.after.interval.wasted, cost_of(on.after));
}

Decision ask(const Zhai&, Question& on) {
  return weigh(on.after.interval.degradation, cost_of(on.after));
}

// After a rebalance the slowest rank takes average / efficiency. To gain nothing is not to gain.
Decision ask(const Procassini& procassini, Question& on) {
  const Interval& interval = on.after.interval;
  const double peak = interval.peak.front(), mean = peak - interval.waste.front();
  const double after = interval.efficiency > 0 ? mean / interval.efficiency : peak;
  Decision decision = weigh(procassini.rho * peak - after, cost_of(on.after));
  if (decision.weighed == decision.against)
    return {Action::hold, Reason::below_cost, decision.weighed, decision.against};
  return decision;
}

Decision ask(const Boulmier&, Question& on) {
  const Interval& interval = on.after.interval;
  const auto steps = static_cast<double>(interval.steps);
  return weigh(steps * interval.waste.front() - interval.wasted, cost_of(on.after));
}

Decision ask(const CostAware&, Question& on) {
  return judge(on.after.outlook, on.seen, on.prospect);
}

Decision ask(const Custom& custom, Question& on) {
  const bool yes = custom.decide != nullptr && custom.decide(on.before, on.totals);
  return yes ? act(Reason::custom) : hold(Reason::custom);
}

// --- What comes before the rules -----------------------------------------------------------------

bool is_outdated(const State& state, const Totals& totals) {
  return totals.generation_least != state.generation ||
         totals.generation_greatest != state.generation;
}

bool is_unfit(const Totals& totals) {
  return totals.unfit > 0 || totals.ranks <= 0 || totals.step_least != totals.step_greatest;
}

bool looks_at_the_load(const Trigger& trigger) {
  return !std::holds_alternative<Never>(trigger) && !std::holds_alternative<Every>(trigger);
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

LoadSeen load_seen(const State& state, const Totals& totals) {
  const Interval& interval = state.interval;
  const auto steps = static_cast<double>(totals.steps), ranks = static_cast<double>(totals.ranks);
  const auto unit = static_cast<double>(totals.unit);
  LoadSeen seen;
  seen.step = state.step;
  seen.steps = totals.steps;
  seen.peak = interval.peak.front();
  seen.mean = interval.peak.front() - interval.waste.front();
  seen.variance = static_cast<double>(totals.variance) / ranks / steps * unit * unit;
  seen.growth = static_cast<double>(totals.growth) / steps;
  seen.cost = cost_of(state);
  seen.left = steps_left(state);
  seen.latency = state.latency_steps;
  seen.refine_rounds = state.refine_rounds;
  seen.generation = state.generation;
  seen.kept_from = state.kept_from;
  return seen;
}

// As things were in the past: until the next rebalance as long as since the last one, with what one
// has left behind.
double gain_of(const State& state) {
  const auto since = static_cast<double>(state.interval.steps);
  const double waste = state.interval.median_waste() - std::max(0.0, state.ledger.residual);
  return waste * std::min(since, steps_left(state).value_or(since)) - cost_of(state);
}

Decision decide(Question& on) {
  const State& before = on.before;
  const Totals& totals = on.totals;
  if (is_outdated(before, totals)) return hold(Reason::outdated);
  if (command_of(totals) == Command::rebalance) return act(Reason::commanded);
  if (is_unfit(totals)) return hold(Reason::unfit);
  if (on.after.paused != 0) return hold(Reason::paused);
  if (!looks_at_the_load(before.trigger)) return hold(Reason::not_asked);
  if (totals.load.sum == 0) return hold(Reason::no_load);
  if (totals.coverage() < before.least_coverage) return hold(Reason::low_coverage);
  if (is_cooling_down(before, totals)) return hold(Reason::cooling_down);
  if (totals.imbalance_percent() < before.floor_percent) return hold(Reason::below_floor);
  return std::visit([&](const auto& trigger) { return ask(trigger, on); }, before.trigger);
}

}  // namespace

Verdict fold(const State& state, const Totals& totals) {
  Verdict verdict{state, {}};
  State& next = verdict.state;
  Question question{state, totals, next, {}, {}};
  ++next.looks;
  next.step = totals.step_greatest;
  obey(next, command_of(totals));
  next.ledger.pay(totals, !is_outdated(state, totals));
  if (!is_outdated(state, totals) && !is_unfit(totals)) {
    next.mean_load = totals.load.sum / totals.ranks;
    observe(next.interval, totals);
    next.ledger.enter(totals, next.interval.waste.front());
    if (std::holds_alternative<CostAware>(state.trigger) && totals.steps > 0 &&
        totals.load.sum > 0) {
      question.seen = load_seen(next, totals);
      question.prospect = observe(next.outlook, question.seen);
    }
  }
  verdict.decision = decide(question);
  verdict.decision.predicted_gain = gain_of(next);
  next.ledger.promised = verdict.decision.predicted_gain;
  return verdict;
}

State rebalanced(State state, std::int64_t step, std::int64_t generation) noexcept {
  ++state.rebalances;
  state.rebalanced_at = step;
  state.generation = generation;
  state.ledger.open_entry(state.interval.median_waste(), state.interval.looks > 0);
  rebalanced(state.outlook, step);
  state.interval = {};
  return state;
}

std::int64_t epoch_length(const State& state) noexcept {
  constexpr std::int64_t usual = 8;
  if (state.epoch_steps > 0) return state.epoch_steps;
  return std::holds_alternative<CostAware>(state.trigger) ? state.outlook.next_epoch : usual;
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
    case Reason::growth_pays: return "growth_pays";
    case Reason::excess_pays: return "excess_pays";
    case Reason::refines: return "refines";
    case Reason::goes_back: return "goes_back";
    case Reason::too_early: return "too_early";
    case Reason::below_noise: return "below_noise";
    case Reason::near_end: return "near_end";
    case Reason::heals_itself: return "heals_itself";
    case Reason::not_paying: return "not_paying";
    case Reason::switched_off: return "switched_off";
    case Reason::outlier: return "outlier";
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
