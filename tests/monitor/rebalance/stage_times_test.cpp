#include "rebalance/stage_times.hpp"

#include "support/harness.hpp"

namespace evenkeel::stage_times_test {
namespace {

TEST(StageTimes, NameEachStage) {
  StageTimes times("evenkeel::test");
  times.reserve({"first", "second", "third"});
  times.end();
  times.end();
  const StageSeconds seconds = times.take();
  ASSERT_EQ(seconds.size(), 3U);
  EXPECT_EQ(seconds[1].first, "second");
  EXPECT_GE(seconds[0].second, 0.0);
  EXPECT_EQ(seconds[2].second, 0.0) << "it did not end";
}

TEST(StageTimes, AreThoseOfTheSlowestRank) {
  const Communicator ranks = test::world();
  const double mine = ranks.rank(), greatest = ranks.size() - 1;
  StageSeconds seconds = {{"up", mine}, {"down", greatest - mine}};
  set_to_slowest(ranks, seconds);
  EXPECT_EQ(seconds[0].second, greatest);
  EXPECT_EQ(seconds[1].second, greatest);
}

}  // namespace
}  // namespace evenkeel::stage_times_test
