#include "files/printable.hpp"
#include "support/harness.hpp"

namespace evenkeel::tool::printable_test {
namespace {

TEST(Printable, ControlCharactersBecomeEscapes) {
  EXPECT_EQ(printable("\x1b]0;title\x07\x1b[2J"), "\\u001b]0;title\\u0007\\u001b[2J");
  EXPECT_EQ(printable(std::string("a\0b\x7f\r", 5)), "a\\u0000b\\u007f\\u000d");
  EXPECT_EQ(printable("\xC2\x9b"
                      "2J\xC2\x80\xC2\x9f"),
            "\\u009b2J\\u0080\\u009f");
}

TEST(Printable, OtherTextStays) {
  const std::string text =
      "caf\xC3\xA9 \xC2\xA0\xC2\xB5 \xE2\x82\xAC \xF0\x9F\x9A\xA2 \\ \"x\" \xC2";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable_line(text), text);
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, OnALineNothingBreaksTheLine) {
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable_line("a\tb\nc"), "a\\u0009b\\u000ac");
}

}  // namespace
}  // namespace evenkeel::tool::printable_test
