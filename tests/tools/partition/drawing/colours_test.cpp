#include "partition/drawing/colours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace evenkeel::tool {
namespace {

TEST(Colours, FewPartsHaveTheirOwn) {
  for (std::size_t parts = 0; parts <= palette.size(); ++parts) {
    const auto colours = colours_of(parts, {});
    EXPECT_EQ(colours.size(), parts);
    EXPECT_EQ(std::set(colours.begin(), colours.end()).size(), parts);
  }
}

TEST(Colours, PartsInContactDiffer) {
  constexpr int side = 30;
  std::vector<Contact> contacts;
  std::vector<std::int32_t> part(side * side);  // at places of a grid, in any order
  for (std::int32_t i = 0; i < side * side; ++i) part[static_cast<std::size_t>(i)] = i;
  std::shuffle(part.begin(), part.end(), std::mt19937(3));
  const auto touch = [&](int one, int other) {
    const auto [low, high] =
        std::minmax(part[static_cast<std::size_t>(one)], part[static_cast<std::size_t>(other)]);
    contacts.push_back({low, high, 1});
  };
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      const int here = row * side + column;
      if (column + 1 < side) touch(here, here + 1);
      if (row + 1 < side) touch(here, here + side);
      if (column + 1 < side && row + 1 < side) touch(here, here + side + 1);
    }
  const auto colours = colours_of(side * side, contacts);
  for (const Contact& contact : contacts)
    EXPECT_NE(colours[static_cast<std::size_t>(contact.first)],
              colours[static_cast<std::size_t>(contact.second)]);
}

// Nine parts that all touch need nine colours: the two that touch least share one.
TEST(Colours, OfTooManyTheLeastContact) {
  std::vector<Contact> contacts;
  for (std::int32_t one = 0; one < 9; ++one)
    for (std::int32_t other = one + 1; other < 9; ++other)
      contacts.push_back({one, other, one == 3 && other == 8 ? 1 : 10});
  const auto colours = colours_of(9, contacts);
  EXPECT_EQ(colours[3], colours[8]);
  EXPECT_EQ(std::set(colours.begin(), colours.end()).size(), 8U);
}

}  // namespace
}  // namespace evenkeel::tool
