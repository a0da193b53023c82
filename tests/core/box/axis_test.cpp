#include "support/harness.hpp"

#include <evenkeel/core/box/axis.hpp>

namespace evenkeel::axis_test {
namespace {

constexpr double most = std::numeric_limits<double>::max();

TEST(GridAxis, PlacesAreFromTheLowerFaceToBelowTheUpper) {
  const GridAxis axis(-2, 6, false);
  const double last = std::nextafter(6.0, 0.0);
  for (const double place : {-2.0, -1.5, 0.0, 5.0, last}) EXPECT_EQ(axis.inside(place), place);
  for (const double place : {6.0, 7.0, 1e300, most}) EXPECT_EQ(axis.inside(place), last);
  for (const double place : {-2.5, -1e300, -most}) EXPECT_EQ(axis.inside(place), -2);
}

TEST(GridAxis, WrapsAroundWithoutARoundingOfItsOwn) {
  const GridAxis axis(-2, 6, true);
  for (const double place : {-2.0, -1.3, 0.0, 5.9, std::nextafter(6.0, 0.0)})
    EXPECT_EQ(axis.inside(place), place);
  for (const int turns : {-1000, -3, -1, 1, 2, 1000})
    for (const double place : {-2.0, -1.625, 0.0, 5.875})
      EXPECT_EQ(axis.inside(place + 8 * turns), place) << turns;
  EXPECT_EQ(axis.inside(6), -2);
}

TEST(GridAxis, BesideAFaceItStaysOnThatSide) {
  const GridAxis axis(1, 2, true);
  EXPECT_EQ(axis.inside(std::nextafter(1.0, 0.0)), axis.last);
  EXPECT_EQ(GridAxis(0, 1, true).inside(-1e-300), std::nextafter(1.0, 0.0));
  EXPECT_GE(axis.inside(std::nextafter(2.0, 3.0)), 1);
  EXPECT_LT(axis.inside(std::nextafter(2.0, 3.0)), 1 + 1e-15);
  for (const double far : {1e18, -1e18, most, -most}) {
    EXPECT_GE(axis.inside(far), 1);
    EXPECT_LT(axis.inside(far), 2);
  }
}

TEST(GridAxis, WithoutExtentAllIsBelowTheOnlyBorder) {
  for (const double face : {0.0, 3.0, -most, most}) {
    const GridAxis axis(face, face, false);
    for (const double place : {-most, -1.0, face, 1.0, most}) EXPECT_LT(axis.inside(place), face);
  }
}

TEST(GridAxis, OfTheGreatestNumbers) {
  for (const bool periodic : {false, true}) {
    const GridAxis axis(-most, most, periodic);
    for (const double place : {-most, -1.0, 0.0, 1e300}) EXPECT_EQ(axis.inside(place), place);
    EXPECT_EQ(axis.inside(most), periodic ? -most : std::nextafter(most, 0.0));
  }
}

}  // namespace
}  // namespace evenkeel::axis_test
