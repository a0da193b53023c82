#pragma once

// A run in one process. A world gives the loads of ranks under each cut, fold() decides at looks,
// and a survey returns the loads under other cuts.

#include "decide/decision.hpp"
#include "monitor/over_ranks.hpp"
#include "observe/truncated_mean.hpp"

#include <functional>
#include <map>

namespace evenkeel::test {

// The waste u of a step, as a share of the mean, under the cut that was made before step `cut`; 0
// means the first domains. If `step` is before `cut`, it is a step by whose loads the cut was made.
using Waste = std::function<double(std::int64_t step, std::int64_t cut)>;

struct CutWorld {
  Waste waste;
  double noise = 0;  // standard deviation of a rank's load from step to step
  // The mean load of a step in a look. It is the same on all ranks.
  std::function<double(std::int64_t step, std::int64_t look)> mean = {};
  std::uint64_t seed = 0;
  std::size_t ranks = 4;
  Waste weighed = {};    // as `waste`, but by given weights; may be empty
  double promised = -1;  // expected u of fresh cuts; if negative, the true one
};

struct CutRun {
  std::int64_t steps = 400;
  double cost = 5;           // of a rebalance, in mean loads of 1
  std::int64_t epoch = 1;    // steps between looks; 0 if the trigger chooses
  std::int64_t latency = 0;  // steps from a look to its rebalance
  bool is_told = true;       // about the loads under other cuts
  double survey = 0;         // its cost, in mean loads of 1
  bool tells_costs = true;   // if false, no cost is ever measured
  bool knows_horizon = true;
  double expected_cost = 5;     // in mean steps, until one was measured
  std::int64_t unit = 1 << 20;  // nanoseconds
  std::int64_t kept_from = -1;
  Trigger trigger = CostAware{};
};

struct CutLook {
  DecisionState before;
  Totals totals;
  Decision decision;
  std::int64_t taken_at = -1;
  RebalanceKind kind = RebalanceKind::application;
};

struct Played {
  DecisionState state;
  std::vector<CutLook> looks;
  std::vector<std::int64_t> rebalances;  // the steps before each
  std::vector<std::int64_t> epochs;
  double slowest = 0, mean = 0, spent = 0;  // mean loads of 1
  std::int64_t cut = 0;                     // in use at the end

  double total() const { return slowest + spent; }
  std::vector<Reason> reasons() const {
    std::vector<Reason> all;
    for (const CutLook& look : looks) all.push_back(look.decision.reason);
    return all;
  }
  bool has(Reason reason) const {
    return std::ranges::any_of(looks,
                               [=](const CutLook& look) { return look.decision.reason == reason; });
  }
  std::vector<Reason> acts() const {
    std::vector<Reason> all;
    for (const CutLook& look : looks)
      if (look.taken_at >= 0) all.push_back(look.decision.reason);
    return all;
  }
};

// Draws a number for a step and a rank. It is roughly normally distributed.
inline double deviate_of(std::uint64_t seed, std::int64_t step, std::size_t rank) {
  std::uint64_t at = seed * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(step) * 1024 + rank;
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    at += 0x9e3779b97f4a7c15;
    std::uint64_t z = at;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    sum += static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }
  return sum;
}

class CutPlayer {
 public:
  CutPlayer(CutWorld world, const CutRun& run) : world_(std::move(world)), run_(run) {
    DecisionState& state = played_.state;
    state.trigger = run.trigger;
    state.epoch_steps = run.epoch;
    state.latency_steps = run.latency;
    state.horizon = run.knows_horizon ? run.steps : 0;
    state.expected_cost = run.expected_cost;
    state.kept_from = run.kept_from;
    state.mean_load = run.unit;
    all_.resize(world_.ranks);
    first_.resize(world_.ranks);
  }

  const DecisionState& first() const noexcept { return first_state_; }

  const Played& play() { return go_on(run_.steps); }

  const Played& go_on(std::int64_t until) {
    if (step_ == 0) first_state_ = played_.state;
    while (step_ < until) {
      if (is_ordered_ && step_ == ordered_before_) rebalance();
      take();
      ++step_;
      if (step_ - epoch_began_ == epoch_length(played_.state)) look();
    }
    return played_;
  }

  // The application rebalances by itself, by a fresh cut.
  void rebalance_unasked() {
    kind_ = RebalanceKind::application;
    ordered_look_ = -1;
    rebalance();
  }

 private:
  // The load of one rank in a step, in nanoseconds.
  std::int64_t load(std::int64_t step, std::int64_t cut, std::size_t rank, bool is_noisy) const {
    const double waste = world_.waste(step, cut);
    const double share = rank == 0 ? 1 + waste : 1 - waste / static_cast<double>(world_.ranks - 1);
    const double noise =
        is_noisy && world_.noise > 0 ? 1 + world_.noise * deviate_of(world_.seed, step, rank) : 1;
    const double mean = world_.mean ? world_.mean(step, looks_) : 1;
    const double units = std::max(0.0, share * noise * mean);
    return std::llround(units * 1024 * 1024) * (run_.unit / 1024) / 1024;
  }

  void take() {
    std::int64_t slowest = 0, sum = 0;
    for (std::size_t rank = 0; rank < world_.ranks; ++rank) {
      const std::int64_t mine = load(step_, played_.cut, rank, true);
      all_[rank].add(mine);
      first_[rank].add(load(step_, 0, rank, true));
      slowest = std::max(slowest, mine);
      sum += mine;
    }
    const auto unit = static_cast<double>(run_.unit);
    played_.slowest += static_cast<double>(slowest) / unit;
    played_.mean += static_cast<double>(sum) / static_cast<double>(world_.ranks) / unit;
  }

  std::vector<std::int64_t> epoch_of(std::int64_t cut, std::size_t rank, bool is_noisy) const {
    std::vector<std::int64_t> loads;
    for (std::int64_t step = epoch_began_; step < step_; ++step)
      loads.push_back(load(step, cut, rank, is_noisy));
    return loads;
  }
  std::int64_t greatest(std::int64_t cut, bool is_noisy) const {
    std::int64_t most = 0;
    for (std::size_t rank = 0; rank < world_.ranks; ++rank)
      most = std::max(most, truncated_sum(epoch_of(cut, rank, is_noisy)));
    return most;
  }

  // Returns the load of the slowest rank if the sum is the same and the level is `level`.
  std::int64_t as_uneven_as(double level) const {
    double sum = 0;
    for (std::size_t rank = 0; rank < world_.ranks; ++rank)
      sum += static_cast<double>(truncated_sum(epoch_of(played_.cut, rank, true)));
    return std::llround((1 + level) * sum / static_cast<double>(world_.ranks));
  }

  // A fresh cut is made by the same loads that judge it, with their noise, so it is perfectly even.
  // Other cuts would include the noise of the ranks.
  Counterfactual survey() {
    Counterfactual would_be;
    if (!run_.is_told || !wants_survey(played_.state)) return would_be;
    if (played_.state.rebalances > 0) {
      would_be.first = would_be.first_again = greatest(0, true);
      would_be.previous = would_be.previous_again = greatest(previous_, true);
    }
    would_be.fresh = world_.promised < 0 ? greatest(step_, false) : as_uneven_as(world_.promised);
    if (world_.weighed) would_be.as_weighed = as_uneven_as(world_.weighed(step_ - 1, played_.cut));
    std::size_t i = 0;
    for (const auto& [made, cut] : earlier_.entries()) {
      would_be.earlier[i] =
          world_.promised < 0 ? greatest(cut, true) : as_uneven_as(world_.promised);
      would_be.age[i++] = step_ - made;
    }
    earlier_.add(step_, step_);
    return would_be;
  }

  Totals totals() {
    const DecisionState& state = played_.state;
    const double unit = static_cast<double>(totals_of({}, state.mean_load).unit);
    const Counterfactual would_be = survey();
    return over_ranks(world_.ranks, [&](std::size_t rank) {
      constexpr double most = 1ULL << 40U;
      const std::vector<std::int64_t> loads = epoch_of(played_.cut, rank, true);
      Sample sample = {.step = step_, .steps = std::ssize(loads)};
      sample.generation = state.generation;
      sample.load = sample.duration = truncated_sum(loads);
      sample.variance =
          static_cast<std::int64_t>(std::min(most, truncated_sum_variance(loads) / (unit * unit)));
      sample.cost = paid_;
      sample.all_steps = all_[rank].steps();
      sample.all_load = all_[rank].sum();
      sample.slots = all_[rank].sums();
      if (would_be.first >= 0) sample.other_slots = first_[rank].sums();
      sample.would_be = would_be;
      if (would_be.fresh >= 0)
        sample.survey = std::llround(run_.survey * static_cast<double>(run_.unit));
      return totals_of(sample, state.mean_load);
    });
  }

  void look() {
    played_.epochs.push_back(step_ - epoch_began_);
    const DecisionState before = played_.state;
    const Totals seen = totals();
    const Verdict verdict = fold(before, seen);
    played_.looks.push_back({before, seen, verdict.decision});
    played_.state = verdict.state;
    paid_ = 0;
    ++looks_;
    for (AllSteps& all : all_) all.restart();
    for (AllSteps& all : first_) all.restart();
    epoch_began_ = step_;
    if (verdict.decision.action != Action::rebalance || is_ordered_) return;
    if (step_ + run_.latency >= run_.steps) return;
    const bool goes_back = verdict.decision.reason == Reason::goes_back;
    kind_ = goes_back ? RebalanceKind::earlier : RebalanceKind::fresh;
    back_to_ = goes_back ? cuts_.at(verdict.state.outlook.wanted_generation) : -1;
    is_ordered_ = true;
    ordered_before_ = step_ + run_.latency;
    ordered_look_ = std::ssize(played_.looks) - 1;
  }

  void rebalance() {
    is_ordered_ = false;
    DecisionState& state = played_.state;
    previous_ = std::exchange(played_.cut, kind_ == RebalanceKind::earlier ? back_to_ : step_);
    state = rebalanced(state, step_, state.generation + 1, kind_);
    cuts_[state.generation] = played_.cut;
    if (ordered_look_ >= 0) {
      CutLook& look = played_.looks[static_cast<std::size_t>(ordered_look_)];
      look.taken_at = step_;
      look.kind = kind_;
    }
    played_.rebalances.push_back(step_);
    played_.spent += run_.cost;
    if (run_.tells_costs) paid_ += std::llround(run_.cost * static_cast<double>(run_.unit));
    epoch_began_ = step_;
  }

  CutWorld world_;
  CutRun run_;
  Played played_;
  DecisionState first_state_;
  std::vector<AllSteps> all_, first_;
  EarlierCuts<std::int64_t> earlier_;
  std::map<std::int64_t, std::int64_t> cuts_ = {{0, 0}};  // by generation
  std::int64_t step_ = 0, epoch_began_ = 0, looks_ = 0;
  std::int64_t previous_ = 0, paid_ = 0;
  bool is_ordered_ = false;
  std::int64_t ordered_before_ = 0, ordered_look_ = -1, back_to_ = -1;
  RebalanceKind kind_ = RebalanceKind::fresh;
};

inline Played play(const CutWorld& world, const CutRun& run = {}) {
  return CutPlayer(world, run).play();
}

}  // namespace evenkeel::test
