#include "support/harness.hpp"

#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

namespace evenkeel::phase_loads_test {
namespace {

// There are four parts. Phase 0 is even. Phase 1 is all on one part. In phase 2, one object weighs
// more than the average part.
TEST(PhaseLoads, ByHand) {
  const std::vector<PhaseLoad> phases = {{.greatest = 5, .sum = 20, .heaviest = 1},
                                         {.greatest = 8, .sum = 8, .heaviest = 2},
                                         {.greatest = 7, .sum = 12, .heaviest = 6}};
  const PhaseLoads loads = phase_loads_of(4, phases);
  ASSERT_EQ(loads.phases.size(), 3U);
  EXPECT_DOUBLE_EQ(loads.phases[0].lambda, 1);
  EXPECT_DOUBLE_EQ(loads.phases[0].imbalance_percent, 0);
  EXPECT_DOUBLE_EQ(loads.phases[0].bound, 5);
  EXPECT_DOUBLE_EQ(loads.phases[1].lambda, 4);
  EXPECT_DOUBLE_EQ(loads.phases[1].imbalance_percent, 100);
  EXPECT_DOUBLE_EQ(loads.phases[1].bound, 2);
  EXPECT_DOUBLE_EQ(loads.phases[2].bound, 6);
  EXPECT_DOUBLE_EQ(loads.step, 20);
  EXPECT_DOUBLE_EQ(loads.bound, 13);
  EXPECT_DOUBLE_EQ(loads.shortfall_percent, 100 * 7.0 / 13);
}

TEST(PhaseLoads, WithoutWork) {
  const PhaseLoads nothing = phase_loads_of(3, std::vector<PhaseLoad>(2));
  EXPECT_EQ(nothing.step, 0);
  EXPECT_EQ(nothing.shortfall_percent, 0);
  EXPECT_EQ(nothing.phases[1].lambda, 1);
  EXPECT_TRUE(phase_loads_of(3, {}).phases.empty());
}

// Because of rounding, the average may exceed the greatest load.
TEST(PhaseLoads, TheBoundIsNeverAboveTheStep) {
  constexpr double greatest = 0.1;
  const PhaseLoads loads =
      phase_loads_of(3, std::vector<PhaseLoad>{{greatest, 3 * greatest, greatest}});
  EXPECT_EQ(loads.bound, loads.step);
  EXPECT_EQ(loads.shortfall_percent, 0);
  EXPECT_GE(loads.phases[0].lambda, 1);
}

}  // namespace
}  // namespace evenkeel::phase_loads_test
