#include "decide/held_advice.hpp"
#include "decide/advisor.hpp"
#include "support/harness.hpp"

namespace evenkeel::held_advice_test {
namespace {

const Advice none;
const Advice cut = {true, "a cut"};
const Advice other = {true, "another"};

TEST(HeldAdvice, IsReleasedAtOnceWhereTheStepMayMove) {
  HeldAdvice held;
  EXPECT_EQ(held.released(cut, true, false).reason, "a cut");
  EXPECT_FALSE(held);
  EXPECT_FALSE(held.released(none, true, false));
}

TEST(HeldAdvice, WaitsForAStepThatMayMove) {
  HeldAdvice held;
  EXPECT_FALSE(held.released(cut, false, false));
  EXPECT_TRUE(held);
  EXPECT_FALSE(held.released(none, false, false));
  EXPECT_EQ(held.released(none, true, false).reason, "a cut");
  EXPECT_FALSE(held.released(none, true, false));
}

TEST(HeldAdvice, ALaterOneTakesItsPlace) {
  HeldAdvice held;
  static_cast<void>(held.released(cut, false, false));
  EXPECT_EQ(held.released(other, true, false).reason, "another");
  EXPECT_FALSE(held);
}

TEST(HeldAdvice, APauseDropsWhatWasAdvisedBefore) {
  HeldAdvice held;
  static_cast<void>(held.released(cut, false, false));
  EXPECT_FALSE(held.released(none, true, true));
  EXPECT_FALSE(held.released(cut, false, true)) << "asked for in the pause";
  EXPECT_EQ(held.released(none, true, true).reason, "a cut");
}

TEST(HeldAdvice, KnowsHowARebalanceCameAbout) {
  HeldAdvice held;
  EXPECT_EQ(held.take_kind({}), RebalanceKind::application);
  held.note_look(true, Reason::curable, 11);
  EXPECT_EQ(held.cause(), Reason::curable);
  EXPECT_EQ(held.decided_at(), 11);
  EXPECT_EQ(held.take_kind({}), RebalanceKind::fresh);
  EXPECT_EQ(held.take_kind({}), RebalanceKind::application);
  held.note_look(true, Reason::goes_back, 19);
  EXPECT_EQ(held.take_kind({.earlier = true}), RebalanceKind::earlier);
  held.note_look(true, Reason::shifts, 27);
  EXPECT_EQ(held.take_kind({.shifted = true}), RebalanceKind::shift);
  held.note_due(30);
  EXPECT_EQ(held.cause(), Reason::due);
  EXPECT_EQ(held.decided_at(), 30);
  EXPECT_EQ(held.take_kind({}), RebalanceKind::application);
}

TEST(HeldAdvice, ALookThatHoldsLeavesWhatIsHeld) {
  HeldAdvice held;
  held.note_look(true, Reason::curable, 11);
  static_cast<void>(held.released(cut, false, false));
  held.note_look(false, Reason::below_noise, 19);
  EXPECT_EQ(held.cause(), Reason::curable);
  EXPECT_EQ(held.decided_at(), 11);
  EXPECT_EQ(held.take_kind({}), RebalanceKind::fresh);
  EXPECT_FALSE(held) << "a rebalance was made";
  held.note_look(true, Reason::curable, 11);
  held.note_look(false, Reason::below_noise, 19);
  EXPECT_EQ(held.take_kind({}), RebalanceKind::application) << "nothing was held";
}

// --- Forecasts -----------------------------------------------------------------------------------

// A forecast of an even load takes the place of what a look has advised. But if rebalances have
// lost time, forecasts have no say.
TEST(Advisor, ForecastsHaveNoSayInDebt) {
  DecisionState state;
  state.trigger = CostAware{};
  state.ledger.cost.learn(10, 1);
  state.ledger.never.add(1000, 0.1);
  Totals even;
  even.ranks = 1;
  even.steps = 10;
  even.load = RankTally::of(100);
  const auto advised = [&](double slowest) {
    state.ledger.slowest = slowest;
    Advisor advisor(state, {});
    advisor.start_from(state);
    return advisor.advise_by(even, true, cut).reason;
  };
  EXPECT_EQ(advised(1000), "");
  EXPECT_EQ(advised(1200), "a cut");
}

}  // namespace
}  // namespace evenkeel::held_advice_test
