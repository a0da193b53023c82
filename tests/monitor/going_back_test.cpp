// Rebalances in a row under cost_aware, and the way back to the best of them: a load that does not
// change but with the decomposition.

#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

#include <evenkeel/monitor/decision.hpp>
#include <evenkeel/monitor/state.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace evenkeel {
namespace {

constexpr std::int64_t mean = 1 << 20;  // nanoseconds per step
constexpr int ranks = 4;

// Decompositions are numbered as they are made, from 0, which is the start; to go back is to take
// an older number. This is u over the mean.
using Waste = std::function<double(std::int64_t made, std::int64_t step)>;

Waste listed(std::vector<double> wastes) {
  return [wastes](std::int64_t made, std::int64_t) {
    return wastes[std::min(static_cast<std::size_t>(made), wastes.size() - 1)];
  };
}

struct Story {
  State state;
  std::vector<Reason> acts;                              // why it rebalanced
  std::map<std::int64_t, std::int64_t> made = {{0, 0}};  // by generation
  std::int64_t steps = 0, newest = 0;
  std::int64_t paid = 0;

  explicit Story(std::int64_t kept_from) {
    state.trigger = CostAware{};
    state.expected_cost = 5;
    state.refine_rounds = 5;
    state.latency_steps = 5;
    state.kept_from = kept_from;
    state.mean_load = mean;
  }

  std::int64_t in_use() const { return made.at(state.generation); }

  Totals totals(double waste, std::int64_t length) {
    return test::over_ranks(ranks, [&](std::size_t rank) {
      const double load = rank == 0 ? 1 + waste : 1 - waste / (ranks - 1);
      Sample sample = {.step = steps, .steps = length, .generation = state.generation};
      sample.load = sample.duration = length * std::llround(load * mean);
      sample.cost = paid;
      return totals_of(sample, state.mean_load);
    });
  }

  void rebalance(std::int64_t as) {
    state = rebalanced(state, steps, state.generation + 1);
    made[state.generation] = as;
    paid = 5 * mean;
  }

  void go_on(const Waste& waste, std::int64_t until) {
    while (steps < until) {
      const std::int64_t length = epoch_length(state);
      steps += length;
      const Verdict verdict = fold(state, totals(waste(in_use(), steps), length));
      state = verdict.state;
      paid = 0;
      if (verdict.decision.action != Action::rebalance) continue;
      acts.push_back(verdict.decision.reason);
      rebalance(verdict.decision.reason == Reason::goes_back
                    ? made.at(state.outlook.best_generation)
                    : ++newest);
    }
  }
};

using Acts = std::vector<Reason>;

TEST(GoingBack, TakesTheBestOfARowAgainAndLeavesItAlone) {
  Story run(1);
  run.go_on(listed({1, 0.3, 0.6}), 2000);
  EXPECT_EQ(run.acts, (Acts{Reason::growth_pays, Reason::refines, Reason::goes_back}));
  EXPECT_EQ(run.in_use(), 1);
}

TEST(GoingBack, RefinesAsLongAsThatHelps) {
  Story run(1);
  run.go_on(listed({1, 0.6, 0.4, 0.2, 0.5}), 4000);
  EXPECT_EQ(run.acts, (Acts{Reason::growth_pays, Reason::refines, Reason::refines, Reason::refines,
                            Reason::goes_back}));
  EXPECT_EQ(run.in_use(), 3);
}

TEST(GoingBack, TakesWhatWasThereBeforeTheFirstOfARow) {
  Story run(0);
  run.go_on(listed({0.4, 0.8}), 2000);
  EXPECT_EQ(run.acts, (Acts{Reason::growth_pays, Reason::goes_back}));
  EXPECT_EQ(run.in_use(), 0);
}

TEST(GoingBack, TakesNothingThatNobodyHasKept) {
  for (const std::int64_t kept_from : {-1, 1}) {
    Story run(kept_from);
    run.go_on(listed({0.4, 0.8}), 2000);
    EXPECT_EQ(std::ranges::count(run.acts, Reason::goes_back), 0) << kept_from;
  }
}

TEST(GoingBack, NeedsMoreThanALittleToGain) {
  Story run(1);
  run.go_on(listed({1, 0.3, 0.34}), 2000);
  EXPECT_EQ(std::ranges::count(run.acts, Reason::goes_back), 0);
}

// The load has changed by itself meanwhile, and what was best belongs to another time: each further
// row makes things worse, and none goes back.
TEST(GoingBack, IsTriedOnceWhereItDoesNotHelp) {
  Story run(1);
  const auto by_generation = [&](std::int64_t, std::int64_t step) {
    if (run.state.generation < 2) return run.state.generation == 0 ? 1 : 0.3;
    return step % 1000 < 500 ? 0.6 : 0.2;
  };
  run.go_on(by_generation, 400);
  ASSERT_GE(run.acts.size(), 3U);
  EXPECT_EQ(run.acts[2], Reason::goes_back);
  EXPECT_EQ(run.state.outlook.back_is_vain, 1);
  run.go_on(by_generation, 10'000);
  EXPECT_GT(run.acts.size(), 3U);
  EXPECT_EQ(std::ranges::count(run.acts, Reason::goes_back), 1);
}

TEST(GoingBack, ForgetsWhatWasBeforeARebalanceOfTheApplication) {
  const Waste waste = listed({1, 0.3, 0.6});
  Story run(1);
  while (run.acts.size() < 2) run.go_on(waste, run.steps + 1);
  ASSERT_EQ(run.acts.back(), Reason::refines);
  run.rebalance(++run.newest);  // 0.6, too
  run.go_on(waste, 2000);
  EXPECT_EQ(std::ranges::count(run.acts, Reason::goes_back), 0);
}

TEST(GoingBack, SaysSo) {
  const Waste waste = listed({1, 0.3, 0.6});
  Story run(1);
  while (run.acts.empty() || run.acts.back() != Reason::goes_back) {
    const State before = run.state;
    const std::size_t acts = run.acts.size();
    run.go_on(waste, run.steps + 1);
    if (run.acts.size() == acts || run.acts.back() != Reason::goes_back) continue;
    const Totals totals = run.totals(0.6, 8);
    const std::string text = explain(before, totals, {Action::rebalance, Reason::goes_back});
    EXPECT_NE(text.find("an earlier decomposition was more even"), std::string::npos) << text;
  }
  EXPECT_STREQ(name_of(Reason::goes_back), "goes_back");
}

}  // namespace
}  // namespace evenkeel
