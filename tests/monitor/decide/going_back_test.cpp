// Tests the return to earlier domains under cost_aware. These are the first domains of the run and
// the domains that the last rebalance has replaced. Their present loads decide.

#include "monitor/decide/cut_world.hpp"
#include "support/harness.hpp"

namespace evenkeel::going_back_test {
namespace {

using test::CutPlayer;
using test::CutRun;
using test::Played;
using test::Waste;

using Acts = std::vector<Reason>;

std::vector<CutRun> manners(CutRun run) {
  std::vector<CutRun> all;
  for (const std::int64_t epoch : {1, 0})
    for (const bool knows_horizon : {true, false}) {
      run.epoch = epoch;
      run.latency = epoch == 1 ? 0 : 5;
      run.knows_horizon = knows_horizon;
      all.push_back(run);
    }
  return all;
}

// The first domains are uneven at first, and then better than any cut.
constexpr std::int64_t turn = 200;
double better_at_first(std::int64_t step, std::int64_t cut) {
  if (cut == 0) return step < turn ? 1 : 0.05;
  return 0.4;
}

TEST(GoingBack, TakesTheFirstDomainsAgain) {
  for (const CutRun& run : manners({.steps = 1000, .kept_from = 0})) {
    const Played played = test::play({better_at_first}, run);
    EXPECT_EQ(played.acts(), (Acts{Reason::curable, Reason::goes_back}));
    EXPECT_EQ(played.cut, 0);
    EXPECT_GE(played.rebalances.back(), turn);
    EXPECT_LE(played.rebalances.back(), turn + 30);
  }
}

TEST(GoingBack, IsForgottenByNobodyThatNobodyHasKept) {
  for (const std::int64_t kept_from : {-1, 1, 5})
    for (const CutRun& run : manners({.steps = 1000, .kept_from = kept_from})) {
      const Played played = test::play({better_at_first}, run);
      EXPECT_EQ(played.acts(), Acts{Reason::curable}) << kept_from;
    }
}

// If the loads under earlier domains are unknown, it must not go back.
TEST(GoingBack, NeedsToBeTold) {
  for (const CutRun& run : manners({.steps = 1000, .is_told = false, .kept_from = 0}))
    EXPECT_FALSE(test::play({better_at_first}, run).has(Reason::goes_back));
}

// The first cut is good. The second one, which the application requests, is bad.
TEST(GoingBack, TakesWhatTheLastRebalanceHasReplaced) {
  for (const CutRun& run : manners({.steps = 600, .kept_from = 1})) {
    std::int64_t made = 0;
    const Waste waste = [&made](std::int64_t, std::int64_t cut) {
      if (cut == 0) return 0.9;
      if (made == 0) return 0.1;
      return cut < made ? 0.1 : 0.6;
    };
    CutPlayer player({waste}, run);
    ASSERT_EQ(player.go_on(200).acts(), Acts{Reason::curable});
    const std::int64_t good = player.go_on(200).cut;
    made = 200;
    player.rebalance_unasked();
    ASSERT_EQ(player.go_on(200).cut, 200);
    const Played played = player.go_on(600);
    EXPECT_EQ(played.acts(), (Acts{Reason::curable, Reason::goes_back}));
    EXPECT_EQ(played.cut, good);
    EXPECT_EQ(played.rebalances.size(), 3U);
  }
}

// If two earlier domains are possible, it must take the more even ones.
TEST(GoingBack, TakesTheBetterOfTwo) {
  for (const bool first_is_better : {false, true})
    for (const CutRun& run : manners({.steps = 600, .kept_from = 0})) {
      std::int64_t made = 1000;
      const Waste waste = [&](std::int64_t step, std::int64_t cut) {
        if (cut == 0) return step < 200 ? 0.9 : first_is_better ? 0.05 : 0.2;
        return cut < made ? (step < 200 || !first_is_better ? 0.1 : 0.2) : 0.6;
      };
      CutPlayer player({waste}, run);
      const std::int64_t good = player.go_on(200).cut;
      ASSERT_GT(good, 0);
      made = 200;
      player.rebalance_unasked();
      EXPECT_EQ(player.go_on(600).cut, first_is_better ? 0 : good);
      EXPECT_TRUE(player.go_on(600).has(Reason::goes_back));
    }
}

// If a fresh cut is as good, it must be preferred.
TEST(GoingBack, IsNotPreferredToAFreshCutThatIsAsGood) {
  for (const CutRun& run : manners({.steps = 600, .kept_from = 0})) {
    const Waste waste = [](std::int64_t step, std::int64_t cut) {
      if (cut == 0) return step < turn ? 1 : 0.05;
      return step >= turn && cut <= turn ? 0.4 : 0.05;
    };
    const Played played = test::play({waste}, run);
    EXPECT_EQ(played.acts(), (Acts{Reason::curable, Reason::curable}));
  }
}

// With a gain of 0.03, going back would pay off only after 5 / 0.03 steps.
TEST(GoingBack, NeedsToPay) {
  const Waste waste = [](std::int64_t step, std::int64_t cut) {
    if (cut == 0) return step < turn ? 1 : 0.4;
    return 0.43;
  };
  for (const CutRun& run : manners({.steps = 360, .kept_from = 0})) {
    const Played played = test::play({waste}, run);
    EXPECT_EQ(played.has(Reason::goes_back), !run.knows_horizon);
  }
}

// Domains that are taken again get a new number, and must not be replaced by themselves. When the
// load turns again, the choice must turn, too.
TEST(GoingBack, KnowsTheFirstDomainsAgain) {
  const Waste waste = [](std::int64_t step, std::int64_t cut) {
    const bool is_turned = step / turn % 2 == 1;
    if (cut == 0) return is_turned ? 0.05 : 1;
    return is_turned ? 1 : 0.1;
  };
  for (const CutRun& run : manners({.steps = 900, .kept_from = 0})) {
    const Played played = test::play({waste}, run);
    const Acts acts = played.acts();
    ASSERT_EQ(acts.size(), 5U);
    EXPECT_EQ(acts[1], Reason::goes_back);
    EXPECT_EQ(acts[3], Reason::goes_back);
    EXPECT_GT(played.cut, 0);
    for (std::size_t i = 1; i < played.rebalances.size(); ++i)
      EXPECT_LE(played.rebalances[i], turn * static_cast<std::int64_t>(i) + 40);
  }
}

TEST(GoingBack, SaysSo) {
  for (const test::CutLook& look :
       test::play({better_at_first}, {.steps = 1000, .kept_from = 0}).looks) {
    if (look.decision.reason != Reason::goes_back) continue;
    const std::string text = explain(look.before, look.totals, look.decision);
    EXPECT_MENTIONS(text, "earlier domains would be more even (they would take ");
  }
  EXPECT_STREQ(name_of(Reason::goes_back), "goes_back");
  EXPECT_STREQ(name_of(RebalanceKind::earlier), "earlier");
}

}  // namespace
}  // namespace evenkeel::going_back_test
