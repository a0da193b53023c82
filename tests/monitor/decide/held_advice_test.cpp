#include "decide/held_advice.hpp"
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

}  // namespace
}  // namespace evenkeel::held_advice_test
