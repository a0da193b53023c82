#include "watch/view.hpp"

#include "decide/decision.hpp"
#include "files/printable.hpp"

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

void take_loads(View& view, const JournalLine& look) {
  view.loads.clear();
  view.histogram.clear();
  const auto shares = rank_shares(look);
  if (look.totals->steps > 0) view.loads = rank_seconds(look);
  if (look.before.mean_load > 0) view.histogram.assign(shares.begin(), shares.end());
}

void count_rebalances(View& view, const DecisionState& state) {
  view.rebalances = state.rebalances - state.ledger.gains.unchanged;
  view.unchanged = state.ledger.gains.unchanged;
}

}  // namespace

void take(View& view, const JournalHeader& start) {
  view.name = start.name;
  view.ranks = std::max<std::int64_t>(1, start.ranks);
  view.step = start.state.step;
  for (const auto& [key, value] : entries_of(start.options))
    if (key == "deterministic") view.is_deterministic = value == "on";
}

void take(View& view, const JournalLine& look) {
  push(view.decisions, Shown{look.step, name_of(look.decision.action), look.reason},
       View::most_decisions);
  view.is_paused = look.before.paused != 0;
  count_rebalances(view, look.before);
  if (look.outcome && look.taken_at > look.before.began_at)
    ++(look.outcome->moved ? view.rebalances : view.unchanged);
  if (look.totals && look.totals->ranks > 0) {
    const Totals& totals = *look.totals;
    ++view.looks;
    if (view.looks > 1 && look.step > view.last_look)
      view.next_look = look.step + (look.step - view.last_look);
    view.last_look = look.step;
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
    view.slow = look.slow;
    view.memory = totals.memory;
    view.account = account_of(accounted(look.before, totals).ledger);
  }
  view.step = std::max(view.step, look.step);
}

void take(View& view, const JournalFinish& finish) {
  view.step = std::max(view.step, finish.step);
  count_rebalances(view, finish.state);
  view.account = finish.account;
  view.summary = finish.summary;
  view.next_look.reset();
}

std::string line_of(const View& view) {
  const Shown decision = view.decisions.empty() ? Shown{} : view.decisions.back();
  return "step " + std::to_string(decision.step) + ": " + decision.word +
         (decision.reason.empty() ? "" : ": " + printable_line(decision.reason)) + '\n';
}

}  // namespace evenkeel::tool::watch
