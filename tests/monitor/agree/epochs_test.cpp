#include "agree/epochs.hpp"
#include "support/harness.hpp"

namespace evenkeel::epochs_test {
namespace {

constexpr std::int64_t length = 6;

// The steps, up to `last`, at which an epoch ends.
std::vector<std::int64_t> ends(Epochs& epochs, std::int64_t last, bool are_cut_short = false) {
  std::vector<std::int64_t> found;
  while (epochs.step() < last) {
    epochs.end_step();
    if (!epochs.end_with(epochs.step(), length, are_cut_short)) continue;
    found.push_back(epochs.step());
    epochs.restart();
  }
  return found;
}

using Steps = std::vector<std::int64_t>;

TEST(Epochs, TheWarmUpDoesNotCount) {
  Epochs epochs(3);
  for (std::int64_t step = 1; step <= 5; ++step) {
    epochs.end_step();
    EXPECT_EQ(epochs.step(), step);
    EXPECT_EQ(epochs.counts(), step > 3);
    EXPECT_EQ(epochs.is_next_first(), step == 3);
    EXPECT_EQ(epochs.counted(), step > 3 ? step - 3 : 0);
  }
}

TEST(Epochs, FollowEachOther) {
  Epochs epochs(3);
  EXPECT_EQ(ends(epochs, 24), (Steps{9, 15, 21}));
  EXPECT_EQ(epochs.counted(), 3);
  EXPECT_TRUE(epochs.end_with(27, length, false));
  EXPECT_FALSE(epochs.end_with(26, length, false));
}

TEST(Epochs, TheStepAfterAMoveDoesNotCount) {
  Epochs epochs(0);
  EXPECT_EQ(ends(epochs, 8), Steps{6});
  epochs.restart_after_move();
  EXPECT_EQ(epochs.counted(), 0);
  EXPECT_TRUE(epochs.is_next_first() == false);
  epochs.end_step();
  EXPECT_FALSE(epochs.counts());
  EXPECT_TRUE(epochs.is_next_first());
  EXPECT_EQ(ends(epochs, 16), Steps{15});
}

TEST(Epochs, AMoveInTheWarmUpDoesNotShortenIt) {
  Epochs epochs(5);
  epochs.end_step();
  epochs.restart_after_move();
  EXPECT_EQ(ends(epochs, 11), Steps{11});
}

TEST(Epochs, WhereMovesKeepCuttingThemShortSlotsEndThem) {
  for (const bool are_cut_short : {false, true}) {
    Epochs epochs(0);
    Steps found;
    for (int move = 0; move < 8; ++move) {
      const Steps more = ends(epochs, epochs.step() + 5, are_cut_short);
      found.insert(found.end(), more.begin(), more.end());
      epochs.restart_after_move();
    }
    EXPECT_EQ(found, are_cut_short ? (Steps{16, 32}) : Steps{});
  }
}

TEST(Epochs, ARunCountsOnFromAnEarlierOne) {
  Epochs epochs(3);
  epochs.go_on_from(100, 0);
  EXPECT_EQ(epochs.step(), 100);
  EXPECT_EQ(ends(epochs, 116), (Steps{109, 115}));
}

TEST(Epochs, AnAbandonedOneStartsAgain) {
  Epochs epochs(0);
  epochs.end_step();
  epochs.abandon();
  EXPECT_EQ(epochs.counted(), 0);
}

}  // namespace
}  // namespace evenkeel::epochs_test
