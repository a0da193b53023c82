#include "support/harness.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>

#include <chrono>

// Other programs may delay this one. So wall times have only a lower bound, and times that must be
// small are compared with much larger times.

namespace evenkeel::stopwatch_test {
namespace {

constexpr double long_enough = 0.05;  // seconds

void sleep() { std::this_thread::sleep_for(std::chrono::duration<double>(long_enough)); }

void compute() {
  const std::int64_t start = thread_cpu_nanoseconds();
  while (static_cast<double>(thread_cpu_nanoseconds() - start) * 1e-9 < long_enough) {
  }
}

TEST(Clocks, NeverGoBack) {
  std::int64_t wall = wall_nanoseconds();
  std::int64_t cpu = thread_cpu_nanoseconds();
  for (int i = 0; i < 100000; ++i) {
    const std::int64_t later_wall = wall_nanoseconds();
    const std::int64_t later_cpu = thread_cpu_nanoseconds();
    ASSERT_GE(later_wall, wall);
    ASSERT_GE(later_cpu, cpu);
    wall = later_wall;
    cpu = later_cpu;
  }
}

TEST(Clocks, AreFineEnoughForOneKernel) {
  const std::int64_t start = wall_nanoseconds();
  std::int64_t next = start;
  while (next == start) next = wall_nanoseconds();
  std::int64_t finest = next - start;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t before = wall_nanoseconds();
    std::int64_t after = before;
    while (after == before) after = wall_nanoseconds();
    finest = std::min(finest, after - before);
  }
  EXPECT_LT(finest, 100000);
}

TEST(Stopwatch, MeasuresWhatAUserWaitsFor) {
  const Stopwatch stopwatch;
  sleep();
  EXPECT_GE(stopwatch.seconds(), long_enough);
  const double first = stopwatch.seconds();
  EXPECT_GE(stopwatch.seconds(), first);  // reading does not stop it
}

TEST(Stopwatch, Restarts) {
  Stopwatch stopwatch;
  const Stopwatch from_the_start;
  sleep();
  stopwatch.restart();
  const double since_restart = stopwatch.seconds();
  EXPECT_GE(from_the_start.seconds() - since_restart, long_enough);
}

TEST(Stopwatch, LapsFollowEachOtherWithoutAGap) {
  const std::int64_t before = wall_nanoseconds();
  Stopwatch stopwatch;
  const std::int64_t between = wall_nanoseconds();
  double laps = 0;
  for (int lap = 0; lap < 1000; ++lap) {
    const double seconds = stopwatch.restart();
    EXPECT_GE(seconds, 0.0);
    laps += seconds;
  }
  sleep();
  const std::int64_t almost = wall_nanoseconds();
  const double last = stopwatch.restart();
  const std::int64_t after = wall_nanoseconds();
  EXPECT_GE(last, long_enough);
  const double rounding = 1e-9;
  EXPECT_GE(laps + last, static_cast<double>(almost - between) * 1e-9 - rounding);
  EXPECT_LE(laps + last, static_cast<double>(after - before) * 1e-9 + rounding);
}

TEST(ThreadCpuStopwatch, DoesNotCountWaiting) {
  const Stopwatch wall;
  const ThreadCpuStopwatch cpu;
  for (int i = 0; i < 4; ++i) sleep();
  EXPECT_LT(cpu.seconds(), 0.25 * wall.seconds());
}

TEST(ThreadCpuStopwatch, CountsComputing) {
  const Stopwatch wall;
  ThreadCpuStopwatch cpu;
  compute();
  const double computed = cpu.restart();
  EXPECT_GE(computed, long_enough);
  EXPECT_LE(computed, wall.seconds() + 0.01);
}

TEST(ThreadCpuStopwatch, DoesNotCountOtherThreads) {
  const ThreadCpuStopwatch mine;
  double of_the_other = 0;
  std::thread other([&] {
    const ThreadCpuStopwatch cpu;
    compute();
    of_the_other = cpu.seconds();
  });
  other.join();
  EXPECT_GE(of_the_other, long_enough);
  EXPECT_LT(mine.seconds(), 0.5 * of_the_other);
}

}  // namespace
}  // namespace evenkeel::stopwatch_test
