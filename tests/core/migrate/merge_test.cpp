#include "migrate/merge.hpp"

#include "support/harness.hpp"

namespace evenkeel::merge_test {
namespace {

using Runs = std::vector<std::vector<std::uint64_t>>;

constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

struct Joined {
  std::vector<CurveKey> keys;
  std::vector<std::int64_t> firsts;
};

Joined joined(const Runs& runs) {
  Joined all;
  for (const auto& run : runs) {
    all.firsts.push_back(std::ssize(all.keys));
    for (const std::uint64_t key : run) all.keys.push_back({key});
  }
  return all;
}

std::vector<ObjectRange> merged(const Runs& runs, std::int64_t most = any_number) {
  const Joined all = joined(runs);
  std::vector<Run> parts;
  for (std::size_t r = 0; r < runs.size(); ++r)
    parts.push_back(
        {std::span(all.keys).subspan(static_cast<std::size_t>(all.firsts[r]), runs[r].size()),
         all.firsts[r]});
  return merged_runs(parts, most);
}

// Compares with a stable sort.
void expect_merged(const Runs& runs) {
  const Joined all = joined(runs);
  std::vector<std::int64_t> expected(all.keys.size());
  std::iota(expected.begin(), expected.end(), std::int64_t{0});
  std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
    return all.keys[static_cast<std::size_t>(a)] < all.keys[static_cast<std::size_t>(b)];
  });
  std::vector<std::int64_t> found;
  for (const ObjectRange& range : merged(runs)) {
    ASSERT_EQ(range.to, std::ssize(found));
    ASSERT_GT(range.count, 0);
    for (std::int64_t i = 0; i < range.count; ++i) found.push_back(range.from + i);
  }
  EXPECT_EQ(found, expected) << testing::PrintToString(runs);
  Joined again = all;
  std::vector<std::int64_t> order(again.keys.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  merge_runs(Space::where(MemoryKind::host), again.keys, order, again.firsts);
  EXPECT_EQ(order, expected) << testing::PrintToString(runs);
}

TEST(MergedRuns, OfAnything) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    Runs runs(round % 10 == 0 ? random() % 40 : random() % 7);
    const std::uint64_t greatest = round % 3 == 0 ? 3 : round % 3 == 1 ? 200 : ~std::uint64_t{0};
    for (auto& run : runs) {
      run.resize(random() % 2 == 0 ? random() % 5 : random() % 100);
      for (std::uint64_t& key : run)
        key = greatest == ~std::uint64_t{0} ? random() : random() % greatest;
      std::sort(run.begin(), run.end());
    }
    expect_merged(runs);
  }
}

TEST(MergedRuns, ThatDoNotMeetAreARangeEach) {
  EXPECT_EQ(merged({{7, 8, 9}, {}, {1, 2, 3}, {4, 4, 6}}).size(), 3U);
  EXPECT_EQ(merged({{5, 5}, {5}, {5, 5, 5}}).size(), 3U) << "equal keys stay as they are";
  EXPECT_EQ(merged({{}, {1, 2, 3}}).size(), 1U);
  EXPECT_TRUE(merged({}).empty());
  EXPECT_TRUE(merged({{}, {}}).empty());
}

TEST(MergedRuns, NoneWhereThereAreTooMany) {
  const Runs mixed = {{1, 3, 5, 7}, {2, 4, 6, 8}};
  EXPECT_EQ(merged(mixed, 8).size(), 8U);
  EXPECT_TRUE(merged(mixed, 7).empty());
  EXPECT_TRUE(merged(mixed, 0).empty());
}

}  // namespace
}  // namespace evenkeel::merge_test
