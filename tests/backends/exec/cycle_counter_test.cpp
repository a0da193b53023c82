#include "support/harness.hpp"

#include <evenkeel/backends/exec/cycle_counter.hpp>

#include <chrono>

namespace evenkeel::cycle_counter_test {
namespace {

constexpr std::int64_t second = 1'000'000'000;

// A counter of 3 GHz that began at 77, in a system whose clock began at 500.
TickMoment at(std::int64_t nanoseconds) { return {77 + 3 * nanoseconds, 500 + nanoseconds}; }

TEST(TickRate, IsOneUnlessItIsLearned) {
  TickRate rate;
  EXPECT_EQ(rate.nanoseconds_per_tick(), 1);
  EXPECT_EQ(rate.nanoseconds(12345), 12345);
  EXPECT_EQ(rate.ticks(12345), 12345);
  EXPECT_FALSE(rate.is_due(std::int64_t{1} << 62));
}

TEST(TickRate, IsLearnedFromTwoMoments) {
  const TickRate rate(at(0), at(1000));
  EXPECT_DOUBLE_EQ(rate.nanoseconds_per_tick(), 1.0 / 3);
  EXPECT_EQ(rate.nanoseconds(3 * second + 2), second) << "towards 0";
  EXPECT_EQ(rate.nanoseconds(0), 0);
  EXPECT_EQ(rate.ticks(second), 3 * second);
}

TEST(TickRate, StaysOneWhereNothingIsToBeLearned) {
  for (const TickMoment& later :
       {at(0), TickMoment{78, 500}, TickMoment{77, 501}, TickMoment{0, 600}, TickMoment{100, 0}}) {
    const TickRate rate(at(0), later);
    EXPECT_EQ(rate.nanoseconds_per_tick(), 1);
    EXPECT_FALSE(rate.is_due(std::int64_t{1} << 62));
  }
}

TEST(TickRate, IsRefinedWheneverItsAgeHasDoubled) {
  TickMoment rough = at(1000);
  rough.nanoseconds += 5;  // half a percent
  TickRate rate(at(0), rough);
  int times = 0;
  for (std::int64_t now = 1000; now < 20 * second; now += 1000) {
    if (!rate.is_due(at(now).ticks)) continue;
    EXPECT_TRUE(rate.refine(at(now)));
    ++times;
  }
  EXPECT_DOUBLE_EQ(rate.nanoseconds_per_tick(), 1.0 / 3);
  EXPECT_GE(times, 20);
  EXPECT_LE(times, 30);
}

TEST(TickRate, IsLookedAtEveryTenSecondsInTheLongRun) {
  TickRate rate(at(0), at(1000 * second));
  EXPECT_FALSE(rate.is_due(at(1009 * second).ticks));
  EXPECT_TRUE(rate.is_due(at(1010 * second).ticks + 1));
}

TEST(TickRate, BeginsAnewWhenAClockHasJumped) {
  TickRate rate(at(0), at(second));
  TickMoment asleep = at(3 * second);
  asleep.nanoseconds -= second;
  EXPECT_FALSE(rate.refine(asleep));
  EXPECT_DOUBLE_EQ(rate.nanoseconds_per_tick(), 1.0 / 3) << "of before";
  EXPECT_FALSE(rate.is_due(at(3 * second + second / 2).ticks));
  EXPECT_TRUE(rate.is_due(at(4 * second).ticks + 1));
  TickMoment awake = at(5 * second);
  awake.nanoseconds -= second;
  EXPECT_TRUE(rate.refine(awake));
  EXPECT_DOUBLE_EQ(rate.nanoseconds_per_tick(), 1.0 / 3);
  TickMoment restarted = awake;
  restarted.ticks = 12;
  EXPECT_FALSE(rate.refine(restarted));
  EXPECT_DOUBLE_EQ(rate.nanoseconds_per_tick(), 1.0 / 3);
}

TEST(CycleCounter, IsTrustedByTheWordOfTheSystem) {
  EXPECT_TRUE(detail::is_trusted("tsc", true));
  EXPECT_TRUE(detail::is_trusted("tsc", false));
  for (const char* made_of_it : {"", "kvm-clock", "hyperv_clocksource_tsc_page"}) {
    EXPECT_TRUE(detail::is_trusted(made_of_it, true));
    EXPECT_FALSE(detail::is_trusted(made_of_it, false));
  }
  for (const char* another : {"hpet", "acpi_pm", "jiffies", "xen", "tsc-early"})
    EXPECT_FALSE(detail::is_trusted(another, true)) << another;
}

TEST(CycleCounter, NeverGoesBack) {
  if (!cycle_counter_is_trusted()) GTEST_SKIP() << "no cycle counter to trust";
  std::int64_t last = cycle_ticks();
  for (int i = 0; i < 1000000; ++i) {
    const std::int64_t now = cycle_ticks();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(CycleCounter, AgreesWithTheWallClock) {
  if (!cycle_counter_is_trusted()) GTEST_SKIP() << "no cycle counter to trust";
  TickRate rate = TickRate::measured();
  const TickMoment begin = TickMoment::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const TickMoment end = TickMoment::now();
  const auto passed = static_cast<double>(end.nanoseconds - begin.nanoseconds);
  const auto error = [&] {
    return std::abs(static_cast<double>(rate.nanoseconds(end.ticks - begin.ticks)) - passed) /
           passed;
  };
  EXPECT_LT(error(), 0.01);
  EXPECT_TRUE(rate.is_due(end.ticks));
  EXPECT_TRUE(rate.refine(end));
  EXPECT_LT(error(), 0.001);
}

}  // namespace
}  // namespace evenkeel::cycle_counter_test
