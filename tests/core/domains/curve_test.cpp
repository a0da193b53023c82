#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/domains/owner.hpp>

namespace evenkeel::curve_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::array<bool, 3> none = {false, false, false};
constexpr std::array<bool, 3> all = {true, true, true};
constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

Splitters splitters_at(std::vector<std::uint64_t> inner, int dimensions = 3) {
  Splitters splitters = {CurveKey{0}};
  for (const std::uint64_t key : inner) splitters.push_back({key});
  splitters.push_back(end_of_curve(dimensions));
  return splitters;
}

// --- owner_of a key ------------------------------------------------------------------------------

TEST(OwnerOf, KeysAtTheSplitters) {
  const Splitters splitters = splitters_at({10, 20, 30});
  const std::uint64_t last = end_of_curve(3).value - 1;
  const std::pair<std::uint64_t, int> owners[] = {{0, 0},  {9, 0},  {10, 1}, {11, 1},  {19, 1},
                                                  {20, 2}, {29, 2}, {30, 3}, {last, 3}};
  for (const auto& [key, owner] : owners) EXPECT_EQ(owner_of(splitters, {key}), owner) << key;
}

TEST(OwnerOf, PartsThatOwnNothing) {
  const Splitters between = splitters_at({10, 10, 10, 20});
  EXPECT_EQ(owner_of(between, {9}), 0);
  EXPECT_EQ(owner_of(between, {10}), 3);
  EXPECT_EQ(owner_of(between, {20}), 4);
  const Splitters first = splitters_at({0, 0, 5});
  EXPECT_EQ(owner_of(first, {0}), 2);
  EXPECT_EQ(owner_of(first, {5}), 3);
  const std::uint64_t end = end_of_curve(3).value;
  const Splitters last = splitters_at({5, end, end});
  EXPECT_EQ(owner_of(last, {4}), 0);
  EXPECT_EQ(owner_of(last, {5}), 1);
  EXPECT_EQ(owner_of(last, {end - 1}), 1);
}

TEST(OwnerOf, OnePartOwnsAll) {
  for (const int dimensions : {2, 3}) {
    const Splitters splitters = splitters_at({}, dimensions);
    EXPECT_EQ(owner_of(splitters, {0}), 0);
    EXPECT_EQ(owner_of(splitters, {end_of_curve(dimensions).value - 1}), 0);
  }
}

// --- CurveDomains --------------------------------------------------------------------------------

TEST(CurveDomains, WithoutPartsNobodyOwnsAnything) {
  const CurveDomains nothing;
  EXPECT_EQ(nothing.parts(), 0);
  EXPECT_EQ(nothing.generation(), 0);
  EXPECT_EQ(nothing.dimensions(), 0);
  EXPECT_TRUE(nothing.splitters().empty());
  EXPECT_ERROR(nothing.owner_of(std::array{0.5, 0.5, 0.5}),
               "core/domains: No rank owns anything yet. Ask after the first rebalance.");
}

TEST(CurveDomains, HoldsWhatItWasMadeOf) {
  const Box box = {{-1, 0, 2}, {1, 5, 3}};
  const Splitters splitters = splitters_at({10, 20});
  const CurveDomains made(7, 3, box, {true, false, true}, splitters);
  EXPECT_EQ(made.generation(), 7);
  EXPECT_EQ(made.parts(), 3);
  EXPECT_EQ(made.dimensions(), 3);
  EXPECT_EQ(lattice_of(made).dimensions(), 3);
  EXPECT_EQ(made.box(), box);
  EXPECT_EQ(made.periodic(), (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(made.splitters(), splitters);
}

// The curve in the plane has two halves: x below 1/2, and x above it.
TEST(CurveDomains, OwnersByHand) {
  const std::uint64_t half = end_of_curve(2).value / 2;
  const CurveDomains halves(1, 2, unit, none, splitters_at({half}, 2));
  for (const double y : {0.0, 0.3, 0.7, 1.0}) {
    EXPECT_EQ(halves.owner_of(std::array{0.0, y}), 0);
    EXPECT_EQ(halves.owner_of(std::array{0.499, y}), 0);
    EXPECT_EQ(halves.owner_of(std::array{0.5, y}), 1);
    EXPECT_EQ(halves.owner_of(std::array{1.0, y}), 1);
  }
}

TEST(CurveDomains, PointsOutsideBelongToTheNearestCell) {
  const Box box = {{0, 0, 0}, {4, 2, 1}};  // cells of the curve extend beyond its shorter sides
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-2, 6);
  std::vector<std::uint64_t> keys(63);
  for (auto& key : keys) key = random() % end_of_curve(3).value;
  std::sort(keys.begin(), keys.end());
  const CurveDomains some(1, 3, box, none, splitters_at(keys));
  for (int i = 0; i < 2000; ++i) {
    std::array<double, 3> outside, nearest;
    for (std::size_t d = 0; d < 3; ++d) {
      outside[d] = uniform(random);
      nearest[d] = std::clamp(outside[d], box.lower[d], box.upper[d]);
    }
    ASSERT_EQ(some.owner_of(outside), some.owner_of(nearest));
  }
}

TEST(CurveDomains, PointsWrapAroundPeriodicAxes) {
  const std::uint64_t quarter = end_of_curve(2).value / 4;
  const CurveDomains wrapped(1, 2, unit, all, splitters_at({quarter, 2 * quarter, 3 * quarter}, 2));
  for (const double x : {0.25, 0.75})
    for (const double y : {0.25, 0.75}) {
      const int owner = wrapped.owner_of(std::array{x, y});
      for (const int i : {-3, -1, 0, 1, 5})
        for (const int j : {-2, 0, 4}) EXPECT_EQ(wrapped.owner_of(std::array{x + i, y + j}), owner);
    }
}

TEST(CurveDomains, PointsThatAreNone) {
  const CurveDomains space(1, 3, unit, all, splitters_at({10}));
  const CurveDomains plane(1, 2, unit, none, splitters_at({10}, 2));
  for (const double bad : {infinity, -infinity, std::nan("")})
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<double> point = {0.5, 0.5, 0.5};
      point[d] = bad;
      EXPECT_ERROR(space.owner_of(point), "A coordinate is not finite");
    }
  EXPECT_ERROR(space.owner_of(std::array{0.5, 0.5}),
               "A point of 2 coordinates was asked for in 3 dimensions.");
  EXPECT_ERROR(plane.owner_of(std::array{0.5, 0.5, 0.5}),
               "A point of 3 coordinates was asked for in 2 dimensions.");
  EXPECT_ERROR(plane.owner_of({}), "A point of 0 coordinates");
}

TEST(CurveDomains, SplittersThatLeaveKeysWithoutAnOwner) {
  const CurveKey end = end_of_curve(3);
  const Splitters bad[] = {{},         {end},       {{0}, {20}, {10}, end},
                           {{1}, end}, {{0}, {10}}, splitters_at({10}, 2)};
  for (const Splitters& splitters : bad)
    EXPECT_ERROR(CurveDomains(1, 3, unit, none, splitters),
                 "core/domains: The splitters do not cut the whole curve into ranges");
  EXPECT_ERROR(CurveDomains(1, 4, unit, none, splitters_at({})), "in 4 dimensions");
}

}  // namespace
}  // namespace evenkeel::curve_test
