#include "support/harness.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/monitor/clock.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

// A clock whose time passes when the test says so.
class ClockTest : public testing::Test {
 protected:
  // What a Clock asks has no argument.
  static std::int64_t& time() noexcept {
    static std::int64_t nanoseconds = 1000;
    return nanoseconds;
  }
  static std::int64_t now() noexcept { return time(); }
  static void pass(std::int64_t nanoseconds) { time() += nanoseconds; }

  void expect_step(std::int64_t duration, const std::vector<std::int64_t>& kernels,
                   bool fit = true) {
    const Clock::Step step = clock->end_step();
    std::int64_t load = 0;
    for (const std::int64_t kernel : kernels) load += kernel;
    EXPECT_EQ(step.duration, duration);
    EXPECT_EQ(step.load, load);
    EXPECT_EQ(step.fit, fit);
    EXPECT_EQ(clock->of_step(), kernels);
  }

  std::shared_ptr<Clock> clock = Clock::make(&now);
};

TEST_F(ClockTest, WithoutKernels) {
  pass(5);
  expect_step(5, {});
  expect_step(0, {});
  pass(7);
  expect_step(7, {});
}

TEST_F(ClockTest, AScope) {
  const Kernel force = clock->kernel("force");
  pass(3);
  {
    const Timer timing = force.time();
    pass(10);
  }
  pass(4);
  expect_step(17, {10});
  pass(2);
  expect_step(2, {0});  // nothing of the step before is left
}

TEST_F(ClockTest, ManyScopesAddUp) {
  const Kernel force = clock->kernel("force"), push = clock->kernel("push");
  for (int i = 1; i <= 4; ++i) {
    {
      const Timer timing = force.time();
      pass(i);
    }
    const Timer timing = push.time();
    pass(100 * i);
  }
  expect_step(1010, {10, 1000});
}

TEST_F(ClockTest, AnInnerScopeInterruptsTheOuter) {
  const Kernel outer = clock->kernel("outer"), inner = clock->kernel("inner");
  {
    const Timer timing = outer.time();
    pass(5);
    {
      const Timer interruption = inner.time();
      pass(70);
    }
    pass(2);
  }
  pass(300);
  expect_step(377, {7, 70});
}

TEST_F(ClockTest, RecursionCountsOnce) {
  const Kernel tree = clock->kernel("tree");
  const Timer root = tree.time();
  pass(1);
  {
    const Timer node = tree.time();
    pass(20);
    {
      const Timer leaf = tree.time();
      pass(300);
    }
    pass(4000);
  }
  pass(50000);
  expect_step(54321, {54321});
}

// One nanosecond on the way down and ten on the way up, in each of the scopes.
void descend(const std::vector<Kernel>& kernels, std::size_t depth, void (*pass)(std::int64_t)) {
  if (depth == kernels.size()) return;
  const Timer timing = kernels[depth].time();
  pass(1);
  descend(kernels, depth + 1, pass);
  pass(10);
}

TEST_F(ClockTest, BeyondTheDeepestAllCountsForTheKernelThere) {
  constexpr std::size_t deepest = 64;
  for (const std::size_t depth : {deepest - 1, deepest, deepest + 1, 2 * deepest}) {
    clock = Clock::make(&now);
    std::vector<Kernel> kernels;
    std::vector<std::int64_t> expected;
    for (std::size_t k = 0; k < depth; ++k) {
      kernels.push_back(clock->kernel("kernel " + std::to_string(k)));
      expected.push_back(k < deepest ? 11 : 0);
    }
    if (depth > deepest) expected[deepest - 1] += 11 * static_cast<std::int64_t>(depth - deepest);
    descend(kernels, 0, &pass);
    pass(5);
    expect_step(11 * static_cast<std::int64_t>(depth) + 5, expected);
    descend(kernels, 0, &pass);  // and again from the surface
    expect_step(11 * static_cast<std::int64_t>(depth), expected);
  }
}

TEST_F(ClockTest, AStepMayEndInsideAScope) {
  const Kernel outer = clock->kernel("outer"), inner = clock->kernel("inner");
  std::optional<Kernel> late;
  {
    const Timer timing = outer.time();
    pass(4);
    {
      const Timer interruption = inner.time();
      pass(60);
      expect_step(64, {4, 60});
      pass(700);
    }
    expect_step(700, {0, 700});
    pass(8000);
    late = clock->kernel("late");
    expect_step(8000, {8000, 0, 0});
    pass(1);
  }
  pass(9);
  expect_step(10, {1, 0, 0});
}

TEST_F(ClockTest, AKernelMayBeRegisteredAtAnyTime) {
  const Kernel first = clock->kernel("first");
  {
    const Timer timing = first.time();
    pass(2);
    const Kernel second = clock->kernel("second");
    const Timer interruption = second.time();
    pass(30);
    for (int i = 0; i < 100; ++i) static_cast<void>(clock->kernel(std::to_string(i)));
    pass(400);
  }
  expect_step(432, [] {
    std::vector<std::int64_t> nanoseconds(102);
    nanoseconds[0] = 2;
    nanoseconds[1] = 430;
    return nanoseconds;
  }());
  static_cast<void>(clock->kernel("after the step"));
  EXPECT_EQ(clock->of_step().size(), 103U);
  EXPECT_EQ(clock->of_step()[1], 430);
  EXPECT_EQ(clock->of_step()[102], 0);
}

TEST_F(ClockTest, TheSameNameIsTheSameKernel) {
  const Kernel one = clock->kernel("force"), other = clock->kernel("push"),
               again = clock->kernel("force");
  const Kernel copy = again;
  for (const Kernel& kernel : {one, again, copy}) {
    EXPECT_EQ(kernel.name(), "force");
    const Timer timing = kernel.time();
    pass(5);
  }
  EXPECT_EQ(other.name(), "push");
  EXPECT_EQ(clock->names(), (std::vector<std::string>{"force", "push"}));
  expect_step(15, {15, 0});
}

TEST_F(ClockTest, RefusesWhatIsNoName) {
  static_cast<void>(clock->kernel("force"));
  for (const std::string& name : {std::string(), std::string("line\nfeed"), std::string("\ttab"),
                                  std::string("zero\0", 5), std::string("\x1F"), std::string("\r")})
    EXPECT_ERROR(clock->kernel(name), "A kernel has no name, or one with control characters");
  EXPECT_EQ(clock->names().size(), 1U);
  pass(3);
  expect_step(3, {0});
}

TEST_F(ClockTest, TakesAnyOtherName) {
  for (const std::string name : {" ", "a b", "\"quoted\"", "\xC3\xA4\xE2\x88\x91", "\x7F", "\xFF"})
    EXPECT_EQ(clock->kernel(name).name(), name);
  EXPECT_EQ(clock->names().size(), 6U);
}

TEST_F(ClockTest, AClockThatGoesBackwardsIsUnfitForTheStep) {
  const Kernel force = clock->kernel("force");
  {
    const Timer timing = force.time();
    pass(-20);
  }
  pass(50);
  expect_step(30, {0}, false);
  pass(1);
  expect_step(1, {0});
  pass(-1);
  expect_step(0, {0}, false);
  {
    const Timer timing = force.time();
    pass(6);
    const Timer again = force.time();
    pass(-100);
  }
  expect_step(0, {6}, false);
  {
    const Timer timing = force.time();
    pass(2);
  }
  expect_step(2, {2});
}

TEST_F(ClockTest, AnExceptionEndsTheScope) {
  const Kernel outer = clock->kernel("outer"), inner = clock->kernel("inner");
  const auto fail = [&] {
    const Timer timing = outer.time();
    pass(3);
    const Timer interruption = inner.time();
    pass(40);
    throw std::runtime_error("the application gives up");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  pass(500);
  expect_step(543, {3, 40});
}

TEST_F(ClockTest, AKernelKeepsItsClock) {
  const std::weak_ptr<Clock> watched = clock;
  {
    const Kernel force = clock->kernel("force");
    const Timer timing = force.time();
    pass(3);
    clock.reset();
    pass(40);
    const Kernel copy = force;
    EXPECT_FALSE(watched.expired());
    const Timer interruption = copy.time();
    EXPECT_EQ(copy.name(), "force");
    EXPECT_EQ(watched.lock()->end_step().load, 43);
  }
  EXPECT_TRUE(watched.expired());
}

TEST_F(ClockTest, ClocksAreApart) {
  const auto other = Clock::make(&now);
  const Kernel here = clock->kernel("force"), there = other->kernel("force");
  {
    const Timer timing = here.time();
    pass(2);
    const Timer elsewhere = there.time();
    pass(30);
  }
  expect_step(32, {32});
  EXPECT_EQ(other->end_step().load, 30);
}

// Time passes nanosecond by nanosecond, each for the innermost kernel alone.
TEST_F(ClockTest, RandomScopes) {
  std::mt19937 random(1);
  std::vector<Kernel> kernels;
  for (int k = 0; k < 5; ++k) kernels.push_back(clock->kernel(std::to_string(k)));
  std::vector<std::int64_t> expected(5);
  std::vector<std::size_t> running;
  std::int64_t duration = 0;
  for (int event = 0; event < 20000; ++event) {
    const unsigned kind = random() % 8;
    if (kind < 3 && running.size() < 60) {
      running.push_back(random() % 5);
      clock->begin(static_cast<int>(running.back()));
    } else if (kind < 6 && !running.empty()) {
      running.pop_back();
      clock->end();
    } else if (kind == 7 && random() % 8 == 0) {
      expect_step(duration, expected);
      expected.assign(5, 0);
      duration = 0;
    }
    for (auto ticks = random() % 4; ticks > 0; --ticks) {
      pass(1);
      ++duration;
      if (!running.empty()) ++expected[running.back()];
    }
  }
}

// What the system's clocks say is not known, but that kernels fit into their step is.
TEST(RealClock, KernelsFitIntoTheStep) {
  for (const Clock::Now now : {&wall_nanoseconds, &thread_cpu_nanoseconds}) {
    const auto clock = Clock::make(now);
    const Kernel outer = clock->kernel("outer"), inner = clock->kernel("inner");
    for (int step = 0; step < 100; ++step) {
      const std::int64_t start = now();
      {
        const Timer timing = outer.time();
        const Timer interruption = inner.time();
        while (now() == start) continue;
      }
      const Clock::Step measured = clock->end_step();
      EXPECT_TRUE(measured.fit);
      EXPECT_LE(measured.load, measured.duration);
      EXPECT_EQ(measured.load, clock->of_step()[0] + clock->of_step()[1]);
      EXPECT_GE(measured.duration, 1);
    }
  }
}

}  // namespace
}  // namespace evenkeel
