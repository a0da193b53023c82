#include "support/crowd.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>

#include <gtest/gtest.h>
#include <chrono>

namespace evenkeel::core_wait_test {
namespace {

void compute(std::chrono::microseconds time) {
  const Stopwatch watch;
  while (watch.seconds() < std::chrono::duration<double>(time).count()) continue;
}

TEST(CoreWait, MissesNoWait) {
  CoreWait kept;
  if (!kept.is_known()) GTEST_SKIP() << "this system does not say";
  const test::Crowd crowd;
  std::int64_t before = kept.nanoseconds();
  for (int i = 0; i < 100; ++i) {
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    compute(std::chrono::microseconds(700));
    const std::int64_t first = kept.nanoseconds();
    const std::int64_t read = CoreWait().nanoseconds();  // the first read of this object
    const std::int64_t then = kept.nanoseconds();
    EXPECT_LE(before, first);
    EXPECT_LE(first, read);
    EXPECT_LE(read, then);
    before = then;
  }
  EXPECT_GT(before, 1'000'000) << "in a crowd a thread waits";
}

TEST(CoreWait, IsThatOfTheThreadThatMadeIt) {
  CoreWait mine;
  if (!mine.is_known()) GTEST_SKIP() << "this system does not say";
  const test::Crowd crowd;
  const std::int64_t before = mine.nanoseconds();
  std::int64_t asked_elsewhere = 0;
  compute(std::chrono::milliseconds(50));
  std::thread([&] { asked_elsewhere = mine.nanoseconds(); }).join();
  EXPECT_GE(asked_elsewhere, before);
  EXPECT_LE(asked_elsewhere, CoreWait().nanoseconds());
  EXPECT_LE(asked_elsewhere, mine.nanoseconds());
}

}  // namespace
}  // namespace evenkeel::core_wait_test
