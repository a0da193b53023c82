#include "costs/moving_costs.hpp"

#include "support/harness.hpp"

namespace evenkeel::moving_costs_test {
namespace {

MoveReport move_of(std::int64_t objects, double transfer) {
  MoveReport report;
  report.moved = objects > 0;
  report.objects = objects;
  report.seconds = {{"order", 7.0}, {"reserve", 0.0}, {"transfer", transfer}, {"unpack", 0.01}};
  return report;
}

TEST(MovingCosts, AreWhatMovesTookOverWhatEdgesCostWhileCutsLast) {
  MovingCosts costs;
  const ByGraph method{.moving_cost = 0.5, .edge_seconds = 1e-4};
  EXPECT_EQ(costs.priced(method).moving_cost, 0.5) << "nothing is known yet";
  costs.note(move_of(1000, 0.19), 4, 100);
  EXPECT_EQ(costs.priced(method).moving_cost, 0.5) << "nor how long a cut lasts";
  costs.note(move_of(1000, 0.19), 4, 150);
  // A move of 1000 objects takes 0.2 s on each of 4 ranks. An edge costs 1e-4 s in each of 50
  // steps.
  EXPECT_NEAR(costs.priced(method).moving_cost, 4 * 0.2 / 1000 / (1e-4 * 50), 1e-12);
  EXPECT_EQ(costs.priced(ByGraph{.moving_cost = 0.5}).moving_cost, 0.5);
  // If moves are slower, and cuts serve for fewer steps, moving must cost more.
  const double before = costs.priced(method).moving_cost;
  costs.note(move_of(1000, 0.59), 4, 160);
  EXPECT_GT(costs.priced(method).moving_cost, before);
  costs.note(move_of(0, 0.59), 4, 170);
}

}  // namespace
}  // namespace evenkeel::moving_costs_test
