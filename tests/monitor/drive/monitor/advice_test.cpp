#include "monitor/drive/monitor/watching.hpp"

namespace evenkeel::advice_test {
namespace {

using namespace test;

// --- The time of an advice -----------------------------------------------------------------------

TEST_F(MonitorTest, AdvisesWhereTheThresholdIsReached) {
  Monitor monitor = uneven(exact(Threshold{.lambda = 1.5}));
  EXPECT_EQ(advised(monitor, 40), where_several(usual_advice)) << "and again if it is not taken";
  Monitor below = uneven(exact(Threshold{.lambda = std::nextafter(1.5, 2.0)}));
  EXPECT_EQ(advised(below, 40), Steps());
  Monitor percent = uneven(exact(Threshold{.imbalance_percent = 41}));
  EXPECT_EQ(advised(percent, 40), where_several(usual_advice));
  for (Monitor* each : {&monitor, &below, &percent}) each->finish();
}

TEST_F(MonitorTest, SaysWhy) {
  Monitor monitor = uneven(exact(Threshold{.lambda = 1.25}));
  for (int step = 1; step < 16; ++step) EXPECT_EQ(monitor.step().reason, "");
  const Advice advice = monitor.step();
  if (size > 1) {
    EXPECT_MENTIONS(advice.reason, "lambda 1.50 (imbalance ");
    EXPECT_MENTIONS(advice.reason, " %) is above the threshold of 1.25");
  }
  monitor.finish();
}

TEST_F(MonitorTest, LooksAfterTheWarmUpAndThenOncePerEpoch) {
  for (const int warmup : {0, 1, 3, 11})
    for (const int epoch : {6, 7, 8, 20}) {
      Options options = exact(Custom{&always});
      options.warmup_steps = warmup;
      options.epoch_steps = epoch;
      Monitor monitor = uneven(options);
      Steps expected;
      for (std::int64_t end = warmup + epoch; end + latency <= 100; end += epoch)
        expected.push_back(end + latency);
      EXPECT_EQ(advised(monitor, 100), expected) << warmup << ' ' << epoch;
      monitor.finish();
    }
}

// --- Steps that may not move anything ------------------------------------------------------------

TEST_F(MonitorTest, AdviceWaitsForAStepThatMayMove) {
  for (const std::int64_t period : {1, 5, 16, 20, 37}) {
    Monitor monitor = uneven(exact(Threshold{.lambda = 1.5}));
    Steps steps;
    for (std::int64_t step = 1; step <= 120; ++step) {
      const bool may_move = step % period == 0;
      if (!monitor.step(0, {.may_move = may_move})) continue;
      EXPECT_TRUE(may_move) << step;
      steps.push_back(step);
    }
    EXPECT_EQ(steps.empty(), size == 1);
    if (!steps.empty()) {
      EXPECT_EQ(steps.front(), (usual_advice.front() + period - 1) / period * period);
      EXPECT_EQ(steps.size(), period < 8 ? 14U : (120 - steps.front()) / period + 1U) << period;
    }
    monitor.finish();
  }
}

TEST_F(MonitorTest, AdviceThatWaitsIsForgottenAfterARebalance) {
  Monitor monitor = uneven(exact(Threshold{.lambda = 1.5}));
  for (int step = 1; step <= 18; ++step) EXPECT_FALSE(monitor.step(0, {.may_move = false}));
  monitor.rebalanced();
  for (int step = 19; step <= 24; ++step) EXPECT_FALSE(monitor.step());
  monitor.finish();
}

TEST_F(MonitorTest, FixedStepsWaitToo) {
  Monitor monitor(outer, exact(Every{.start = 7, .period = 7}));
  Steps steps;
  for (std::int64_t step = 1; step <= 60; ++step) {
    if (!monitor.step(0, {.may_move = step % 10 == 0})) continue;
    steps.push_back(step);
    monitor.rebalanced();
  }
  EXPECT_EQ(steps, (Steps{10, 20, 30, 40, 50, 60}));
  monitor.finish();
}

TEST_F(MonitorTest, SaysBeforehandWhichStepLooks) {
  Monitor monitor = uneven(exact(Never{}));
  Steps looking;
  for (int step = 1; step <= 60; ++step) {
    if (monitor.next_step_looks()) looking.push_back(step);
    monitor.step();
    if (step == 30) monitor.rebalanced();
  }
  EXPECT_EQ(looking, (Steps{11, 19, 27, 39, 47, 55}));
  monitor.finish();
}

TEST_F(MonitorTest, TheLoadIsThatOfTheStepThatLooks) {
  Monitor monitor(outer, exact(Threshold{.lambda = 1.5}));
  Steps steps;
  for (int step = 1; step <= 40; ++step) {
    const bool heavy = step == 19 || step == 35;
    monitor.set_load(heavy ? uneven_load() : 2);
    if (monitor.step()) steps.push_back(step);
  }
  EXPECT_EQ(steps, where_several({24, 40}));
  monitor.finish();
}

TEST_F(MonitorTest, EvenLoadsAreLeftAlone) {
  Monitor monitor(outer, exact(Threshold{.lambda = 1.0000001}));
  monitor.set_load(7.25);
  EXPECT_EQ(advised(monitor, 60), Steps());
  monitor.finish();
}

TEST_F(MonitorTest, TheFloor) {
  Options options = exact(Threshold{.lambda = 1.01});
  options.floor_percent = 70;  // imbalance: 66.7 % on two ranks, less on more
  Monitor low = uneven(options);
  EXPECT_EQ(advised(low, 40), Steps());
  options.floor_percent = 40;  // 41.7 % on five ranks
  Monitor high = uneven(options);
  EXPECT_EQ(advised(high, 40), where_several(usual_advice));
  low.finish();
  high.finish();
}

TEST_F(MonitorTest, EveryAdvisesAtItsSteps) {
  Options options = exact(Every{.start = 5, .stop = 20, .period = 5});
  options.cooldown_steps = 100;
  Monitor monitor(outer, options);
  EXPECT_EQ(advised(monitor, 40, [&] { monitor.rebalanced(); }), (Steps{5, 10, 15, 20}));
  EXPECT_EQ(monitor.generation(), 4);
  Monitor each(outer, exact(Every{}));
  EXPECT_EQ(advised(each, 7), (Steps{1, 2, 3, 4, 5, 6, 7}));
  monitor.finish();
  each.finish();
}

TEST_F(MonitorTest, NeverNeverAdvises) {
  Monitor monitor = uneven(exact(Never{}));
  EXPECT_EQ(advised(monitor, 60), Steps());
  monitor.finish();
}

// The custom rule gets the number of earlier looks, and accepts every other one.
TEST_F(MonitorTest, ARuleOfOnesOwn) {
  Monitor monitor(
      outer,
      exact(Custom{[](const LoadView& load) { return load.looks % 2 == 1 && load.steps == 8; }}));
  monitor.set_load(1);
  EXPECT_EQ(advised(monitor, 60), (Steps{24, 40, 56}));
  monitor.finish();
}

TEST_F(MonitorTest, NoLoadIsNoReason) {
  Monitor monitor(outer, exact(Custom{&always}));
  EXPECT_EQ(advised(monitor, 40), Steps());
  monitor.set_load(rank == size - 1 ? 1e-6 : 0);
  EXPECT_EQ(advised(monitor, 56), (Steps{48, 56})) << "a nanosecond on one rank is a load";
  monitor.finish();
}

TEST_F(MonitorTest, ALoadThatIsNoneIsNotTrusted) {
  for (int odd = 0; odd < size; ++odd) {
    Monitor monitor(outer, exact(Custom{&always}));
    monitor.set_load(rank == odd ? -1 : 1);
    EXPECT_EQ(advised(monitor, 26), Steps());
    monitor.set_load(1);
    EXPECT_EQ(advised(monitor, 40), (Steps{32, 40}));
    monitor.finish();
  }
}

// --- After a rebalance ---------------------------------------------------------------------------

TEST_F(MonitorTest, ARebalanceStartsANewEpochAndTheCoolDown) {
  // One step settles, eight steps are measured, and five more pass until all ranks agree.
  const std::vector<std::pair<int, std::int64_t>> cases = {
      {0, 14}, {9, 14}, {10, 22}, {17, 22}, {18, 30}};
  for (const auto& [cooldown, pause] : cases) {
    Options options = exact(Custom{&always});
    options.cooldown_steps = cooldown;
    Monitor monitor = uneven(options);
    EXPECT_EQ(advised(monitor, 16 + 2 * pause, [&] { monitor.rebalanced(); }),
              (Steps{16, 16 + pause, 16 + 2 * pause}));
    EXPECT_EQ(monitor.generation(), 3);
    monitor.finish();
  }
}

TEST_F(MonitorTest, ARebalanceThatMovedNothingStartsTheCoolDownAlone) {
  Options options = exact(Custom{&always});
  options.cooldown_steps = 10;
  Monitor monitor = uneven(options);
  // Epochs end at 11, 19, 27, ... The first end at least 11 steps after the rebalance at 16 is at
  // 27.
  EXPECT_EQ(advised(monitor, 50, [&] { monitor.rebalanced({.moved = false}); }),
            (Steps{16, 32, 48}));
  EXPECT_EQ(monitor.generation(), 0);
  monitor.finish();
}

// Earlier measurements must no longer count, however far the ranks are in agreeing on them.
TEST_F(MonitorTest, ARebalanceDropsTheLookUnderWay) {
  for (const bool watcher : {true, false})
    for (std::int64_t at = 8; at < 16; ++at) {
      Options options = exact(Custom{&always});
      options.watcher = watcher;
      Monitor monitor = uneven(options);
      EXPECT_EQ(advised(monitor, at), Steps());
      monitor.rebalanced();
      EXPECT_EQ(monitor.generation(), 1);
      EXPECT_EQ(advised(monitor, at + 22), (Steps{at + 14, at + 22})) << at;
      monitor.finish();
    }
}

TEST_F(MonitorTest, ARebalanceBeforeTheFirstStep) {
  for (const int warmup : {0, 3}) {
    Options options = exact(Custom{&always});
    options.warmup_steps = warmup;
    Monitor monitor = uneven(options);
    monitor.rebalanced();
    EXPECT_EQ(monitor.generation(), 1);
    EXPECT_EQ(monitor.steps(), 0);
    const std::int64_t first = std::max(warmup, 1) + 8 + latency;
    EXPECT_EQ(advised(monitor, first + 8), (Steps{first, first + 8}));
    monitor.finish();
  }
}

// --- Measurements --------------------------------------------------------------------------------

TEST_F(MeasuredTest, TheLoadSinceTheRebalance) {
  Monitor monitor(outer, measured(Never{}));
  const Kernel force = monitor.kernel("force");
  const auto load_after = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      {
        const Timer timing = force.time();
        work();
      }
      monitor.step();
    }
    return monitor.load_nanoseconds();
  };
  EXPECT_EQ(load_after(3), 0) << "in the warm-up";
  EXPECT_GE(load_after(1), 1000);
  EXPECT_GE(load_after(20), 1000);
  monitor.rebalanced();
  EXPECT_EQ(monitor.load_nanoseconds(), 0);
  EXPECT_EQ(load_after(1), 0) << "while the rebalance settles";
  EXPECT_GE(load_after(1), 1000);
  monitor.rebalanced({.moved = false});
  EXPECT_GE(monitor.load_nanoseconds(), 1000);
  monitor.finish();
}

TEST_F(MeasuredTest, ARankWithoutWorkHasNoLoad) {
  Monitor monitor(outer, measured(Threshold{.imbalance_percent = 99}));
  std::optional<Kernel> force;
  if (rank == size - 1) force = monitor.kernel("force");
  Steps advice;
  for (int step = 1; step <= 40; ++step) {
    if (force) {
      const Timer timing = force->time();
      work();
    }
    if (monitor.step()) advice.push_back(step);
  }
  EXPECT_EQ(advice, where_several(usual_advice));
  monitor.finish();
}

TEST_F(MeasuredTest, WarmUpAndSettlingStepsAreNotMeasured) {
  Monitor monitor(outer, measured(Custom{&always}));
  const Kernel force = monitor.kernel("force");
  Steps advice;
  for (int step = 1; step <= 60; ++step) {
    // Kernels run in the warm-up, in the step that settles the rebalance, and in one ordinary step.
    if (step <= 3 || step == 31 || step == 48) {
      const Timer timing = force.time();
      work();
    }
    if (monitor.step()) advice.push_back(step);
    if (step == 30) monitor.rebalanced();
  }
  EXPECT_EQ(advice, Steps{60}) << "of the epoch from 48 to 55";
  monitor.finish();
}

TEST_F(MeasuredTest, TheLeastCoverage) {
  for (const double least : {0.0, 1e-12, 1.0}) {
    Options options = measured(Custom{&always});
    options.least_coverage = least;
    Monitor monitor(outer, options);
    const Kernel force = monitor.kernel("force");
    Steps advice;
    for (int step = 1; step <= 40; ++step) {
      {
        const Timer timing = force.time();
        work();
      }
      work();  // outside of kernels
      if (monitor.step()) advice.push_back(step);
    }
    EXPECT_EQ(advice, least == 1.0 ? Steps() : usual_advice);
    monitor.finish();
  }
}

TEST_F(MonitorTest, DoesNotKnowObjectsThatHaveChanged) {
  Monitor monitor = even(exact(Never{}));
  EXPECT_ERROR(
      monitor.step(5, {.changed = true}),
      "monitor: step got .changed, but no objects whose load could be predicted. Leave out "
      ".changed: the next look measures the new load. Only facades that know the objects "
      "predict it.");
  EXPECT_EQ(monitor.steps(), 0);
  monitor.finish();
}

TEST_F(MeasuredTest, AnyClockMeasures) {
  for (const ClockKind clock : {ClockKind::automatic, ClockKind::wall, ClockKind::thread_cpu}) {
    Options options = measured(Never{});
    options.clock = clock;
    options.warmup_steps = 0;
    Monitor monitor(outer, options);
    const Kernel force = monitor.kernel("force");
    {
      const Timer timing = force.time();
      const std::int64_t start = thread_cpu_nanoseconds();
      while (thread_cpu_nanoseconds() - start < 1000) continue;
    }
    monitor.step();
    EXPECT_GE(monitor.load_nanoseconds(), 1000);
    monitor.finish();
  }
}

TEST_F(MeasuredTest, TheLongestWarmUp) {
  Options options = measured(Custom{&always});
  options.warmup_steps = std::numeric_limits<int>::max();
  Monitor monitor(outer, options);
  const Kernel force = monitor.kernel("force");
  for (int step = 1; step <= 20; ++step) {
    EXPECT_FALSE(monitor.next_step_looks());
    const Timer timing = force.time();
    work();
    EXPECT_FALSE(monitor.step());
  }
  EXPECT_EQ(monitor.load_nanoseconds(), 0);
  monitor.finish();
}

}  // namespace
}  // namespace evenkeel::advice_test
