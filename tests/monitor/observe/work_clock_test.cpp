#include "observe/work_clock.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>

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

}  // namespace
}  // namespace evenkeel::work_clock_test
