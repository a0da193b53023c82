#include "partition/drawing/raster.hpp"

#include "support/harness.hpp"
#include "tools/partition/clouds.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace evenkeel::tool {
namespace {

using Parts = std::vector<std::int32_t>;

Subject subject_of(int dimensions, std::span<const double> places,
                   std::span<const std::int32_t> parts, std::int64_t everywhere) {
  Subject subject;
  subject.dimensions = dimensions;
  subject.everywhere = everywhere;
  subject.places = places;
  subject.parts = parts;
  return subject;
}

const Communicator& alone() {
  static const Communicator self = Communicator::self();
  return self;
}

TEST(Raster, TheOneNearestToTheMiddleOfACell) {
  const Frame frame({{0, 0, 0}, {2, 1, 0}}, 2);
  const std::vector<double> places = {0.5, 0.6, 0.5, 0.5, 0.9, 0.9, 2, 0};
  const Parts parts = {4, 5, 6, 7};
  const Raster raster = raster_of(alone(), subject_of(2, places, parts, 4), frame,
                                  View::plane(frame, 0, 1), 4);  // cells of 0.5
  EXPECT_EQ(raster.columns, 4);
  EXPECT_EQ(raster.rows, 2);
  EXPECT_EQ(raster.shown, 4);
  // Of two in a cell, 6 is nearer to the middle; 5 is at a corner of four cells.
  EXPECT_EQ(raster.parts, (Parts{-1, 6, -1, -1, -1, 5, -1, 7}));
}

TEST(Raster, TheOneNearestToTheEye) {
  const Frame frame({{0, 0, 0}, {1, 1, 1}}, 3);
  const std::vector<double> places = {0, 1, 0, 1, 0, 1, 0.5, 0.5, 0.5};  // on one line of sight
  const Parts parts = {1, 2, 3};
  const Raster raster =
      raster_of(alone(), subject_of(3, places, parts, 3), frame, View::corner(frame), 1);
  EXPECT_EQ(std::ranges::count(raster.parts, 2), 1);
  EXPECT_EQ(std::ranges::count(raster.parts, 1) + std::ranges::count(raster.parts, 3), 0);
}

TEST(Raster, ShadesTellWhereThereAreMore) {
  const Frame frame({{0, 0, 0}, {1, 1, 0}}, 2);
  std::vector<double> places;
  Parts parts;
  for (int i = 0; i < 90; ++i) places.insert(places.end(), {0.25, 0.75});
  for (int i = 0; i < 9; ++i) places.insert(places.end(), {0.75, 0.75});
  places.insert(places.end(), {0.25, 0.25});
  parts.assign(100, 3);
  const Raster raster =
      raster_of(alone(), subject_of(2, places, parts, 100), frame, View::plane(frame, 0, 1), 2);
  EXPECT_EQ(raster.parts, (Parts{3, 3, 3, -1}));
  EXPECT_EQ(raster.shade, (std::vector<std::uint8_t>{2, 1, 0, 0}));
}

TEST(Raster, ASlabNearTheMedian) {
  const Frame frame({{0, 0, 0}, {1, 1, 1}}, 3);
  std::vector<double> places;
  for (int i = 0; i < 1000; ++i) places.insert(places.end(), {0.5, 0.5, i < 900 ? i / 9e3 : 0.99});
  const Parts parts(1000, 0);
  View view = View::plane(frame, 0, 1);
  set_slab(alone(), subject_of(3, places, parts, 1000), frame, 0.1, view);
  EXPECT_NEAR(view.at, 410 / 9e3, 1.0 / 4096);
  EXPECT_NEAR(view.from, 360 / 9e3, 1.0 / 4096);
  EXPECT_NEAR(view.to, 460 / 9e3, 2.0 / 4096);
  set_slab(alone(), subject_of(3, places, parts, 1000), frame, 2, view);
  EXPECT_EQ(raster_of(alone(), subject_of(3, places, parts, 1000), frame, view, 10).shown, 1000);
}

TEST(Raster, TheSameOnAnyNumberOfRanks) {
  const Communicator ranks = test::world();
  for (const int dimensions : {2, 3}) {
    const test::Cloud cloud = test::random_cloud(dimensions, 5000, false, 21);
    Parts all;
    std::mt19937_64 random(4);
    for (std::size_t i = 0; i < cloud.count(); ++i)
      all.push_back(static_cast<std::int32_t>(random() % (1U << 24U)));
    const Objects mine = test::share_of(cloud, ranks.rank(), ranks.size());
    const std::int64_t before = ranks.exclusive_scan(mine.count());
    const auto parts = std::span(all).subspan(static_cast<std::size_t>(before),
                                              static_cast<std::size_t>(mine.count()));
    const Frame frame({{-8, -8, -8}, {8, 8, 8}}, dimensions);
    const View view = dimensions == 2 ? View::plane(frame, 0, 1) : View::corner(frame);
    const Raster together =
        raster_of(ranks, subject_of(dimensions, mine.places, parts, 5000), frame, view, 40);
    const Raster by_one =
        raster_of(alone(), subject_of(dimensions, cloud.places, all, 5000), frame, view, 40);
    EXPECT_EQ(together.parts, by_one.parts);
    EXPECT_EQ(together.shade, by_one.shade);
    EXPECT_EQ(together.shown, 5000);
  }
}

}  // namespace
}  // namespace evenkeel::tool
