#include "partition/drawing/regions.hpp"

#include <evenkeel/core/domains/grid.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace evenkeel::tool {
namespace {

using Parts = std::vector<std::int32_t>;

Raster raster_with(int columns, int rows, const Parts& parts) {
  Raster raster;
  raster.columns = columns;
  raster.rows = rows;
  raster.parts = parts;
  raster.shade.assign(parts.size(), 0);
  return raster;
}

TEST(Regions, OfDomains) {
  const Box box{{0, 0, 0}, {2, 1, 0}};
  const Domains domains =
      GridDomains::uniform({2, {2, 2, 1}}, box, GridScheme::tensor);  // part: 2 i + j
  const Frame frame(box, 2);
  const Regions regions = regions_of(domains, frame, View::plane(frame, 0, 1),
                                     raster_with(4, 2, Parts(8, Raster::none)), 4);
  EXPECT_EQ(regions.parts, (Parts{1, 1, 3, 3, 0, 0, 2, 2})) << "the upper row comes first";
}

TEST(Regions, EmptyCellsHaveTheNearestPart) {
  const Raster raster = raster_with(4, 3,
                                    {5, -1, -1, -1,   //
                                     -1, -1, -1, -1,  //
                                     -1, -1, -1, 8});
  EXPECT_EQ(regions_of(raster, false).parts, raster.parts);
  EXPECT_EQ(regions_of(raster, true).parts, (Parts{5, 5, 5, 8,  //
                                                   5, 5, 8, 8,  //
                                                   5, 8, 8, 8}));
  const Raster none = raster_with(2, 1, {-1, -1});
  EXPECT_EQ(regions_of(none, true).parts, none.parts);
}

TEST(Regions, Contacts) {
  const Regions one{3, 2, {0, 0, 2, 0, 1, 2}}, other{2, 1, {2, -1}}, third{1, 2, {2, 1}};
  const std::vector<Contact> contacts = contacts_of({one, other, third});
  ASSERT_EQ(contacts.size(), 3U);
  const std::vector<Contact> expected = {{0, 1, 2}, {0, 2, 1}, {1, 2, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(contacts[i].first, expected[i].first);
    EXPECT_EQ(contacts[i].second, expected[i].second);
    EXPECT_EQ(contacts[i].length, expected[i].length);
  }
}

TEST(Regions, NamesHaveRoom) {
  const Regions regions{7, 5, {0, 0, 0, 0, 0, 1, 1,  //
                               0, 0, 0, 0, 0, 1, 1,  //
                               0, 0, 0, 0, 0, 1, 1,  //
                               0, 0, 0, 0, 0, 1, 1,  //
                               0, 0, 0, 0, 0, 1, -1}};
  const std::vector<LabelPlace> places = label_places(regions);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].part, 0);
  EXPECT_EQ(places[0].column, 2);
  EXPECT_EQ(places[0].row, 2);
  EXPECT_EQ(places[0].room, 3);
  EXPECT_EQ(places[1].part, 1);
  EXPECT_EQ(places[1].room, 1);
}

}  // namespace
}  // namespace evenkeel::tool
