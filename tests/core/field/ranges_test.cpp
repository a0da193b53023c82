#include "field/ranges.hpp"

#include "support/harness.hpp"

namespace evenkeel::ranges_test {
namespace {

using List = std::vector<std::int64_t>;
using Ranges = std::vector<ObjectRange>;

List listed(const Ranges& ranges) {
  List list;
  for (const ObjectRange& range : ranges) {
    EXPECT_EQ(range.from, std::ssize(list));
    EXPECT_GT(range.count, 0);
    for (std::int64_t i = 0; i < range.count; ++i) list.push_back(range.to + i);
  }
  return list;
}

// Draws a permutation in runs of about `length`.
List runs_of(std::int64_t count, std::int64_t length, std::mt19937_64& random) {
  std::vector<List> runs(1);
  for (std::int64_t i = 0; i < count; ++i) {
    if (random() % static_cast<std::uint64_t>(length) == 0) runs.emplace_back();
    runs.back().push_back(i);
  }
  std::shuffle(runs.begin(), runs.end(), random);
  List all;
  for (const List& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

TEST(LongRanges, ByHand) {
  EXPECT_TRUE(long_ranges({}).empty());
  EXPECT_EQ(long_ranges(List{7}), (Ranges{{0, 7, 1}}));
  List list(100);
  std::iota(list.begin(), list.end(), 5);
  EXPECT_EQ(long_ranges(list), (Ranges{{0, 5, 100}}));
  std::rotate(list.begin(), list.begin() + 30, list.end());
  EXPECT_EQ(long_ranges(list), (Ranges{{0, 35, 70}, {70, 5, 30}}));
  std::swap(list.front(), list.back());
  EXPECT_EQ(long_ranges(list), (Ranges{{0, 34, 1}, {1, 36, 69}, {70, 5, 29}, {99, 35, 1}}));
  std::swap(list[50], list[60]);
  EXPECT_TRUE(long_ranges(list).empty()) << "too short";
  EXPECT_TRUE(long_ranges(List{5, 4, 3, 2, 1, 0}).empty());
}

TEST(LongRanges, SayTheSameAsTheList) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const List list = runs_of(static_cast<std::int64_t>(random() % 500), 1 + round % 200, random);
    const Ranges ranges = long_ranges(list);
    if (ranges.empty()) continue;
    EXPECT_EQ(listed(ranges), list);
    EXPECT_LE(std::ssize(ranges), std::ssize(list) / long_range + 1);
  }
}

TEST(RangesWithin, SayTheSameAsPartOfTheList) {
  std::mt19937_64 random(2);
  int seen = 0;
  for (int round = 0; round < 100; ++round) {
    const List list = runs_of(40, 100, random);
    const Ranges ranges = long_ranges(list);
    if (ranges.empty()) continue;
    Ranges found = {{1, 2, 3}};
    for (std::int64_t first = 0; first <= 40; ++first)
      for (std::int64_t count = 0; first + count <= 40; ++count) {
        ranges_within(ranges, first, count, found);
        ASSERT_EQ(listed(found), List(list.begin() + first, list.begin() + first + count));
      }
    ++seen;
  }
  EXPECT_GT(seen, 50);
}

TEST(Joined, LeadFromWhereTheFirstToWhereTheSecondLeads) {
  std::mt19937_64 random(3);
  Ranges both = {{1, 2, 3}};
  int seen = 0;
  for (int round = 0; round < 400; ++round) {
    const List from = runs_of(300, 60, random), to = runs_of(400, 80, random);
    const Ranges first = long_ranges(from), second = long_ranges(to);
    if (first.empty() || second.empty()) continue;
    const std::int64_t count = round % 2 == 0 ? 300 : static_cast<std::int64_t>(random() % 300);
    const auto a = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(301 - count));
    const auto b = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(401 - count));
    joined(first, a, second, b, count, both);
    std::int64_t at = 0;
    for (const ObjectRange& range : both)
      for (std::int64_t i = 0; i < range.count; ++i, ++at) {
        ASSERT_EQ(range.from + i, from[static_cast<std::size_t>(a + at)]);
        ASSERT_EQ(range.to + i, to[static_cast<std::size_t>(b + at)]);
      }
    EXPECT_EQ(at, count);
    ++seen;
  }
  EXPECT_GT(seen, 100);
}

TEST(Invert, SwapsBothEnds) {
  Ranges ranges = {{0, 7, 2}, {2, 0, 3}};
  invert(ranges);
  EXPECT_EQ(ranges, (Ranges{{7, 0, 2}, {0, 2, 3}}));
}

}  // namespace
}  // namespace evenkeel::ranges_test
