#include "watch/view.hpp"

#include "decide/decision.hpp"

#include <algorithm>
#include <utility>

namespace evenkeel::tool::watch {

namespace {

constexpr double seconds = 1e-9;

template <class T>
void push(std::deque<T>& last, T value, std::size_t most) {
  last.push_back(std::move(value));
  if (last.size() > most) last.pop_front();
}

void take_loads(View& view, const report::Look& look) {
  view.loads = look.per_rank;
  view.histogram.clear();
  if (view.loads.empty() && look.before.mean_load > 0) view.histogram = look.histogram;
}

void count_rebalances(View& view, const State& state) {
  view.rebalances = state.rebalances - state.unchanged;
  view.unchanged = state.unchanged;
}

}  // namespace

void take(View& view, const report::Start& start) {
  view.name = start.name;
  view.ranks = std::max<std::int64_t>(1, start.ranks);
  view.step = start.state.step;
  const auto found = start.options.find("deterministic");
  view.is_deterministic = found != start.options.end() && found->second == "on";
}

void take(View& view, const report::Look& look) {
  push(view.decisions, Decision{look.step, look.decision, look.reason}, View::most_decisions);
  view.is_paused = look.before.paused != 0;
  count_rebalances(view, look.before);
  if (look.taken && look.taken->at > look.before.began_at)
    ++(look.taken->changed.value_or(true) ? view.rebalances : view.unchanged);
  if (look.totals && look.totals->ranks > 0) {
    const Totals& totals = *look.totals;
    ++view.looks;
    if (view.looks > 1 && look.step > view.step)
      view.next_look = look.step + (look.step - view.step);
    view.ranks = totals.ranks;
    if (totals.all_steps > 0) {
      const auto steps = static_cast<double>(totals.all_steps);
      view.slowest = totals.slowest_of_all() / steps * seconds;
      view.average = totals.mean_of_all() / steps * seconds;
    }
    if (totals.load.sum > 0) {
      view.lambda = totals.lambda();
      view.imbalance_percent = totals.imbalance_percent();
      push(view.lambdas, view.lambda, View::most_lambdas);
    }
    take_loads(view, look);
    view.account = account_of(accounted(look.before, totals).ledger);
  }
  view.step = std::max(view.step, look.step);
}

void take(View& view, const report::Finish& finish) {
  view.step = std::max(view.step, finish.step);
  count_rebalances(view, finish.state);
  view.account = finish.account;
  view.summary = finish.summary;
  view.next_look.reset();
}

std::string line_of(const View& view) {
  const Decision decision = view.decisions.empty() ? Decision{} : view.decisions.back();
  return "step " + std::to_string(view.step) + ": " + decision.word +
         (decision.reason.empty() ? "" : ": " + decision.reason) + '\n';
}

}  // namespace evenkeel::tool::watch
