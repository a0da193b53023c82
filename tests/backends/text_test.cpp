#include <evenkeel/backends/text.hpp>

#include "support/harness.hpp"

namespace evenkeel::text_test {
namespace {

TEST(Text, NumbersReadAsTheSameBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    const auto read = real_from_text(text_of(number));
    ASSERT_TRUE(read.has_value()) << text_of(number);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*read), std::bit_cast<std::uint64_t>(number));
  }
  EXPECT_EQ(text_of(1.1), "1.1");
  EXPECT_EQ(text_of(-0.0), "-0");
  EXPECT_EQ(text_of(std::numeric_limits<double>::lowest()), "-1.7976931348623157e+308");
}

TEST(Text, NothingButOneNumberIsANumber) {
  for (const char* text : {"", " 1", "1 ", "1,5", "1.5x", "+1", "0x10", "--1", "1e", "one"}) {
    EXPECT_FALSE(real_from_text(text).has_value()) << text;
    EXPECT_FALSE(integer_from_text(text).has_value()) << text;
  }
  EXPECT_FALSE(integer_from_text("1.5").has_value());
  EXPECT_FALSE(integer_from_text("9223372036854775808").has_value());
  EXPECT_EQ(integer_from_text("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

TEST(Text, BytesMayHaveUnits) {
  EXPECT_EQ(bytes_from_text("16GiB"), 0x1p34);
  EXPECT_EQ(bytes_from_text("1.5 kB"), 1500);
  EXPECT_EQ(bytes_from_text("64e9"), 64e9);
  for (const char* text : {"", "0", "-1", "GB", "nan", "inf", "1e300TiB", "1 Gib", "1 GB ", "1,2"})
    EXPECT_FALSE(bytes_from_text(text).has_value()) << text;
  for (const char* text : {"3TiB", "1500MB", "7", "0.5"})
    EXPECT_EQ(text_of_bytes(*bytes_from_text(text)), text);
}

TEST(Text, WhatAUserWroteFitsIntoALine) {
  EXPECT_EQ(in_quotes("lambda"), "'lambda'");
  EXPECT_EQ(in_quotes(std::string("a\nb\0c", 5)), "'a?b?c'");
  const std::string many(500, 'x');
  EXPECT_EQ(in_quotes(many), many.substr(0, 120).insert(0, 1, '\'').append("...'"));
  std::string umlauts(1, 'x');
  for (int i = 0; i < 100; ++i) umlauts.append("\xC3\xA4");
  EXPECT_EQ(in_quotes(umlauts), umlauts.substr(0, 119).insert(0, 1, '\'').append("...'"))
      << "not half a character";
}

}  // namespace
}  // namespace evenkeel::text_test
