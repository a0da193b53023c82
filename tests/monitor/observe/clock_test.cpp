#include "support/harness.hpp"

#include "observe/clock.hpp"

#include <atomic>

namespace evenkeel::clock_test {
namespace {

// A clock whose time the test advances.
class ClockTest : public testing::Test {
 protected:
  static inline std::int64_t time = 1000;  // a clock function has no argument
  static std::int64_t now() noexcept { return time; }
  static void pass(std::int64_t nanoseconds) { time += nanoseconds; }
  static void run(const Kernel& kernel, std::int64_t nanoseconds) {
    const Timer timing = kernel.time();
    pass(nanoseconds);
  }

  void expect_step(std::int64_t duration, const std::vector<std::int64_t>& kernels,
                   bool fit = true) {
    const Clock::Step step = clock->end_step();
    EXPECT_EQ(step.duration, duration);
    EXPECT_EQ(step.load, std::accumulate(kernels.begin(), kernels.end(), std::int64_t{0}));
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
  run(force, 10);
  pass(4);
  expect_step(17, {10});
  pass(2);
  expect_step(2, {0});  // nothing of the previous step remains
}

TEST_F(ClockTest, ManyScopesAddUp) {
  const Kernel force = clock->kernel("force"), push = clock->kernel("push");
  for (int i = 1; i <= 4; ++i) {
    run(force, i);
    run(push, 100 * i);
  }
  expect_step(1010, {10, 1000});
}

TEST_F(ClockTest, AnInnerScopeInterruptsTheOuter) {
  const Kernel outer = clock->kernel("outer"), inner = clock->kernel("inner");
  {
    const Timer timing = outer.time();
    pass(5);
    run(inner, 70);
    pass(2);
  }
  pass(300);
  expect_step(377, {7, 70});
}

TEST_F(ClockTest, AnEmptyTimerMeasuresNothing) {
  clock->kernel("force");
  {
    Timer timing;
    pass(5);
    timing = Timer();
    timing.end();
    pass(2);
  }
  expect_step(7, {0});
}

TEST_F(ClockTest, ATimerMayLeaveItsScope) {
  const Kernel force = clock->kernel("force"), push = clock->kernel("push");
  const auto begun = [&](bool measures) { return measures ? force.time() : Timer(); };
  {
    Timer timing = begun(true);
    pass(10);
    Timer moved = std::move(timing);
    pass(20);
    moved.end();
    pass(400);
    const Timer none = begun(false);
    pass(5000);
  }
  expect_step(5430, {30, 0});
}

// The new scope begins before the old one ends.
TEST_F(ClockTest, ATimerMayGoFromKernelToKernel) {
  const Kernel force = clock->kernel("force"), push = clock->kernel("push");
  {
    Timer timing = force.time();
    pass(10);
    timing = push.time();
    pass(200);
    timing = force.time();
    pass(1);
  }
  pass(3000);
  expect_step(3211, {11, 200});
  run(push, 4);
  expect_step(4, {0, 4});
}

// Whichever timer ends first, open timers must continue.
TEST_F(ClockTest, TimersMayEndInAnyOrder) {
  const Kernel a = clock->kernel("a"), b = clock->kernel("b"), c = clock->kernel("c");
  Timer first = a.time();
  pass(1);
  Timer second = b.time();
  pass(20);
  Timer third = c.time();
  pass(300);
  first.end();
  pass(4000);
  third.end();
  pass(50000);
  second.end();
  pass(7);
  expect_step(54328, {1, 50020, 4300});
}

TEST_F(ClockTest, RecursionCountsOnce) {
  const Kernel tree = clock->kernel("tree");
  const Timer root = tree.time();
  pass(1);
  {
    const Timer node = tree.time();
    pass(20);
    run(tree, 300);
    pass(4000);
  }
  pass(50000);
  expect_step(54321, {54321});
}

// Each scope takes one nanosecond before its inner scope and ten after it.
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
    descend(kernels, 0, &pass);  // again from the start
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
  std::vector<std::int64_t> expected(102);
  expected[0] = 2;
  expected[1] = 430;
  expect_step(432, expected);
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
    run(kernel, 5);
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
  run(force, -20);
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
  run(force, 2);
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

TEST_F(ClockTest, TheSameNameWithOtherOptionsIsAnError) {
  static_cast<void>(clock->kernel("force", {.phase = 2, .every = 5}));
  static_cast<void>(clock->kernel("force", {.phase = 2, .every = 5}));
  for (const KernelOptions& other :
       {KernelOptions{}, KernelOptions{.phase = 2}, KernelOptions{.phase = 1, .every = 5}})
    EXPECT_ERROR(clock->kernel("force", other), "registered already, with other options");
  EXPECT_EQ(clock->names().size(), 1U);
  EXPECT_EQ(clock->options(), (std::vector<KernelOptions>{{.phase = 2, .every = 5}}));
}

TEST_F(ClockTest, RefusesOptionsThatMeanNothing) {
  EXPECT_ERROR(clock->kernel("force", {.phase = -1}), "'force' is in phase -1");
  EXPECT_ERROR(clock->kernel("force", {.phase = 8}), "numbered from 0 to 7");
  EXPECT_ERROR(clock->kernel("force", {.every = -1}), "runs every -1 steps");
  static_cast<void>(clock->kernel("force", {.phase = 7}));
  EXPECT_EQ(clock->names().size(), 1U);
}

// A clock that does not advance measures nothing, which is no error.
TEST_F(ClockTest, AClockThatStalls) {
  const Kernel force = clock->kernel("force");
  for (int i = 0; i < 10; ++i) const Timer timing = force.time();
  expect_step(0, {0});
}

TEST_F(ClockTest, ARingThatIsFullLosesNothing) {
  std::vector<Kernel> kernels;
  for (int k = 0; k < 100; ++k) kernels.push_back(clock->kernel(std::to_string(k)));
  for (int step = 0; step < 3; ++step) {
    std::vector<std::int64_t> expected(kernels.size());
    std::int64_t duration = 0;
    for (int i = 0; i < 5000; ++i) {
      const auto k = static_cast<std::size_t>(i * i) % kernels.size();
      run(kernels[k], i);
      expected[k] += i;
      duration += i;
    }
    expect_step(duration, expected);
    static_cast<void>(clock->kernel("late " + std::to_string(step)));
    kernels.push_back(clock->kernel("late " + std::to_string(step)));
  }
}

TEST_F(ClockTest, ClocksAreApart) {
  const auto other = Clock::make(&now);
  const Kernel here = clock->kernel("force"), there = other->kernel("force");
  {
    const Timer timing = here.time();
    pass(2);
    run(there, 30);
  }
  expect_step(32, {32});
  EXPECT_EQ(other->end_step().load, 30);
}

// Time passes nanosecond by nanosecond. Each must count for the innermost kernel alone.
TEST_F(ClockTest, RandomScopes) {
  std::mt19937 random(1);
  std::vector<Kernel> kernels;
  for (int k = 0; k < 5; ++k) kernels.push_back(clock->kernel(std::to_string(k)));
  std::vector<std::int64_t> expected(5);
  std::vector<std::size_t> running;
  std::vector<std::unique_ptr<Timer>> timers;
  std::int64_t duration = 0;
  for (int event = 0; event < 20000; ++event) {
    const unsigned kind = random() % 8;
    if (kind < 3 && running.size() < 60) {
      running.push_back(random() % 5);
      timers.emplace_back(new Timer(kernels[running.back()].time()));
    } else if (kind < 6 && !running.empty()) {
      running.pop_back();
      timers.pop_back();
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

// --- Threads -------------------------------------------------------------------------------------

// Runs the function in another thread, and waits for it.
void in_a_thread(const std::function<void()>& function) { std::thread(function).join(); }

TEST_F(ClockTest, AKernelCountsItsBusiestThread) {
  const Kernel force = clock->kernel("force"), push = clock->kernel("push");
  for (const int nanoseconds : {30, 50, 20})
    in_a_thread([&] {
      const Timer timing = force.time();
      pass(nanoseconds);
      run(push, 100 - nanoseconds);
    });
  run(force, 40);
  expect_step(340, {50, 80});
  expect_step(0, {0, 0});
}

TEST_F(ClockTest, AThreadMayEndBeforeTheStepAndTheClock) {
  const Kernel force = clock->kernel("force");
  for (int step = 0; step < 20; ++step) {
    in_a_thread([&] { run(force, step); });
    expect_step(step, {step});
  }
}

TEST_F(ClockTest, AnyThreadMayEndTheStep) {
  const Kernel force = clock->kernel("force");
  run(force, 3);
  in_a_thread([&] { expect_step(3, {3}); });
  {
    const Timer timing = force.time();
    pass(40);
    in_a_thread([&] { expect_step(40, {0}); });  // open in another thread: counts where it ends
  }
  expect_step(0, {40});
}

// Clocks are made and destroyed, probably at the same address, while this thread and others remain.
TEST_F(ClockTest, AThreadOutlivesItsClocks) {
  std::int64_t expected = 0;
  for (int i = 1; i <= 100; ++i) {
    const auto mine = Clock::make(&now);
    const Kernel force = mine->kernel("force");
    EXPECT_EQ(mine->end_step().load, 0);
    {
      const Timer timing = force.time();
      run(clock->kernel("kept"), i);
      expected += i;
    }
    run(force, 7);
    EXPECT_EQ(mine->end_step().load, i + 7);
  }
  expect_step(expected + 700, {expected});
}

// Every reading takes a nanosecond of the calling thread. So every scope takes a nanosecond.
std::int64_t counted_readings() noexcept {
  thread_local std::int64_t readings = 0;
  return ++readings;
}

TEST(Threads, NothingIsLostWhileStepsEnd) {
  const auto clock = Clock::make(&counted_readings);
  constexpr int threads = 3;
  constexpr std::int64_t scopes = test::is_sanitized ? 20000 : 200000;
  std::vector<Kernel> kernels;
  for (int t = 0; t < threads; ++t) kernels.push_back(clock->kernel(std::to_string(t)));
  std::atomic<int> done = 0;
  std::vector<std::thread> running;
  running.reserve(threads);
  for (std::size_t t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (std::int64_t i = 0; i < scopes; ++i) const Timer timing = kernels[t].time();
      ++done;
    });
  std::vector<std::int64_t> found(threads);
  int late = 0;
  for (bool more = true; more;) {
    more = done < threads;
    if (late < 50) static_cast<void>(clock->kernel("late " + std::to_string(late++)));
    EXPECT_TRUE(clock->end_step().fit);
    for (std::size_t t = 0; t < threads; ++t) found[t] += clock->of_step()[t];
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(found, std::vector<std::int64_t>(threads, scopes));
}

TEST(Threads, TheCpuTimeOfAnotherThreadSaysNothingOfTheStep) {
  const auto clock = Clock::make(&thread_cpu_nanoseconds);
  EXPECT_TRUE(clock->end_step().fit);
  in_a_thread([&] { EXPECT_FALSE(clock->end_step().fit); });
  EXPECT_FALSE(clock->end_step().fit);
  EXPECT_TRUE(clock->end_step().fit);
}

// The readings of real clocks are unknown, but kernels must fit into their step.
TEST(RealClock, KernelsFitIntoTheStep) {
  for (const auto& clock :
       {Clock::make(&wall_nanoseconds), Clock::make(&thread_cpu_nanoseconds), Clock::by_cycles()}) {
    const Kernel outer = clock->kernel("outer"), inner = clock->kernel("inner");
    for (int step = 0; step < 100; ++step) {
      const std::int64_t start = thread_cpu_nanoseconds();
      {
        const Timer timing = outer.time();
        const Timer interruption = inner.time();
        while (thread_cpu_nanoseconds() - start < 1000) continue;
      }
      const Clock::Step measured = clock->end_step();
      EXPECT_TRUE(measured.fit);
      EXPECT_LE(measured.load, measured.duration);
      EXPECT_EQ(measured.load, clock->of_step()[0] + clock->of_step()[1]);
      EXPECT_GE(measured.duration, 1000);
    }
  }
}

// From the start, the rate must be known to a hundredth. The longer the clock runs, the better it
// must be known.
TEST(RealClock, CyclesAreWallTime) {
  const auto clock = Clock::by_cycles();
  const Kernel force = clock->kernel("force");
  for (int step = 0; step < 5; ++step) {
    const std::int64_t begin = wall_nanoseconds();
    {
      const Timer timing = force.time();
      while (wall_nanoseconds() - begin < 2'000'000) continue;
    }
    const std::int64_t most = wall_nanoseconds() - begin;
    const std::int64_t load = clock->end_step().load;
    EXPECT_GE(load, 1'900'000);
    EXPECT_LE(static_cast<double>(load), 1.01 * static_cast<double>(most));
  }
}

}  // namespace
}  // namespace evenkeel::clock_test
