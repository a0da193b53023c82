#include "observe/work_clock.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>

#include <functional>
#include <optional>
#include <stdexcept>

namespace evenkeel::work_clock_test {
namespace {

std::int64_t own_time = 0;
std::int64_t reading() noexcept { return own_time; }

TEST(WorkClock, AnOwnClockTimesAll) {
  own_time = 5;
  WorkClock clock(ClockKind::automatic, &reading, false);
  EXPECT_EQ(clock.reading(), 5);
  EXPECT_EQ(clock.now(), 5) << "nothing is known of its waiting";
  const Kernel kernel = clock.kernels().kernel("force");
  static_cast<void>(clock.kernels().end_step());
  {
    const auto timing = kernel.time();
    own_time += 7;
  }
  EXPECT_EQ(clock.kernels().end_step().load, 7);
}

TEST(WorkClock, RanksThatShareCoresCountTheirOwnTime) {
  const std::int64_t before = thread_cpu_nanoseconds();
  const WorkClock clock(ClockKind::automatic, nullptr, true);
  const std::int64_t reading = clock.reading();
  EXPECT_LE(before, reading);
  EXPECT_LE(reading, thread_cpu_nanoseconds());
}

TEST(WorkClock, WallTimeIsTakenAsItIs) {
  WorkClock clock(ClockKind::wall, nullptr, true);
  const std::int64_t before = wall_nanoseconds();
  EXPECT_LE(before, clock.now());
  const std::int64_t now = clock.now();
  EXPECT_LE(now, wall_nanoseconds());
  const WorkClock::Waited waited = clock.take_waited();
  EXPECT_EQ(waited.in_epoch, 0);
  EXPECT_EQ(waited.in_all_steps, 0);
}

TEST(WorkClock, WaitingIsTakenOnce) {
  WorkClock clock(ClockKind::automatic, nullptr, false);
  const std::int64_t now = clock.now();
  EXPECT_LE(now, wall_nanoseconds());
  clock.begin_epoch();
  const WorkClock::Waited waited = clock.take_waited();
  EXPECT_GE(waited.in_epoch, 0);
  EXPECT_GE(waited.in_all_steps, waited.in_epoch) << "the epoch began later";
}

// --- Clocks of an application --------------------------------------------------------------------

struct Ticker {
  std::int64_t* at;
  long long operator()() { return ++*at; }
};
long long plain() { return 3; }
std::int64_t noexcept_reading() noexcept { return 4; }

TEST(OwnClock, AnyCallableThatReturnsNanoseconds) {
  std::int64_t at = 0;
  EXPECT_EQ(OwnClock(&noexcept_reading)(), 4);
  EXPECT_EQ(OwnClock(noexcept_reading)(), 4);
  EXPECT_EQ(OwnClock(&plain)(), 3);
  EXPECT_EQ(OwnClock([] { return std::int64_t{5}; })(), 5);
  EXPECT_EQ(OwnClock([] { return std::uint64_t{6}; })(), 6);
  EXPECT_EQ(OwnClock([&at] { return at + 7; })(), 7);
  EXPECT_EQ(OwnClock(std::function<std::int64_t()>([&at] { return at + 8; }))(), 8);
  const OwnClock ticker = Ticker{&at};
  EXPECT_EQ(ticker(), 1);
  EXPECT_EQ(ticker(), 2);
  EXPECT_EQ(OwnClock([at]() mutable { return ++at; })(), 3);
}

TEST(OwnClock, NothingIsNoClock) {
  using Other = long long (*)();
  EXPECT_FALSE(OwnClock());
  EXPECT_FALSE(OwnClock(nullptr));
  EXPECT_FALSE(OwnClock(static_cast<std::int64_t (*)() noexcept>(nullptr)));
  EXPECT_FALSE(OwnClock(Other{}));
  EXPECT_FALSE(OwnClock(std::function<std::int64_t()>()));
  EXPECT_TRUE(OwnClock(&plain));
  EXPECT_EQ(OwnClock(), nullptr);
}

// Options with a clock can be compared.
TEST(OwnClock, CopiesAreEqualAndShareTheObject) {
  std::int64_t at = 0;
  const OwnClock one = [before = std::int64_t{0}]() mutable { return ++before; };
  const OwnClock copy = one, other = [&at] { return at; };
  EXPECT_EQ(one, copy);
  EXPECT_NE(one, other);
  EXPECT_NE(one, nullptr);
  EXPECT_EQ(one(), 1);
  EXPECT_EQ(copy(), 2);
  EXPECT_EQ(OwnClock(&reading), OwnClock(&reading));
  EXPECT_NE(OwnClock(&reading), OwnClock(&noexcept_reading));
}

// The clock keeps the object, even after the application's own copy has gone.
TEST(OwnClock, IsKeptByTheKernelsThatReadIt) {
  const auto now = std::make_shared<std::int64_t>(0);
  std::optional<Kernel> kernel;
  {
    const WorkClock clock(
        ClockKind::automatic, [now] { return *now; }, false);
    kernel = clock.kernels().kernel("force");
  }
  EXPECT_GT(now.use_count(), 1);
  static_cast<void>(kernel->time());
  kernel.reset();
}

// The message of the standard library names the exception.
TEST(OwnClockDeathTest, MustNotThrow) {
  if (test::is_sanitized) GTEST_SKIP();
  const OwnClock broken = []() -> std::int64_t { throw std::runtime_error("no time"); };
  EXPECT_DEATH(static_cast<void>(broken()), "no time");
}

}  // namespace
}  // namespace evenkeel::work_clock_test
