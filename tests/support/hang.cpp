// These tests fail on purpose, to show that the harness notices.

#include "support/harness.hpp"

#include <chrono>

namespace evenkeel::test {

// Has a name that the stack can show.
__attribute__((noinline)) void wait_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST(Harness, Hangs) { wait_for_ever(); }

TEST(Harness, DISABLED_FailsOnTheLastRank) { EXPECT_NE(rank(), size() - 1); }

}  // namespace evenkeel::test
