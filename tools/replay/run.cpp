#include "replay/run.hpp"

#include <evenkeel/monitor/decision.hpp>
#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/truncated_mean.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace evenkeel::tool {

namespace {

constexpr double most_nanoseconds = 0x1p61;

// Nanoseconds for what a chain counts in units of its own: a tenth of a second for the mean load of
// a rank in the first step, unless sums over all steps and ranks would overflow.
double nanoseconds_per_unit(const Setting& setting) {
  constexpr double tenth = 1e8, most = 0x1p60, greatest = std::numeric_limits<double>::max();
  double sum = 0;
  for (std::int64_t step = 0; step < setting.chain.steps(); ++step) sum += setting.chain.sum(step);
  if (sum <= 0) return 1;
  const double first = setting.chain.sum(0) / setting.ranks;
  const double wanted = first > 0 ? tenth / first : tenth * setting.ranks / sum;
  return std::min({wanted, most / sum, greatest});
}

State first_state_of(const Setting& setting, const ChainReplayOptions& options, double unit) {
  Options live;
  live.trigger = options.trigger;
  live.horizon = options.horizon.value_or(setting.chain.steps());
  State state = first_state(live);
  state.epoch_steps = options.epoch_steps;
  state.latency_steps = options.latency;
  state.refine_rounds = 0;  // a cut is the best there is
  state.ledger.cost.learn(setting.rebalance * unit, 0);
  // Neither is part of a rule: they guard against what a chain does not have, noise of clocks and
  // steps with cold caches.
  state.floor_percent = 0;
  state.cooldown_steps = 0;
  return state;
}

// The loads of all ranges over an epoch, as all ranks would have measured them.
class Epoch {
 public:
  void add(const std::vector<double>& loads, double unit) {
    if (by_range_.empty()) by_range_.resize(loads.size());
    for (std::size_t i = 0; i < loads.size(); ++i)
      by_range_[i].push_back(std::llround(loads[i] * unit));
    ++steps_;
  }
  std::int64_t steps() const noexcept { return steps_; }

  Totals totals(const State& state, int ranks, std::int64_t step, std::int64_t cost) {
    const std::int64_t unit = totals_of({}, state.mean_load).unit;
    if (state.interval.looks == 0) first_.assign(by_range_.size(), 0);
    const auto totals_of_rank = [&](std::span<const std::int64_t> loads, double* first) {
      Sample sample;
      sample.step = step;
      sample.steps = steps_;
      sample.generation = state.generation;
      sample.cost = cost;
      sample.load = sample.duration = truncated_sum(loads);
      sample.variance = variance_in(unit, loads);
      if (first != nullptr && state.interval.looks == 0)
        *first = static_cast<double>(sample.load) / static_cast<double>(steps_);
      if (first != nullptr) sample.growth = state.interval.growth_of(sample.load, steps_, *first);
      return totals_of(sample, state.mean_load);
    };
    // Ranks without bins are all alike.
    const std::int64_t idle = ranks - std::ssize(by_range_);
    Totals all =
        idle > 0 ? totals_of_rank({}, nullptr) : totals_of_rank(by_range_.front(), first_.data());
    if (idle > 0) {
      all.ranks = idle;
      all.spread *= idle;
    }
    for (std::size_t i = idle > 0 ? 0 : 1; i < by_range_.size(); ++i)
      combine(all, totals_of_rank(by_range_[i], &first_[i]));
    return all;
  }

  void restart() {
    by_range_.clear();
    steps_ = 0;
  }

 private:
  // In units squared, with the bound that measured ones have.
  static std::int64_t variance_in(std::int64_t unit, std::span<const std::int64_t> loads) {
    constexpr double most = 1ULL << 40U;
    const auto size = static_cast<double>(unit);
    return static_cast<std::int64_t>(std::min(most, truncated_sum_variance(loads) / (size * size)));
  }

  std::vector<std::vector<std::int64_t>> by_range_;  // of each step
  std::vector<double> first_;  // per step, at the first look since a rebalance
  std::int64_t steps_ = 0;
};

// A rebalance that was ordered for a cut that is gone by then is none.
struct Order {
  std::int64_t before_step;
  std::int64_t generation;
};

}  // namespace

Schedule run(const Setting& setting, const ChainReplayOptions& options) {
  const double unit = nanoseconds_per_unit(setting);
  State state = first_state_of(setting, options, unit);
  Ranges ranges = setting.start;
  Epoch epoch;
  std::deque<Order> orders;
  Schedule schedule;
  std::vector<double> loads;
  std::int64_t cost = 0;  // of a rebalance since the last look
  for (std::int64_t step = 0; step < setting.chain.steps(); ++step) {
    bool act = is_due(state.trigger, step);
    for (; !orders.empty() && orders.front().before_step == step; orders.pop_front())
      act = act || orders.front().generation == state.generation;
    if (act) {
      ranges = setting.chain.cut(step - 1, setting.ranks);
      state = rebalanced(state, step, state.generation + 1);
      schedule.push_back(step);
      cost += std::llround(std::min(most_nanoseconds, setting.rebalance * unit));
      epoch.restart();
    }
    setting.chain.loads(ranges, step, loads);
    epoch.add(loads, unit);
    if (epoch.steps() < epoch_length(state)) continue;
    const Verdict verdict =
        fold(state, epoch.totals(state, setting.ranks, step + 1, std::exchange(cost, 0)));
    state = verdict.state;
    if (verdict.decision.action == Action::rebalance)
      orders.push_back({step + 1 + options.latency, state.generation});
    epoch.restart();
  }
  return schedule;
}

}  // namespace evenkeel::tool
