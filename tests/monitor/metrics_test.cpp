#include "support/harness.hpp"

#include <evenkeel/monitor/metrics.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace evenkeel {
namespace {

LoadSummary load(const std::vector<double>& seconds) { return summarise(seconds); }

TEST(Metrics, PerfectBalance) {
  EXPECT_DOUBLE_EQ(lambda(load({2, 2, 2})), 1);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({2, 2, 2})), 0);
}

TEST(Metrics, OneRankWorkingAlone) {
  EXPECT_DOUBLE_EQ(lambda(load({4, 0, 0, 0})), 4);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({4, 0, 0, 0})), 100);
}

TEST(Metrics, ByHand) {  // max 3, average 2: I = 1/3 * 3/2
  EXPECT_DOUBLE_EQ(lambda(load({1, 2, 3})), 1.5);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({1, 2, 3})), 50);
}

TEST(Metrics, OneRankOrNoLoadIsPerfect) {
  EXPECT_DOUBLE_EQ(lambda(load({7})), 1);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({7})), 0);
  EXPECT_DOUBLE_EQ(lambda(load({0, 0})), 1);
  EXPECT_DOUBLE_EQ(imbalance_percent(load({0, 0})), 0);
}

TEST(Metrics, ScaleDoesNotMatter) {
  EXPECT_DOUBLE_EQ(lambda(load({1e-300, 3e-300})), 1.5);
  EXPECT_DOUBLE_EQ(lambda(load({1e300, 3e300 / 1})), 1.5);
}

TEST(Metrics, RefusesWhatIsNoLoad) {
  EXPECT_ERROR(load({}), "no ranks");
  EXPECT_ERROR(load({1, -1}), "The load of rank 1");
  EXPECT_ERROR(load({std::nan("")}), "The load of rank 0");
  EXPECT_ERROR(load({1, std::numeric_limits<double>::infinity()}), "The load of rank 1");
}

}  // namespace
}  // namespace evenkeel
