#include "support/harness.hpp"

#include "observe/truncated_mean.hpp"

namespace evenkeel::truncated_mean_test {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(Truncation, LeavesOutAQuarter) {
  const Numbers at_each_end = {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3};
  for (std::size_t count = 0; count < at_each_end.size(); ++count)
    EXPECT_EQ(truncated_at_each_end(count), static_cast<std::size_t>(at_each_end[count])) << count;
  EXPECT_EQ(truncated_at_each_end(64), 8U);
  EXPECT_EQ(truncated_at_each_end(1000000), 125000U);
  for (std::size_t count = 1; count < 1000; ++count)
    EXPECT_LT(2 * truncated_at_each_end(count), count) << "something is left";
}

TEST(Truncation, ByHand) {
  EXPECT_EQ(truncated_sum(Numbers{}), 0);
  EXPECT_EQ(truncated_sum(Numbers{7}), 7);
  EXPECT_EQ(truncated_sum(Numbers{7, 100}), 107);
  EXPECT_EQ(truncated_sum(Numbers{100, 7, 9}), 27) << "3 x 9";
  EXPECT_EQ(truncated_sum(Numbers{1, 1000, 2, 3}), 10) << "4 x 2.5";
  EXPECT_EQ(truncated_sum(Numbers{5, 5, 5, 5, 5, 5, 5, 500}), 40);
  EXPECT_EQ(truncated_sum(Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 999}), 78) << "12 x 6.5";
}

TEST(Truncation, IsThatOfSortedValues) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    Numbers values(1 + random() % 40);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 10);
    Numbers sorted = values;
    std::ranges::sort(sorted);
    const auto ends = static_cast<std::ptrdiff_t>(truncated_at_each_end(values.size()));
    const auto sum = std::accumulate(sorted.begin() + ends, sorted.end() - ends, 0.0L);
    const auto count = static_cast<long double>(values.size());
    EXPECT_EQ(truncated_sum(values),
              std::llround(
                  static_cast<double>(sum * count / (count - 2 * static_cast<long double>(ends)))));
  }
}

TEST(Truncation, TheVarianceByHand) {
  EXPECT_EQ(truncated_sum_variance(Numbers{}), 0);
  EXPECT_EQ(truncated_sum_variance(Numbers{5}), 0);
  EXPECT_EQ(truncated_sum_variance(Numbers{10, 20}), 100) << "2 x 50";
  EXPECT_EQ(truncated_sum_variance(Numbers{10, 20, 30}), 300) << "nothing is left to scatter";
  // The values 20, 20, 30, 30 give 4 x 100 / 3. Only half of the values are used, so this counts
  // four times.
  EXPECT_DOUBLE_EQ(truncated_sum_variance(Numbers{-900, 20, 30, 4000}), 4 * 100 / 3.0 * 4);
  EXPECT_EQ(truncated_sum_variance(Numbers{4, 4, 4, 4, 4, 4, 4, 100000}), 0);
}

}  // namespace
}  // namespace evenkeel::truncated_mean_test
