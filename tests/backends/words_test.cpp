#include <evenkeel/backends/words.hpp>

#include "support/harness.hpp"

namespace evenkeel::words_test {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::lowest();

TEST(Words, TimesHaveTheUnitThatFits) {
  EXPECT_EQ(detail::seconds_of(0), "0.00 us");
  EXPECT_EQ(detail::seconds_of(1), "0.00 us");
  EXPECT_EQ(detail::seconds_of(1234), "1.23 us");
  EXPECT_EQ(detail::seconds_of(99'990), "99.99 us");
  EXPECT_EQ(detail::seconds_of(1e5), "0.10 ms");
  EXPECT_EQ(detail::seconds_of(1'234'000), "1.23 ms");
  EXPECT_EQ(detail::seconds_of(99'990'000), "99.99 ms");
  EXPECT_EQ(detail::seconds_of(1e8), "0.10 s");
  EXPECT_EQ(detail::seconds_of(123.456e9), "123.46 s");
  EXPECT_EQ(detail::seconds_of(-1'234'000), "-1.23 ms");
}

TEST(Words, NumbersAreGrouped) {
  EXPECT_EQ(detail::count_of(0), "0");
  EXPECT_EQ(detail::count_of(999), "999");
  EXPECT_EQ(detail::count_of(1000), "1,000");
  EXPECT_EQ(detail::count_of(123'456), "123,456");
  EXPECT_EQ(detail::count_of(1'234'567), "1,234,567");
  EXPECT_EQ(detail::count_of(-1), "-1");
  EXPECT_EQ(detail::count_of(-999), "-999");
  EXPECT_EQ(detail::count_of(-1000), "-1,000");
  EXPECT_EQ(detail::count_of(-123'456), "-123,456");
  EXPECT_EQ(detail::count_of(most), "9,223,372,036,854,775,807");
  EXPECT_EQ(detail::count_of(lowest), "-9,223,372,036,854,775,808");
}

TEST(Words, BytesHaveTheUnitThatFits) {
  EXPECT_EQ(detail::bytes_of(0), "0 B");
  EXPECT_EQ(detail::bytes_of(999), "999 B");
  EXPECT_EQ(detail::bytes_of(1000), "1.0 kB");
  EXPECT_EQ(detail::bytes_of(3'240'000), "3.2 MB");
  EXPECT_EQ(detail::bytes_of(7'000'000'000), "7.0 GB");
  EXPECT_EQ(detail::bytes_of(7'000'000'000'000), "7.0 TB");
  EXPECT_EQ(detail::bytes_of(7'000'000'000'000'000), "7000.0 TB");
}

TEST(Words, AnyNumberCanBeWritten) {
  EXPECT_EQ(detail::fixed(1.005, 1), "1.0");
  EXPECT_EQ(detail::fixed(-0.5, 0), "-0");
  EXPECT_EQ(detail::fixed(std::numeric_limits<double>::lowest(), 6).size(), 317U);
  EXPECT_EQ(detail::fixed(std::numeric_limits<double>::infinity(), 2), "inf");
}

}  // namespace
}  // namespace evenkeel::words_test
