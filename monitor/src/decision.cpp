#include <evenkeel/monitor/decision.hpp>

#include "hash.hpp"
#include "interval.hpp"

#include <algorithm>

namespace evenkeel {

namespace {

constexpr Decision hold(Reason reason) { return {Action::hold, reason}; }
constexpr Decision act(Reason reason) { return {Action::rebalance, reason}; }

Decision weigh(double loss, double cost) {
  if (loss >= cost) return {Action::rebalance, Reason::above_cost, loss, cost};
  return {Action::hold, Reason::below_cost, loss, cost};
}

// --- The rules. The interval is that of the state after the look ---------------------------------

Decision ask(const Never&, const Verdict&, const State&, const Totals&) {
  return hold(Reason::not_asked);
}

Decision ask(const Every&, const Verdict&, const State&, const Totals&) {
  return hold(Reason::not_asked);
}

bool reaches(double value, double limit) { return limit > 0 && value >= limit; }

Decision ask(const Threshold& threshold, const Verdict&, const State&, const Totals& totals) {
  if (reaches(totals.lambda(), threshold.lambda) ||
      reaches(totals.imbalance_percent(), threshold.imbalance_percent))
    return act(Reason::above_threshold);
  return hold(Reason::below_threshold);
}

Decision ask(const Menon&, const Verdict& now, const State&, const Totals&) {
  return weigh(now.state.interval.wasted, cost_of(now.state));
}

Decision ask(const Zhai&, const Verdict& now, const State&, const Totals&) {
  return weigh(now.state.interval.degradation, cost_of(now.state));
}

// After a rebalance the slowest rank takes average / efficiency.
Decision ask(const Procassini& procassini, const Verdict& now, const State&, const Totals&) {
  const Interval& interval = now.state.interval;
  const double peak = interval.peak.front();
  const double mean = peak - interval.waste.front();
  if (interval.efficiency <= 0) return weigh(0, cost_of(now.state));
  return weigh(procassini.rho * peak - mean / interval.efficiency, cost_of(now.state));
}

Decision ask(const Boulmier&, const Verdict& now, const State&, const Totals&) {
  const Interval& interval = now.state.interval;
  const double steps = static_cast<double>(interval.steps);
  return weigh(steps * interval.waste.front() - interval.wasted, cost_of(now.state));
}

Decision ask(const CostAware&, const Verdict&, const State&, const Totals&) {
  return hold(Reason::not_asked);
}

Decision ask(const Custom& custom, const Verdict&, const State& before, const Totals& totals) {
  const bool yes = custom.decide != nullptr && custom.decide(before, totals);
  return yes ? act(Reason::custom) : hold(Reason::custom);
}

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
  return state.rebalanced_at >= 0 &&
         totals.step_greatest - state.rebalanced_at < state.cooldown_steps;
}

Command command_of(const Totals& totals) {
  constexpr auto last = static_cast<std::int64_t>(Command::rebalance);
  return static_cast<Command>(std::clamp<std::int64_t>(totals.command, 0, last));
}

void obey(State& state, Command command) {
  if (command == Command::pause) state.paused = 1;
  if (command == Command::resume) state.paused = 0;
}

// As things were in the past: until the next rebalance as long as since the last one, with what one
// has left behind.
double gain_of(const State& state, std::int64_t step) {
  const auto since = static_cast<double>(state.interval.steps);
  const double left = state.horizon > 0
                          ? static_cast<double>(std::max<std::int64_t>(0, state.horizon - step))
                          : since;
  const double waste = state.interval.median_waste() - std::max(0.0, state.ledger.residual);
  return waste * std::min(since, left) - cost_of(state);
}

Decision decide(const Verdict& now, const State& before, const Totals& totals) {
  if (is_outdated(before, totals)) return hold(Reason::outdated);
  if (command_of(totals) == Command::rebalance) return act(Reason::commanded);
  if (is_unfit(totals)) return hold(Reason::unfit);
  if (now.state.paused != 0) return hold(Reason::paused);
  if (!looks_at_the_load(before.trigger)) return hold(Reason::not_asked);
  if (totals.load.sum == 0) return hold(Reason::no_load);
  if (totals.coverage() < before.least_coverage) return hold(Reason::low_coverage);
  if (is_cooling_down(before, totals)) return hold(Reason::cooling_down);
  if (totals.imbalance_percent() < before.floor_percent) return hold(Reason::below_floor);
  return std::visit([&](const auto& trigger) { return ask(trigger, now, before, totals); },
                    before.trigger);
}

}  // namespace

Verdict fold(const State& state, const Totals& totals) {
  Verdict verdict{state, {}};
  State& next = verdict.state;
  ++next.looks;
  next.step = totals.step_greatest;
  obey(next, command_of(totals));
  if (!is_outdated(state, totals) && !is_unfit(totals)) {
    next.mean_load = totals.load.sum / totals.ranks;
    observe(next.interval, totals);
    next.ledger.enter(totals, next.interval.waste.front());
  }
  verdict.decision = decide(verdict, state, totals);
  verdict.decision.predicted_gain = gain_of(next, next.step);
  next.ledger.promised = verdict.decision.predicted_gain;
  return verdict;
}

State rebalanced(State state, std::int64_t step, std::int64_t generation) noexcept {
  ++state.rebalances;
  state.rebalanced_at = step;
  state.generation = generation;
  state.ledger.open_entry(state.interval.median_waste(), state.interval.looks > 0);
  state.interval = {};
  return state;
}

std::int64_t epoch_length(const State& state) noexcept {
  constexpr std::int64_t usual = 8;
  return state.epoch_steps > 0 ? state.epoch_steps : usual;
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
