#include "support/harness.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::measured_box_test {
namespace {

using Place = std::array<double, 3>;
using Places = std::vector<Place>;

// In two dimensions, places have no third coordinate.
class MeasuredBoxTest : public testing::TestWithParam<int> {
 protected:
  Communicator ranks = test::world();
  int dimensions = GetParam();

  Places cloud(int objects, const Place& corner = {}, double side = 1, int seed = 1) const {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::uniform_real_distribution<double> uniform(0, side);
    Places places(static_cast<std::size_t>(objects));
    for (Place& place : places)
      for (std::size_t d = 0; d < 3; ++d) place[d] = corner[d] + uniform(random);
    return places;
  }

  // All ranks know all places, and each holds some of them.
  MeasuredBox measure(const Places& all, const std::optional<Box>& kept = std::nullopt) const {
    const MeasuredBox measured =
        dimensions == 3 ? measure_as<3>(all, kept) : measure_as<2>(all, kept);
    const auto text = [](const std::array<double, 3>& face) {
      return std::string(reinterpret_cast<const char*>(face.data()), sizeof(face));
    };
    EXPECT_TRUE(test::same_everywhere(ranks, text(measured.box.lower) + text(measured.box.upper)));
    return measured;
  }

  template <std::size_t n>
  MeasuredBox measure_as(const Places& all, const std::optional<Box>& kept) const {
    std::vector<std::array<double, n>> mine;
    const auto take = [&](const Communicator& here, int rank, int size) {
      mine.clear();
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (static_cast<int>(i * i + i / 7) % size != rank) continue;
        std::array<double, n>& place = mine.emplace_back();
        for (std::size_t d = 0; d < n; ++d) place[d] = all[i][d];
      }
      const Set positions = set(mine);
      const Space space = Space::where(MemoryKind::host);
      return measure_box(here, {&positions, 1}, kept, bounds(space, here, positions));
    };
    const MeasuredBox alone = take(Communicator::self(), 0, 1);
    const MeasuredBox together = take(ranks, ranks.rank(), ranks.size());
    EXPECT_EQ(alone.box, together.box) << "it depends on how many ranks there are";
    EXPECT_EQ(alone.far_objects, together.far_objects);
    return together;
  }

  // The definition of the result: the box around these places and no others.
  Box around(const Places& places) const {
    Bounds found;
    found.dimensions = dimensions;
    for (const Place& place : places)
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        found.lower[d] = std::min(found.lower[d], place[d]);
        found.upper[d] = std::max(found.upper[d], place[d]);
      }
    return enclose(std::nullopt, found);
  }
};

INSTANTIATE_TEST_SUITE_P(Dimensions, MeasuredBoxTest, testing::Values(2, 3));

Places with(Places places, const Places& more) {
  places.insert(places.begin() + static_cast<std::ptrdiff_t>(places.size() / 3), more.begin(),
                more.end());
  return places;
}

TEST_P(MeasuredBoxTest, WithoutFarObjectsItIsTheBoxAroundAll) {
  for (const int objects : {0, 1, 2, 3, 100, 5000}) {
    const Places all = cloud(objects);
    const MeasuredBox measured = measure(all);
    EXPECT_EQ(measured.box, objects == 0 ? Box{} : around(all));
    EXPECT_EQ(measured.far_objects, 0);
  }
}

TEST_P(MeasuredBoxTest, OneFarObjectDoesNotCount) {
  const Places others = cloud(3000);
  for (const double far : {1e4, 1e7, -1e7, 1e100, std::numeric_limits<double>::max()})
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      Place one = {0.5, 0.5, 0.5};
      one[d] = far;
      const MeasuredBox measured = measure(with(others, {one}));
      EXPECT_EQ(measured.box, around(others)) << far;
      EXPECT_EQ(measured.far_objects, 1);
    }
}

TEST_P(MeasuredBoxTest, ThreeInDifferentDirections) {
  const Places others = cloud(2000, {-3, 5, 1e3}, 2);
  const Places far = {{1e7, 5, 1e3}, {-3, -1e8, 1e3}, {-1e12, 1e9, -1e10}};
  const MeasuredBox measured = measure(with(others, far));
  EXPECT_EQ(measured.box, around(others));
  EXPECT_EQ(measured.far_objects, 3);
}

// If one object is a few hundred times as far away as the others extend, the lattice still resolves
// the others. So the object is not far.
TEST_P(MeasuredBoxTest, WhatIsNotFarCounts) {
  const Places all = with(cloud(3000), {{300, 0.5, 0.5}});
  EXPECT_EQ(measure(all).box, around(all));
}

TEST_P(MeasuredBoxTest, TwoClustersFarApartBothCount) {
  for (const int second : {100, 3000}) {
    const Places all = with(cloud(3000), cloud(second, {1e9, -1e9, 1e9}, 1, 2));
    const MeasuredBox measured = measure(all);
    EXPECT_EQ(measured.box, around(all)) << second;
    EXPECT_EQ(measured.far_objects, 0);
  }
}

TEST_P(MeasuredBoxTest, FewObjectsAllCount) {
  const Places all = with(cloud(100), {{1e7, 0, 0}});
  EXPECT_EQ(measure(all).box, around(all));
}

TEST_P(MeasuredBoxTest, DegenerateObjects) {
  const Places point(1000, Place{3, 4, 5});
  EXPECT_EQ(measure(point).box, around(point));
  const Places point_and_far = with(point, {{1e7, 0, 0}});
  EXPECT_EQ(measure(point_and_far).box, around(point_and_far)) << "nothing to distinguish";
  Places plane = cloud(3000);
  for (Place& place : plane) place[1] = 7;
  EXPECT_EQ(measure(with(plane, {{0, 1e9, 0}})).box, around(plane));
}

// For this many objects, the library first looks at a sample: the first 64 in every 1024. Far
// objects must not mislead it, whatever their index.
TEST_P(MeasuredBoxTest, ASampleIsNotMisled) {
  constexpr int objects = 40000, most_far = 32;
  const Places others = cloud(objects);
  const auto with_far = [&](int far, std::size_t first, std::size_t stride) {
    Places all = others;
    for (int i = 0; i < far; ++i) all[first + static_cast<std::size_t>(i) * stride] = {1e6, 0, 0};
    return all;
  };
  for (const std::size_t first : {0U, 100U}) {  // in the sample, and outside of it
    const Places few = with_far(most_far, first, 1024), many = with_far(most_far + 1, first, 1024);
    Places near = few;
    std::erase_if(near, [](const Place& place) { return place[0] > 1; });
    const MeasuredBox measured = measure(few);
    EXPECT_EQ(measured.box, around(near)) << first;
    EXPECT_EQ(measured.far_objects, most_far);
    EXPECT_EQ(measure(many).box, around(many)) << first;
  }
  // All far objects are in the same 1024, whose sample they fill.
  const Places all_in_one_period = with_far(64, 1024, 1);
  EXPECT_EQ(measure(all_in_one_period).box, around(all_in_one_period));
}

// --- From one rebalance to the next --------------------------------------------------------------

TEST_P(MeasuredBoxTest, ItIsKeptWhileTheOthersAreInside) {
  const Place far = {1e7, 0.5, 0.5};
  std::optional<Box> kept = measure(with(cloud(3000), {far})).box;
  for (int seed = 2; seed < 6; ++seed) {
    const Places others = cloud(3000, {}, 1, seed);
    EXPECT_EQ(measure(with(others, {far}), kept).box, *kept) << "keys stay";
    EXPECT_EQ(measure(others, kept).box, *kept) << "the far one has returned";
  }
  const Places moved = cloud(3000, {0.3, 0, 0});
  const Box grown = measure(with(moved, {far}), kept).box;
  EXPECT_FALSE(grown == *kept);
  EXPECT_LT(grown.upper[0], 2);
}

TEST_P(MeasuredBoxTest, ItShrinksWhenItHasBecomeTooLong) {
  const Places others = cloud(3000);
  for (const double length : {10.0, 60.0}) {
    const Box kept = {{0, 0, 0}, {length, 1, 1}};
    EXPECT_EQ(measure(others, kept).box, kept) << "it may be needed again";
  }
  EXPECT_EQ(measure(others, Box{{-1, -1, -1}, {100, 1, 1}}).box, around(others));
  const Box kept = {{-1, -1, -1}, {9, 9, 9}};
  EXPECT_EQ(measure(Places(50, Place{1, 1, 1}), kept).box, kept) << "a point needs no box";
}

TEST_P(MeasuredBoxTest, WithoutObjects) {
  const Box kept = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(measure({}, kept).box, kept);
}

}  // namespace
}  // namespace evenkeel::measured_box_test
