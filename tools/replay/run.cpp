#include "replay/schedule.hpp"

#include "decide/decision.hpp"
#include "observe/all_steps.hpp"
#include "observe/truncated_mean.hpp"
#include "options/first_state.hpp"

#include <evenkeel/monitor/counterfactual.hpp>
#include <evenkeel/monitor/options.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr double most_nanoseconds = 0x1p61;

// Nanoseconds per unit of the chain's costs. The mean load of a rank in the first step becomes a
// tenth of a second, unless sums over all steps and ranks would overflow.
double nanoseconds_per_unit(const Setting& setting) {
  constexpr double tenth = 1e8, most = 0x1p60, greatest = std::numeric_limits<double>::max();
  double sum = 0;
  for (std::int64_t step = 0; step < setting.chain.steps(); ++step) sum += setting.chain.sum(step);
  if (sum <= 0) return 1;
  const double first = setting.chain.sum(0) / setting.ranks;
  const double wanted = first > 0 ? tenth / first : tenth * setting.ranks / sum;
  return std::min({wanted, most / sum, greatest});
}

DecisionState first_state_of(const Setting& setting, const ChainReplayOptions& options,
                             double unit) {
  Options live;
  live.trigger = options.trigger;
  live.horizon = options.horizon.value_or(setting.chain.steps());
  DecisionState state = first_state(live);
  state.epoch_steps = options.epoch_steps;
  state.latency_steps = options.latency;
  state.ledger.cost.learn(setting.rebalance * unit, 0);
  // No trigger sets these two. They guard against noise of clocks and against cold caches, which a
  // chain does not have.
  state.floor_percent = 0;
  state.cooldown_steps = 0;
  return state;
}

// The loads of all ranges over an epoch, as the ranks of a program would have measured them.
class Epoch {
 public:
  void add(const std::vector<double>& loads, double slowest_first, double unit) {
    if (by_range_.empty()) by_range_.resize(loads.size());
    for (std::size_t i = 0; i < loads.size(); ++i)
      by_range_[i].push_back(std::llround(loads[i] * unit));
    ++steps_;
    all_.add(std::llround(*std::max_element(loads.begin(), loads.end()) * unit));
    first_.add(std::llround(slowest_first * unit));
    for (const double load : loads) all_load_ += std::llround(load * unit);
  }
  std::int64_t steps() const noexcept { return steps_; }

  Totals totals(const DecisionState& state, int ranks, std::int64_t step, std::int64_t cost) const {
    const std::int64_t unit = totals_of({}, state.mean_load).unit;
    const auto totals_of_rank = [&](std::span<const std::int64_t> loads) {
      Sample sample;
      sample.step = step;
      sample.steps = steps_;
      sample.generation = state.generation;
      sample.cost = cost;
      sample.load = sample.duration = truncated_sum(loads);
      sample.variance = variance_in(unit, loads);
      return totals_of(sample, state.mean_load);
    };
    // All ranks without bins have the same totals, which are computed once.
    const std::int64_t idle = ranks - std::ssize(by_range_);
    Totals all = totals_of_rank(idle > 0 ? std::span<const std::int64_t>() : by_range_.front());
    if (idle > 0) {
      all.ranks = idle;
      all.spread *= idle;
    }
    for (std::size_t i = idle > 0 ? 0 : 1; i < by_range_.size(); ++i)
      combine(all, totals_of_rank(by_range_[i]));
    all.all_steps = all_.steps();
    all.all_load = all_load_;
    all.slots = all_.sums();
    all.other_slots = first_.sums();
    return all;
  }

  // Forgets the loads of ranges after a rebalance. Earlier measurements count only in the account.
  void restart() {
    by_range_.clear();
    steps_ = 0;
  }
  void end_look() {
    restart();
    all_.restart();
    first_.restart();
    all_load_ = 0;
  }

 private:
  // The variance in squared units, with the same upper bound as measured variances.
  static std::int64_t variance_in(std::int64_t unit, std::span<const std::int64_t> loads) {
    constexpr double most = 1ULL << 40U;
    const auto size = static_cast<double>(unit);
    return static_cast<std::int64_t>(std::min(most, truncated_sum_variance(loads) / (size * size)));
  }

  std::vector<std::vector<std::int64_t>> by_range_;  // loads of each range, one for each step
  std::int64_t steps_ = 0;
  AllSteps all_, first_;  // of the slowest rank; first_: if no range had changed
  std::int64_t all_load_ = 0;
};

// A rebalance to carry out before a step, unless another one has replaced the cut by then.
struct RebalanceOrder {
  std::int64_t before_step;
  std::int64_t generation;
};

// The ranges that ranks have now and had before, and the loads under other ranges.
class Cuts {
 public:
  Cuts(const Setting& setting, double unit)
      : setting_(setting), unit_(unit), now_(setting.start), first_(now_), previous_(now_) {}

  const Ranges& now() const noexcept { return now_; }
  const Ranges& first() const noexcept { return first_; }

  void make_anew(std::int64_t step) {
    previous_ = std::exchange(now_, setting_.chain.cut(step - 1, setting_.ranks));
  }

  // The greatest loads under other cuts over an epoch, the steps [begin, end).
  Counterfactual would_be(std::int64_t begin, std::int64_t end) {
    const auto slowest = [&](const Ranges& ranges) {
      return std::llround(setting_.chain.slowest(ranges, begin, end) * unit_);
    };
    Counterfactual found;
    Ranges fresh = setting_.chain.cut(begin, end, setting_.ranks);
    found.first = slowest(first_);
    found.previous = slowest(previous_);
    found.fresh = slowest(fresh);
    std::size_t i = 0;
    for (const auto& [step, cut] : earlier_.entries()) {
      found.earlier[i] = slowest(cut);
      found.age[i++] = end - step;
    }
    earlier_.add(end, std::move(fresh));
    return found;
  }

 private:
  const Setting& setting_;
  double unit_;
  Ranges now_, first_, previous_;
  EarlierCuts<Ranges> earlier_;
};

}  // namespace

Schedule run(const Setting& setting, const ChainReplayOptions& options) {
  const double unit = nanoseconds_per_unit(setting);
  DecisionState state = first_state_of(setting, options, unit);
  Cuts cuts(setting, unit);
  Epoch epoch;
  std::deque<RebalanceOrder> orders;
  if (options.is_start_asked)
    state = rebalanced(state, 0, state.generation + 1, RebalanceKind::application);
  Schedule schedule;
  std::vector<double> loads;
  std::int64_t cost = 0;  // of a rebalance since the last look
  const std::int64_t survey = std::llround(
      std::min(most_nanoseconds, options.survey * setting.chain.sum(0) / setting.ranks * unit));
  for (std::int64_t step = 0; step < setting.chain.steps(); ++step) {
    bool act = is_due(state.trigger, step);
    for (; !orders.empty() && orders.front().before_step == step; orders.pop_front())
      act = act || orders.front().generation == state.generation;
    if (act) {
      cuts.make_anew(step);
      state = rebalanced(state, step, state.generation + 1);
      schedule.push_back(step);
      cost += std::llround(std::min(most_nanoseconds, setting.rebalance * unit));
      epoch.restart();
    }
    setting.chain.loads(cuts.now(), step, loads);
    epoch.add(loads, setting.chain.slowest(cuts.first(), step), unit);
    if (epoch.steps() < epoch_length(state)) continue;
    Totals totals = epoch.totals(state, setting.ranks, step + 1, std::exchange(cost, 0));
    if (needs_surveys(state.trigger) && wants_survey(state)) {
      totals.would_be = cuts.would_be(step + 1 - epoch.steps(), step + 1);
      totals.survey = survey;
    }
    const Verdict verdict = fold(state, totals);
    state = verdict.state;
    if (verdict.decision.action == Action::rebalance)
      orders.push_back({step + 1 + options.latency, state.generation});
    epoch.end_look();
  }
  return schedule;
}

}  // namespace evenkeel::tool
