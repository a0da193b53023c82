#pragma once

// What the program promises of input that it refuses.

#include "support/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace evenkeel::test {

// Status 2, nothing on stdout and one line on stderr, which begins like this.
inline void expect_refused(const Ended& ended, const std::string& text) {
  EXPECT_EQ(ended.status, 2) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("evenkeel: " + text)) << ended.err;
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
}

}  // namespace evenkeel::test
