// Tests shifted offsets by the published example, by a serial oracle that walks object by object,
// and by properties that hold for any loads.

#include "core/values.hpp"

#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/extras/string.hpp>

namespace evenkeel::shift_test {
namespace {

// --- The published example -----------------------------------------------------------------------

TEST(ObjectsToPass, TwoAsPublished) {
  const std::vector<double> shares = {0.1, 0.15, 0.2, 0.05};
  EXPECT_EQ(objects_to_pass(0.45, 1.2, shares, 1.25), 2);
  EXPECT_EQ(objects_to_pass(0.45, 1.2, std::span(shares).first(2), 1.25), 2);
  EXPECT_EQ(objects_to_pass(0.45, 1.2, std::span(shares).first(1), 1.25), 1);
}

TEST(ObjectsToPass, EndsWhereTheRestIsNearestToZero) {
  EXPECT_EQ(objects_to_pass(0, 1, std::vector<double>{0.5}, 1), 0);
  EXPECT_EQ(objects_to_pass(0.2, 1, std::vector<double>{}, 1), 0);
  EXPECT_EQ(objects_to_pass(0.2, 1, std::vector<double>{0.5}, 1), 0);   // -0.3 is farther off
  EXPECT_EQ(objects_to_pass(0.25, 1, std::vector<double>{0.5}, 1), 0);  // equally far: the first
  EXPECT_EQ(objects_to_pass(0.3, 1, std::vector<double>{0.5}, 1), 1);
  EXPECT_EQ(objects_to_pass(0.5, 0, std::vector<double>{0.5, 0.5}, 1), 0);  // all cost nothing
  EXPECT_EQ(objects_to_pass(0.5, 1, std::vector<double>{0, 0.5, 0}, 1), 2);
  EXPECT_EQ(objects_to_pass(1, 1, std::vector<double>{0.25, 0.25, 0.25, 0.25}, 2), 2);
}

TEST(CumulativeImbalances, AddUpAndEndAtZero) {
  const std::vector<double> sums = cumulative_imbalances(std::vector<double>{1.25, 1.2, 0.85, 0.7});
  ASSERT_EQ(sums.size(), 5U);
  EXPECT_EQ(sums[0], 0);
  EXPECT_NEAR(sums[1], 0.25, 1e-12);
  EXPECT_NEAR(sums[2], 0.45, 1e-12);
  EXPECT_NEAR(sums[3], 0.3, 1e-12);
  EXPECT_EQ(sums[4], 0);
  EXPECT_EQ(cumulative_imbalances({}), std::vector<double>(1));
  EXPECT_EQ(cumulative_imbalances(std::vector<double>{0, 0}), std::vector<double>(3));
  EXPECT_EQ(cumulative_imbalances(std::vector<double>{7}), std::vector<double>(2));
}

TEST(Shift, RefusesWhatMakesNoSense) {
  const std::vector<double> shares = {0.5};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.99, 0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    EXPECT_THROW(objects_to_pass(0.1, 1, shares, bad), Error);
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(objects_to_pass(0.1, bad, shares, 1), Error);
    EXPECT_THROW(objects_to_pass(bad, 1, shares, 1), Error);
    EXPECT_THROW(cumulative_imbalances(std::vector<double>{1, bad}), Error);
  }
}

// --- All ranks -----------------------------------------------------------------------------------

struct World {
  std::vector<std::vector<double>> weights;  // by rank
  std::vector<double> loads;
};

class ShiftOffsets : public test::OnRanks {
 protected:
  ShiftedOffset shift(const World& world, double penalty) const {
    const auto r = static_cast<std::size_t>(rank);
    const auto mine = test::array_of(world.weights[r]);
    return shift_offsets(communicator, mine, world.loads[r], penalty);
  }
  World alike(std::int64_t objects, const std::vector<double>& loads) const {
    World world;
    for (int r = 0; r < size; ++r) {
      world.weights.emplace_back(static_cast<std::size_t>(objects), 1.0);
      world.loads.push_back(loads[static_cast<std::size_t>(r) % loads.size()]);
    }
    return world;
  }
};

// The load before each place of the curve, in units of the average load, and the offsets.
struct Curve {
  double load = 0;  // of all ranks with objects
  std::vector<double> before = {0};
  std::vector<std::int64_t> offsets = {0};
};
Curve curve_of(const World& world) {
  Curve curve;
  for (std::size_t r = 0; r < world.loads.size(); ++r)
    curve.load += world.weights[r].empty() ? 0 : world.loads[r];
  const double average = curve.load / static_cast<double>(world.loads.size());
  for (std::size_t r = 0; r < world.loads.size(); ++r) {
    const auto& weights = world.weights[r];
    double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const bool alike = !(sum > 0);
    if (alike) sum = static_cast<double>(weights.size());
    for (const double weight : weights)
      curve.before.push_back(curve.before.back() +
                             world.loads[r] / average * (alike ? 1 : weight) / sum);
    curve.offsets.push_back(std::ssize(curve.before) - 1);
  }
  return curve;
}

// Walks from offset j, object by object. Returns the least imbalance that can remain at this
// offset.
double least_rest(const Curve& curve, std::size_t j, double penalty) {
  const double from = curve.before[static_cast<std::size_t>(curve.offsets[j])];
  const double s = from - static_cast<double>(j);
  double least = std::numeric_limits<double>::max();
  for (const double at : curve.before) least = std::min(least, std::abs(s - penalty * (from - at)));
  return least;
}

World random_world(int size, int turn, std::mt19937& random) {
  std::uniform_real_distribution<double> share(0, 1);
  World world;
  for (int r = 0; r < size; ++r) {
    const bool is_empty = turn % 7 == 6 && r % 2 == 0;
    std::vector<double> weights(is_empty ? 0 : 1 + random() % 300);
    for (double& weight : weights) weight = turn % 5 == 4 || random() % 4 == 0 ? 0 : share(random);
    world.weights.push_back(weights);
    world.loads.push_back(turn % 11 == 10 && r == 0 ? 0 : std::pow(share(random), turn % 3) * 5);
  }
  return world;
}

TEST_F(ShiftOffsets, LeaveTheLeastRestOfAllPlaces) {
  std::mt19937 random(7);
  for (int turn = 0; turn < 60; ++turn) {
    SCOPED_TRACE(turn);
    const World world = random_world(size, turn, random);
    const double penalty = turn % 4 == 0 ? 1 : std::uniform_real_distribution<double>(1, 2)(random);
    const Curve curve = curve_of(world);
    const auto all = communicator.all_gather(shift(world, penalty));
    EXPECT_EQ(all.front().first, 0);
    EXPECT_EQ(all.back().end, curve.offsets.back());
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(all[j].was_first, curve.offsets[j]);
      EXPECT_EQ(all[j].was_end, curve.offsets[j + 1]);
      EXPECT_LE(all[j].first, all[j].end);  // two offsets never cross
      if (j == 0) continue;
      EXPECT_EQ(all[j].first, all[j - 1].end);
      if (!(curve.load > 0)) {
        EXPECT_EQ(all[j].first, all[j].was_first);
        continue;
      }
      const double from = curve.before[static_cast<std::size_t>(curve.offsets[j])];
      const double s = from - static_cast<double>(j);
      EXPECT_NEAR(all[j].imbalance, s, 1e-9);
      const double rest =
          std::abs(s - penalty * (from - curve.before[static_cast<std::size_t>(all[j].first)]));
      EXPECT_NEAR(rest, least_rest(curve, j, penalty), 1e-8) << "rank " << j;
    }
  }
}

// Without a penalty, one shift must make the load as even as the measured loads allow.
TEST_F(ShiftOffsets, EvenOutWhatIsUniformWithinRanks) {
  const World world = alike(1000, {3, 1, 2});
  const ShiftedOffset found = shift(world, 1);
  const Curve curve = curve_of(world);
  const double mine = curve.before[static_cast<std::size_t>(found.end)] -
                      curve.before[static_cast<std::size_t>(found.first)];
  EXPECT_NEAR(mine, 1, 3.0 / 1000);
}

TEST_F(ShiftOffsets, StayWhereAllIsEvenOrNothingWasMeasured) {
  for (const double load : {0.0, 1.0, 1e-300, 1e300}) {
    const ShiftedOffset found = shift(alike(10, {load}), 1);
    EXPECT_EQ(found.first, found.was_first);
    EXPECT_EQ(found.end, found.was_end);
    EXPECT_EQ(found.hops, 0);
  }
}

// All work is on the last rank, so the offsets of all other ranks pass through domains without
// work.
TEST_F(ShiftOffsets, WalkBeyondTheNeighbour) {
  World world = alike(100, {0});
  world.loads.back() = 1;
  const ShiftedOffset found = shift(world, 1);
  EXPECT_EQ(found.hops, std::max(0, size - 2));
  const double expected = rank == 0 ? 0 : 100.0 * (size - 1) + 100.0 * rank / size;
  EXPECT_NEAR(static_cast<double>(found.first), expected, 0.5 + 1e-9);
}

TEST_F(ShiftOffsets, AreRefusedOnAllRanksAlike) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  World world = alike(10, {1});
  EXPECT_ERROR(shift(world, 0.5), "penalty");
  for (const double bad : {nan, -1.0}) {
    world.loads.back() = bad;
    EXPECT_ERROR(shift(world, 1), "load of a rank");
  }
  world.loads.back() = 1;
  world.weights.front()[3] = nan;
  EXPECT_ERROR(shift(world, 1), "A weight is negative, NaN or infinite");
  world.weights.front()[3] = 1;
  EXPECT_NO_THROW(shift(world, 1));
}

}  // namespace
}  // namespace evenkeel::shift_test
