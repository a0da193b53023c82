#include "support/harness.hpp"

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/box/bounds.hpp>

namespace evenkeel::box_test {
namespace {

using Numbers = std::array<double, 3>;
using Axes = std::array<bool, 3>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr Axes none = {false, false, false};

Bounds found_between(const Numbers& lower, const Numbers& upper, int dimensions = 3) {
  Bounds found;
  found.dimensions = dimensions;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    found.lower[d] = lower[d];
    found.upper[d] = upper[d];
  }
  return found;
}

// --- check ---------------------------------------------------------------------------------------

TEST(CheckBox, FacesThatMakeSense) {
  EXPECT_NO_THROW(check(Box{}, none));
  EXPECT_NO_THROW(check({{-1, -2, -3}, {1, 2, 3}}, {true, true, true}));
  EXPECT_NO_THROW(check({{0, 5, 0}, {1, 5, 1}}, {true, false, true})) << "flat, not periodic there";
  EXPECT_NO_THROW(check({{-most, -most, -most}, {most, most, most}}, none));
  EXPECT_NO_THROW(check({{0, 0, 0}, {least, least, least}}, {true, true, true}));
}

TEST(CheckBox, FacesThatDoNot) {
  for (std::size_t d = 0; d < 3; ++d)
    for (const double bad : {infinity, -infinity, std::nan("")}) {
      Box lower = {{0, 0, 0}, {1, 1, 1}}, upper = lower;
      lower.lower[d] = bad;
      upper.upper[d] = bad;
      const std::string axis = std::string(" along ") + "xyz"[d];
      EXPECT_ERROR(check(lower, none), axis);
      EXPECT_ERROR(check(upper, none), axis);
    }
  EXPECT_ERROR(check({{0, 1e-9, 0}, {1, 5e-10, 1}}, none),
               "core/box: The box goes from 1e-09 to 5e-10 along y. Give finite faces, the lower "
               "one first.");
}

TEST(CheckBox, APeriodHasALength) {
  for (std::size_t d = 0; d < 3; ++d) {
    Box flat = {{0, 0, 0}, {1, 1, 1}};
    Axes periodic = none;
    flat.lower[d] = 1;
    periodic[d] = true;
    EXPECT_ERROR(check(flat, periodic),
                 std::string("The box is flat along ") + "xyz"[d] + ", which is periodic.");
    periodic = {true, true, true};
    periodic[d] = false;
    EXPECT_NO_THROW(check(flat, periodic));
  }
}

// --- enclose -------------------------------------------------------------------------------------

TEST(Enclose, PadsWhatIsMeasuredFirst) {
  const Box box = enclose(std::nullopt, found_between({0, 10, -1}, {10, 12, -1}));
  EXPECT_EQ(box, (Box{{-1, 9, -2}, {11, 13, 0}})) << "a tenth of the longest side all around";
  const Box plane = enclose(std::nullopt, found_between({0, 10, 0}, {10, 12, 0}, 2));
  EXPECT_EQ(plane, (Box{{-1, 9, 0}, {11, 13, 0}}));
}

TEST(Enclose, KeepsTheBoxWhileAllAreInside) {
  const Box kept = {{0, 0, 0}, {8, 4, 2}};
  const Bounds inside[] = {
      found_between(kept.lower, kept.upper),
      found_between({1, 1, 1}, {1, 1, 1}),
      found_between({0, 4, 2}, {0, 4, 2}),
      found_between({0, 0, 99}, {8, 4, 100}, 2),  // the third axis does not count
      Bounds{},
  };
  for (const Bounds& found : inside) EXPECT_EQ(enclose(kept, found), kept);
}

// Objects leave the box just beyond each face in turn.
TEST(Enclose, GrowsWithAMarginWhenObjectsLeave) {
  const Box kept = {{0, 0, 0}, {8, 4, 2}};
  for (std::size_t d = 0; d < 3; ++d)
    for (const bool above : {false, true}) {
      Bounds found = found_between(kept.lower, kept.upper);
      (above ? found.upper : found.lower)[d] += above ? 1e-9 : -1e-9;
      const Box grown = enclose(kept, found);
      for (std::size_t e = 0; e < 3; ++e) {
        EXPECT_NEAR(grown.lower[e], kept.lower[e] - 0.8, 1e-8);
        EXPECT_NEAR(grown.upper[e], kept.upper[e] + 0.8, 1e-8);
      }
      EXPECT_EQ(enclose(grown, found), grown) << "once";
    }
}

TEST(Enclose, WithoutObjectsThereIsNothingToMeasure) {
  EXPECT_EQ(enclose(std::nullopt, Bounds{}), Box{});
  const Box kept = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(enclose(kept, Bounds{}), kept);
}

// Objects wander. The box must contain them and the previous box, and must settle.
TEST(Enclose, NeverShrinks) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const int dimensions : {2, 3}) {
    std::optional<Box> kept;
    int grown = 0;
    for (int step = 0; step < 2000; ++step) {
      Bounds found;
      found.dimensions = dimensions;
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        const double one = 7 * uniform(random), other = 7 * uniform(random);
        found.lower[d] = std::min(one, other);
        found.upper[d] = std::max(one, other);
      }
      const Box box = enclose(kept, found);
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        ASSERT_LE(box.lower[d], found.lower[d]);
        ASSERT_GE(box.upper[d], found.upper[d]);
        ASSERT_LE(box.lower[d], kept ? kept->lower[d] : infinity);
        ASSERT_GE(box.upper[d], kept ? kept->upper[d] : -infinity);
      }
      grown += box == kept ? 0 : 1;
      kept = box;
    }
    EXPECT_LE(grown, 12) << "the margin makes growth rare";
    EXPECT_NO_THROW(check(*kept, none));
  }
}

TEST(Enclose, DegenerateObjects) {
  const Numbers place = {3, -4, 5};
  const Box point = enclose(std::nullopt, found_between(place, place));
  EXPECT_EQ(point, (Box{place, place}));
  EXPECT_EQ(enclose(point, found_between(place, place)), point);
  const Box line = enclose(point, found_between(place, {4, -4, 5}));
  EXPECT_LT(line.lower[1], -4);
  EXPECT_GT(line.upper[1], -4);
  const Box tiny = enclose(std::nullopt, found_between({0, 0, 0}, {least, 0, 0}));
  EXPECT_GE(tiny.upper[0], least);
  EXPECT_NO_THROW(check(tiny, none));
}

TEST(Enclose, TheGreatestNumbersStayFinite) {
  const Bounds everywhere = found_between({-most, 0, -most}, {most, most, -most});
  const Box box = enclose(std::nullopt, everywhere);
  EXPECT_NO_THROW(check(box, none));
  EXPECT_EQ(box.lower[0], -most);
  EXPECT_EQ(box.upper[0], most);
  EXPECT_EQ(box.upper[1], most);
  EXPECT_DOUBLE_EQ(box.lower[1], -0.1 * most) << "the longest side is as long as a number can be";
  EXPECT_EQ(box.lower[2], -most);
  EXPECT_DOUBLE_EQ(box.upper[2], -0.9 * most);
  EXPECT_EQ(enclose(box, everywhere), box);
}

// --- require_inside ------------------------------------------------------------------------------

TEST(RequireInside, WhatIsInside) {
  const Box given = {{0, 0, 0}, {8, 4, 2}};
  EXPECT_NO_THROW(require_inside(given, none, found_between(given.lower, given.upper)));
  EXPECT_NO_THROW(require_inside(given, none, found_between({0, 0, 99}, {8, 4, 100}, 2)));
  EXPECT_NO_THROW(require_inside(given, none, Bounds{})) << "no objects, so no object outside";
}

TEST(RequireInside, WhatIsOutsideUnlessTheAxisIsPeriodic) {
  const Box given = {{0, 0, 0}, {8, 4, 2}};
  for (std::size_t d = 0; d < 3; ++d)
    for (const bool above : {false, true}) {
      Bounds found = found_between(given.lower, given.upper);
      double& face = (above ? found.upper : found.lower)[d];
      face = std::nextafter(face, above ? infinity : -infinity);
      const std::string axis = std::string(" along ") + "xyz"[d] + ", outside the given box";
      EXPECT_ERROR(require_inside(given, none, found), axis);
      Axes periodic = none;
      periodic[d] = true;
      EXPECT_NO_THROW(require_inside(given, periodic, found));
      periodic = {true, true, true};
      periodic[d] = false;
      EXPECT_ERROR(require_inside(given, periodic, found), axis);
    }
}

// The message must show small and large numbers distinctly, and have room for the rest of its text.
TEST(RequireInside, TheMessageSaysWhere) {
  EXPECT_ERROR(
      require_inside({{0, 0, 0}, {1, 2e-9, 1}}, none, found_between({0, 1e-9, 0}, {1, 3e-9, 1})),
      "core/box: Objects extend from 1e-09 to 3e-09 along y, outside the given box, which "
      "goes from 0 to 2e-09. Give a box around all objects, leave the box out (it is measured "
      "then), or make the axis periodic.");
  EXPECT_ERROR(
      require_inside({{0, 0, 0}, {1, 1, 1}}, none, found_between({-1.5e300, 0, 0}, {1, 1, 1})),
      "Objects extend from -1.5e+300 to 1 along x, outside the given box, which goes from 0 "
      "to 1.");
}

}  // namespace
}  // namespace evenkeel::box_test
