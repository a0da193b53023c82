#include "partition/drawing/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace evenkeel::tool {
namespace {

using Place = std::array<double, 3>;

TEST(Frame, CountsInLongestSides) {
  const Frame frame({{-1, 2, 0}, {3, 4, 1}}, 3);
  EXPECT_EQ(frame.side(0), 1);
  EXPECT_EQ(frame.side(1), 0.5);
  EXPECT_EQ(frame.side(2), 0.25);
  EXPECT_FALSE(frame.is_stretched());
  const Place place = {0, 3, 1};
  EXPECT_EQ(frame.unit(place.data()), (Place{0.25, 0.25, 0.25}));
  EXPECT_EQ(frame.place({0.25, 0.25, 0.25}), place);
  const Place outside = {-9, 9, 0.5};
  EXPECT_EQ(frame.unit(outside.data()), (Place{0, 0.5, 0.125})) << "at the rim";
}

TEST(Frame, ThinAxesAreStretched) {
  const Frame frame({{0, 0, 0}, {1000, 1, 0}}, 2);
  EXPECT_TRUE(frame.is_stretched());
  EXPECT_DOUBLE_EQ(frame.side(1), 1.0 / 12);
  const Place middle = {500, 0.5, 0};
  EXPECT_NEAR(frame.unit(middle.data())[1], 1.0 / 24, 1e-15);
  EXPECT_NEAR(frame.place(frame.unit(middle.data()))[1], 0.5, 1e-12);
}

TEST(Frame, AxesWithoutExtent) {
  const Frame point({{7, 7, 7}, {7, 7, 7}}, 3), line({{0, 5, 0}, {2, 5, 0}}, 2);
  const Place place = {7, 7, 7}, there = {1, 5, 0};
  EXPECT_EQ(point.unit(place.data()), (Place{0.5, 0.5, 0.5}));
  EXPECT_EQ(point.place({0.1, 0.2, 0.3}), place);
  EXPECT_FALSE(line.is_stretched());
  EXPECT_EQ(line.unit(there.data()), (Place{0.5, 1.0 / 24, 0}));
}

TEST(Frame, TheGreatestNumbers) {
  const Frame frame({{-1.7e308, -1.7e308, 0}, {1.7e308, 1.7e308, 0}}, 2);
  const Place place = {1.7e308, 0, 0};
  EXPECT_NEAR(frame.unit(place.data())[0], 1, 1e-15);
  EXPECT_NEAR(frame.unit(place.data())[1], 0.5, 1e-15);
  for (const double coordinate : frame.place({1, 1, 0})) EXPECT_TRUE(std::isfinite(coordinate));
}

TEST(View, APlaneFromAbove) {
  const Frame frame({{0, 0, 0}, {2, 1, 0}}, 2);
  const View view = View::plane(frame, 0, 1);
  EXPECT_EQ(view.width, 1);
  EXPECT_EQ(view.height, 0.5);
  const Spot spot = view.spot({0.25, 0.5, 0});
  EXPECT_EQ(spot.x, 0.25);
  EXPECT_EQ(spot.y, 0) << "the second axis goes up";
  EXPECT_EQ(view.unit_at(0.25, 0), (Place{0.25, 0.5, 0}));
}

TEST(View, OnlyASlab) {
  const Frame frame({{0, 0, 0}, {1, 1, 1}}, 3);
  View view = View::plane(frame, 0, 2);
  EXPECT_EQ(view.away, 1);
  view.from = 0.25;
  view.to = 0.5;
  view.at = 0.375;
  EXPECT_TRUE(view.shows({0, 0.25, 0}));
  EXPECT_FALSE(view.shows({0, 0.5, 0}));
  EXPECT_FALSE(view.shows({0.3, 0, 0.3}));
  EXPECT_EQ(view.unit_at(0.5, 0.25), (Place{0.5, 0.375, 0.75}));
}

// All corners of the box are on the panel and touch its four sides; the eye is nearest to one.
TEST(View, ASolidFromACorner) {
  const Frame frame({{0, 0, 0}, {1, 0.5, 0.75}}, 3);
  const View view = View::corner(frame);
  Spot least = {9, 9, 9}, greatest = {-9, -9, -9};
  for (const double x : {0.0, 1.0})
    for (const double y : {0.0, 0.5})
      for (const double z : {0.0, 0.75}) {
        const Spot spot = view.spot({x, y, z});
        least = {std::min(least.x, spot.x), std::min(least.y, spot.y), 0};
        greatest = {std::max(greatest.x, spot.x), std::max(greatest.y, spot.y),
                    std::max(greatest.nearness, spot.nearness)};
      }
  EXPECT_NEAR(least.x, 0, 1e-15);
  EXPECT_NEAR(least.y, 0, 1e-15);
  EXPECT_NEAR(greatest.x, view.width, 1e-15);
  EXPECT_NEAR(greatest.y, view.height, 1e-15);
  EXPECT_EQ(greatest.nearness, view.spot({1, 0, 0.75}).nearness);
}

}  // namespace
}  // namespace evenkeel::tool
