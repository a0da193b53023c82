#include "support/crowd.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/monitor/monitor.hpp>

namespace evenkeel::busy_cores_test {
namespace {

void compute(double seconds) {
  const Stopwatch watch;
  while (watch.seconds() < seconds) continue;
}

// A kernel takes 2 ms by the wall clock, while other threads also use the cores. The time in which
// it waits for a core must not count.
TEST(BusyCores, WaitingForACoreIsNoWork) {
  if (!CoreWait().is_known()) GTEST_SKIP() << "this system does not say";
  Monitor monitor(Communicator::self(), {.warmup_steps = 0, .log = LogLevel::off});
  Kernel kernel = monitor.kernel("work");
  CoreWait wait;
  double wall = 0, waited = 0;
  {
    const test::Crowd crowd;
    for (int step = 0; step < 100; ++step) {
      const Stopwatch watch;
      const std::int64_t before = wait.nanoseconds();
      {
        auto timing = kernel.time();
        compute(0.002);
      }
      wall += watch.seconds();
      waited += static_cast<double>(wait.nanoseconds() - before) * 1e-9;
      monitor.step();
    }
  }
  monitor.finish();
  ASSERT_GT(waited, 0.1 * wall) << "in a crowd a thread waits";
  const Account account = monitor.account();
  EXPECT_EQ(account.steps, 100);
  EXPECT_NEAR(account.mean, wall - waited, 0.25 * waited);
}

// A clock that the user has chosen must be used unchanged.
TEST(BusyCores, TheClockOnTheWallCountsWaiting) {
  Monitor monitor(Communicator::self(),
                  {.warmup_steps = 0, .clock = ClockKind::wall, .log = LogLevel::off});
  Kernel kernel = monitor.kernel("work");
  const test::Crowd crowd;
  for (int step = 0; step < 40; ++step) {
    {
      auto timing = kernel.time();
      compute(0.002);
    }
    monitor.step();
  }
  monitor.finish();
  EXPECT_GE(monitor.account().mean, 0.08);
}

}  // namespace
}  // namespace evenkeel::busy_cores_test
