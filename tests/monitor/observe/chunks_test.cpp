#include "support/harness.hpp"

#include "observe/clock.hpp"

namespace evenkeel::chunks_test {
namespace {

// A clock whose time the test advances. The work on object i takes i + 1 nanoseconds.
class ChunksTest : public testing::Test {
 protected:
  static inline std::int64_t time = 1000;
  static std::int64_t now() noexcept { return time; }

  static std::int64_t work_on(const Chunk& chunk, std::int64_t factor = 1) {
    std::int64_t took = 0;
    for (auto i = chunk.begin(); i < chunk.end(); ++i) took += factor * (i + 1);
    time += took;
    return took;
  }
  std::int64_t loop(const Kernel& kernel, std::int64_t objects, int set = 0,
                    std::int64_t factor = 1) const {
    std::int64_t took = 0;
    for (const auto chunk : kernel.chunks(objects, set)) {
      const auto timing = chunk.time();
      took += work_on(chunk, factor);
    }
    return took;
  }
  static double sum(const StretchTimes& times) {
    return std::accumulate(times.nanoseconds.begin(), times.nanoseconds.end(), 0.0);
  }

  std::shared_ptr<Clock> clock = Clock::make(&now);
};

TEST_F(ChunksTest, CoverAllObjectsOnce) {
  const Kernel force = clock->kernel("force");
  for (const std::int64_t objects : {0, 1, 2, 3, 15, 16, 17, 1000, 12345}) {
    std::int64_t next = 0;
    std::size_t count = 0;
    const Chunks chunks = force.chunks(objects);
    for (const auto chunk : chunks) {
      EXPECT_EQ(chunk.begin(), next);
      EXPECT_LT(chunk.begin(), chunk.end());
      EXPECT_EQ(chunk.begin(), chunks[count].begin());
      EXPECT_EQ(chunk.end(), chunks[count].end());
      next = chunk.end();
      ++count;
    }
    EXPECT_EQ(next, objects);
    EXPECT_EQ(count, chunks.size());
  }
}

TEST_F(ChunksTest, CountForTheKernelToo) {
  const Kernel first = clock->kernel("first"), force = clock->kernel("force");
  std::int64_t took = loop(force, 1000);
  const Kernel later = clock->kernel("later");
  {
    const auto timing = later.time();
    time += 7;
    took += loop(force, 1000);  // interrupts the outer loop
  }
  {
    const auto timing = force.time();
    time += 5;
    took += 5 + loop(force, 500);
  }
  {
    const auto timing = first.time();
    time += 3;
  }
  const Clock::Step step = clock->end_step();
  EXPECT_EQ(clock->of_step(), (std::vector<std::int64_t>{3, took, 7}));
  EXPECT_EQ(step.load, took + 10);
  EXPECT_EQ(step.duration, took + 10);
}

TEST_F(ChunksTest, TellWhatStretchesTook) {
  const Kernel force = clock->kernel("force");
  constexpr std::int64_t objects = 128 * 1000;
  for (int step = 0; step < 3; ++step) {
    static_cast<void>(loop(force, objects));
    clock->end_step();
  }
  ASSERT_EQ(clock->of_stretches().size(), 1U);
  clock->forget_stretches();
  EXPECT_EQ(sum(clock->of_stretches()[0]), 0);
  const std::int64_t took = loop(force, objects);
  clock->end_step();
  const StretchTimes& times = clock->of_stretches()[0];
  EXPECT_EQ(times.set, 0);
  EXPECT_EQ(times.objects, objects);
  EXPECT_EQ(times.steps, 1);
  EXPECT_EQ(times.all_steps, 1);
  EXPECT_DOUBLE_EQ(times.all_nanoseconds, static_cast<double>(took));
  EXPECT_DOUBLE_EQ(sum(times), static_cast<double>(took));
  // Now there are as many chunks as stretches.
  EXPECT_EQ(force.chunks(objects).size(), times.nanoseconds.size());
  for (std::size_t s = 0; s < times.nanoseconds.size(); ++s) {
    const double first = 1000.0 * static_cast<double>(s) + 1;
    EXPECT_NEAR(times.nanoseconds[s], 1000 * (first + 499.5), 1e-6 * static_cast<double>(took));
  }
}

TEST_F(ChunksTest, WhatWasMeasuredLongAgoFades) {
  const Kernel force = clock->kernel("force");
  for (const std::int64_t factor : {9, 1})
    for (int step = 0; step < 30; ++step) {
      static_cast<void>(loop(force, 1000, 0, factor));
      clock->end_step();
    }
  const StretchTimes& times = clock->of_stretches()[0];
  EXPECT_EQ(times.all_steps, 60);
  EXPECT_NEAR(sum(times) / times.steps, 1000 * 1001 / 2, 1000);
  EXPECT_NEAR(times.all_nanoseconds / times.all_steps, 5 * 1000 * 1001 / 2, 1000);
}

// A loop that runs every few steps must count with its time per step, not per run.
TEST_F(ChunksTest, ThatRunNowAndThen) {
  const Kernel lists = clock->kernel("lists");
  for (int step = 1; step <= 40; ++step) {
    if (step % 10 == 0) static_cast<void>(loop(lists, 1000));
    clock->end_step();
  }
  const StretchTimes& times = clock->of_stretches()[0];
  EXPECT_NEAR(sum(times) / times.steps, 1000 * 1001 / 2 / 10, 1);
  EXPECT_NEAR(times.all_nanoseconds / times.all_steps, 1000 * 1001 / 2 / 10, 1);
  clock->forget_stretches();
  static_cast<void>(loop(lists, 1000));  // not in its period
  clock->end_step();
  EXPECT_NEAR(sum(times) / times.steps, 1000 * 1001 / 2 / 10, 1);
}

// Each chunk must take much longer than its timing.
TEST_F(ChunksTest, AreAsManyAsPay) {
  const Kernel force = clock->kernel("force");
  for (const std::int64_t objects : {10, 300, 1000, 100'000}) {
    static_cast<void>(loop(force, objects));
    clock->end_step();
    const std::int64_t all = loop(force, objects);
    clock->end_step();
    const auto count = static_cast<double>(force.chunks(objects).size());
    EXPECT_LE(count, std::max(1.0, static_cast<double>(all) / 20'000)) << objects;
    EXPECT_GE(count, std::min(128.0, static_cast<double>(all) / 40'001)) << objects;
    clock->end_step();
  }
}

TEST_F(ChunksTest, OfSeveralSetsAndThreads) {
  const Kernel force = clock->kernel("force"), push = clock->kernel("push");
  const std::int64_t first = loop(force, 100'000, 0), third = loop(force, 1000, 2),
                     other = loop(push, 500, 2);
  std::int64_t elsewhere = 0;
  std::thread([&] { elsewhere = loop(force, 1000, 2); }).join();
  clock->end_step();
  // A kernel counts its busiest thread, but stretches count all threads.
  EXPECT_EQ(clock->of_step(), (std::vector<std::int64_t>{first + third, other}));
  const auto& all = clock->of_stretches();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].set, 0);
  EXPECT_DOUBLE_EQ(sum(all[0]), static_cast<double>(first));
  EXPECT_EQ(all[1].set, 2);
  EXPECT_DOUBLE_EQ(sum(all[1]), static_cast<double>(third + elsewhere));
  EXPECT_EQ(all[2].set, 2);
  EXPECT_DOUBLE_EQ(sum(all[2]), static_cast<double>(other));
}

TEST_F(ChunksTest, RefuseWhatMakesNoSense) {
  const Kernel force = clock->kernel("force");
  EXPECT_ERROR(static_cast<void>(force.chunks(-1)), "0 or more");
  EXPECT_ERROR(static_cast<void>(force.chunks(5, -1)), "0 or more");
  EXPECT_EQ(loop(force, 5), 15);
  clock->end_step();
  EXPECT_EQ(clock->of_step(), std::vector<std::int64_t>{15});
}

// The cycle counter counts ticks, which are no nanoseconds.
TEST(Chunks, InNanosecondsByTheCycleCounter) {
  const std::shared_ptr<Clock> cycles = Clock::by_cycles();
  const Kernel force = cycles->kernel("force");
  for (const auto chunk : force.chunks(16)) {
    const auto timing = chunk.time();
    const std::int64_t began = wall_nanoseconds();
    while (wall_nanoseconds() - began < 20'000) continue;
  }
  cycles->end_step();
  const auto load = static_cast<double>(cycles->of_step()[0]);
  EXPECT_GE(load, 16 * 20'000 * 0.9);
  EXPECT_NEAR(cycles->of_stretches()[0].all_nanoseconds / load, 1, 1e-3);
}

}  // namespace
}  // namespace evenkeel::chunks_test
