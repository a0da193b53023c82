// Clocks run backwards, leap, stop or show random values. Such values must not be trusted.

#include "monitor/drive/monitor/hostile.hpp"

namespace evenkeel::hostile_clocks_test {
namespace {

using namespace test;

// --- Wrong clocks --------------------------------------------------------------------------------

// Epochs end at 11, 19, 27 and 35.
TEST_F(HostileTest, AClockThatGoesBackOnceSpoilsOneLook) {
  with_each_rank([&](int odd) {
    for (const std::int64_t back : {std::int64_t{1}, millisecond, hour, std::int64_t{1} << 61})
      for (const std::int64_t at : {12, 15, 19}) {
        now = 0;
        const Advised advised = run_with_a_slow_rank(
            by_threshold(), odd == 0 ? size - 1 : 0,
            [&](std::int64_t step) { now -= step == at && rank == odd ? back : 0; });
        EXPECT_EQ(advised.steps, where_several({16, 32, 40})) << back << ' ' << at;
        const std::string usual = size > 1 ? "above_threshold" : "below_threshold";
        expect_told("cause", {usual, "unfit", usual, usual});
        if (rank == 0) {
          EXPECT_EQ(told("reason")[1],
                    "1 of " + std::to_string(size) + " ranks had no usable sample");
        }
      }
  });
}

TEST_F(HostileTest, AClockThatGoesBackInAKernelSpoilsOneLook) {
  with_each_rank([&](int odd) {
    Monitor monitor(outer, by_threshold());
    const Kernel force = monitor.kernel("force"), inner = monitor.kernel("inner");
    const Advised advised = watch(monitor, 40, [&](std::int64_t step) {
      const Timer timing = force.time();
      spend(inner, (rank == 0 ? 3 : 1) * millisecond, 4 * millisecond);
      if (rank == odd && step == 14) now -= hour;
      now += rank == 0 ? 2 * millisecond : 0;
    });
    EXPECT_EQ(advised.steps, where_several({16, 32, 40}));
    EXPECT_GT(monitor.metrics().total.least, 0.0009);
    monitor.finish();
  });
}

TEST_F(HostileTest, AClockThatGoesBackOftenIsNeverTrusted) {
  with_each_rank([&](int odd) {
    for (const Options& options : {by_cost(), by_threshold()})
      for (const std::int64_t back : {millisecond, hour, std::int64_t{1} << 60}) {
        now = 0;
        const Advised advised = run_with_a_slow_rank(options, 0, [&](std::int64_t step) {
          if (rank == odd && step % 5 == 0) now -= back;
          if (rank == odd && step % 5 == 2) now += back;
        });
        EXPECT_EQ(advised.steps, Steps());
        for (const std::string& cause : told("cause")) EXPECT_EQ(cause, "unfit");
      }
  });
}

// Now and then an hour passes in a single step, inside a kernel or between two kernels. No text may
// change.
TEST_F(HostileTest, AClockThatLeapsAnHourInSingleStepsChangesNothing) {
  with_each_rank([&](int odd) {
    for (const Options& options : {by_cost(), by_threshold()})
      for (const bool in_kernel : {true, false})
        for (const bool uneven : {true, false}) {
          const auto run = [&](std::int64_t leap) {
            now = 0;
            Monitor monitor(outer, options);
            const Kernel force = monitor.kernel("force");
            const Advised advised = watch(monitor, 100, [&](std::int64_t step) {
              const bool leaps = rank == odd && step % (longest_epoch + 1) == 5;
              const std::int64_t more = leaps && in_kernel ? leap : 0;
              spend(force, (uneven && rank == 0 ? 3 : 1) * millisecond + more,
                    4 * millisecond + (leaps ? leap : 0));
            });
            EXPECT_EQ(advised.steps.empty(), !uneven || size == 1) << advised.text;
            EXPECT_LT(monitor.metrics().total.greatest, 0.004);
            monitor.finish();
            return advised;
          };
          EXPECT_EQ(run(hour), run(0));
        }
  });
}

TEST_F(HostileTest, AClockThatStandsStillForAnEpochSpoilsOneLook) {
  with_each_rank([&](int odd) {
    std::int64_t stopped_at = 0;
    const auto stop = [&](std::int64_t step) {
      if (step == 12) stopped_at = now;
      if (rank == odd && step >= 12 && step <= 20) now = stopped_at;
    };
    Monitor monitor(outer, by_threshold());
    const Kernel force = monitor.kernel("force");
    const Advised advised = watch(monitor, 40, [&](std::int64_t step) {
      stop(step);
      const Timer timing = force.time();
      if (rank != odd || step < 12 || step > 19) now += (rank == 0 ? 3 : 1) * millisecond;
    });
    EXPECT_EQ(advised.steps, where_several({16, 32, 40}));
    monitor.finish();
    const std::string usual = size > 1 ? "above_threshold" : "below_threshold";
    expect_told("cause", {usual, "unfit", usual, usual});
  });
}

TEST_F(HostileTest, AClockThatStandsStillForEverIsNeverTrusted) {
  with_each_rank([&](int odd) {
    for (const Options& options : {by_cost(), by_threshold(), watched(Menon{})})
      for (const bool others_too : {true, false}) {
        Monitor monitor(outer, options);
        const Kernel force = monitor.kernel("force");
        const Advised advised = watch(monitor, 40, [&](std::int64_t) {
          const Timer timing = force.time();
          if (rank != odd && !others_too) now += (1 + rank) * millisecond;
        });
        EXPECT_EQ(advised.steps, Steps());
        monitor.finish();
        const std::string lost = others_too ? std::to_string(size) : "1";
        for (const std::string& reason : told("reason"))
          EXPECT_EQ(reason, lost + " of " + std::to_string(size) + " ranks had no usable sample");
      }
  });
}

// Clocks may show anything, with any effect. All ranks must get the same result.
TEST_F(HostileTest, ClocksThatSayAnythingLeadAllRanksToTheSame) {
  for (unsigned seed = 0; seed < 4; ++seed)
    for (const bool watcher : {true, false}) {
      std::mt19937_64 random(100 * seed + static_cast<unsigned>(rank));
      Options options = seed % 2 == 0 ? by_cost() : watched(Boulmier{});
      options.watcher = watcher;
      now = 0;
      Monitor monitor(outer, options);
      const std::array kernels = {monitor.kernel("a"), monitor.kernel("b", {.phase = 1}),
                                  monitor.kernel("c", {.every = 3})};
      watch(
          monitor, 500,
          [&](std::int64_t) {
            for (const Kernel& kernel : kernels) {
              const Timer timing = kernel.time();
              now += static_cast<std::int64_t>(random() >> (24 + random() % 40));
              if (random() % 100 == 0) now -= static_cast<std::int64_t>(random() >> 30U);
            }
          },
          [&] { monitor.rebalanced({.seconds = 1e-9 * static_cast<double>(random() >> 40U)}); });
      EXPECT_TRUE(test::same_everywhere(outer, monitor.saved_state()));
      EXPECT_NO_THROW(monitor.finish());
    }
}

// The clock shows any number between the least and the greatest.
TEST_F(HostileTest, AClockThatSaysAnyNumberAtAllIsNeverTrusted) {
  with_each_rank([&](int odd) {
    for (const Options& options : {by_cost(), by_threshold()}) {
      std::mt19937_64 random(7);
      const Advised advised = run_with_a_slow_rank(options, 0, [&](std::int64_t step) {
        if (rank != odd) return;
        now = static_cast<std::int64_t>(random()) / 2;
        if (step % 3 == 1) now = beginning;
        if (step % 3 == 2) now = -(beginning + 1) - hour;
      });
      EXPECT_EQ(advised.steps, Steps());
      for (const std::string& cause : told("cause")) EXPECT_EQ(cause, "unfit");
    }
  });
}

// Ranks may have different clocks, and some may have no clock of their own.
TEST_F(HostileTest, AClockOfOnesOwnOnOneRankAlone) {
  with_each_rank([&](int odd) {
    Options options = watched(Never{});
    if (rank != odd) options.own_clock = nullptr;
    Monitor monitor(outer, options);
    const Kernel force = monitor.kernel("force");
    watch(monitor, 20, [&](std::int64_t) { spend(force, hour, hour); });
    EXPECT_EQ(monitor.load_nanoseconds() == hour, rank == odd);
    monitor.finish();
  });
}

// The same clock must also time the rebuilding of the application after a rebalance.
TEST_F(HostileTest, WhatARebalanceCostsIsExact) {
  for (const bool in_ledger : {true, false}) {
    Monitor monitor(outer, by_cost());
    const Kernel force = monitor.kernel("force");
    watch(monitor, 40, [&](std::int64_t step) {
      if (step == 21) {
        now += 40 * millisecond;
        monitor.rebalanced({.seconds = in_ledger ? 0.04 : 0.0});
        now += (rank + 1) * millisecond;  // rebuilds, in the next step
      }
      spend(force, millisecond, 2 * millisecond);
    });
    const std::string saved = monitor.saved_state();
    EXPECT_EQ(number_in(saved, "ledger_spent"), in_ledger ? 40e6 : 0);
    EXPECT_EQ(number_in(saved, "ledger_rebuilt"), 1e6) << "what a rank took longer, it has waited";
    monitor.finish();
  }
}

// Each rank notes half of the time that it needs. The slowest rank's note counts.
TEST_F(HostileTest, WhatIsNotedIsNoRebuildAsWell) {
  Monitor monitor(outer, by_cost());
  const Kernel force = monitor.kernel("force");
  EXPECT_ERROR(monitor.note_cost(1), "note_cost was called without a rebalance");
  watch(monitor, 40, [&](std::int64_t step) {
    if (step == 21) {
      monitor.rebalanced();
      now += (rank + 1) * millisecond;
      monitor.note_cost(0.5e-3 * (rank + 1));
    }
    spend(force, millisecond, 2 * millisecond);
  });
  EXPECT_EQ(number_in(monitor.saved_state(), "ledger_rebuilt"), 0.5e6 * size + 0.5e6);
  monitor.finish();
}

}  // namespace
}  // namespace evenkeel::hostile_clocks_test
