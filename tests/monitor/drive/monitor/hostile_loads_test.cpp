// Ranks are slow, for a while or by far, in any unit of time, and some numbers are not finite. The
// decision must be right, and no rank may hang.

#include "monitor/drive/monitor/hostile.hpp"

namespace evenkeel::hostile_loads_test {
namespace {

using namespace test;

// --- A slow rank ---------------------------------------------------------------------------------

TEST_F(HostileTest, ASlowRankIsSeenAndOnceItIsCuredNothingMoreIsAdvised) {
  with_each_rank([&](int slow) {
    Monitor monitor(outer, by_cost());
    const Kernel force = monitor.kernel("force");
    bool cured = false;
    const Advised advised = watch(
        monitor, 400,
        [&](std::int64_t) {
          spend(force, (rank == slow && !cured ? 3 : 1) * millisecond, 4 * millisecond);
        },
        [&] {
          now += 5 * millisecond;
          monitor.rebalanced({.seconds = 0.005});
          cured = true;
        });
    ASSERT_EQ(advised.steps.size(), size > 1 ? 1U : 0U) << advised.text;
    if (size > 1) {
      EXPECT_LE(advised.steps[0], few_looks);
    }
    EXPECT_EQ(monitor.metrics().total.lambda, 1);
    monitor.finish();
  });
}

TEST_F(HostileTest, RanksThatBecomeSlowOneAfterTheOtherAreEachSeen) {
  Monitor monitor(outer, by_cost());
  const Kernel force = monitor.kernel("force");
  constexpr std::int64_t each = 100;  // steps
  int slow = 0;
  const Advised advised = watch(
      monitor, each * size,
      [&](std::int64_t step) {
        if (step % each == 0) slow = static_cast<int>(step / each);
        spend(force, (rank == slow ? 3 : 1) * millisecond, 4 * millisecond);
      },
      [&] {
        EXPECT_GT(monitor.metrics().total.lambda, 1.1);
        monitor.rebalanced({.seconds = 0.001});
        slow = -1;
      });
  EXPECT_EQ(advised.steps.size(), size > 1 ? static_cast<std::size_t>(size) : 0U) << advised.text;
  monitor.finish();
}

// The advice is not followed. An imbalance that has passed must no longer be a reason.
TEST_F(HostileTest, ARankThatIsSlowForAWhileIsNoReasonAfterwards) {
  with_each_rank([&](int slow) {
    for (const Options& options : {by_cost(), by_threshold()}) {
      Monitor monitor(outer, options);
      const Kernel force = monitor.kernel("force");
      constexpr std::int64_t over = 33;
      const Advised advised = watch(monitor, 300, [&](std::int64_t step) {
        spend(force, (rank == slow && step <= over ? 3 : 1) * millisecond, 4 * millisecond);
      });
      EXPECT_EQ(advised.steps.empty(), size == 1);
      if (size > 1) {
        EXPECT_LE(advised.steps.back(), over + longest_epoch + latency) << advised.text;
      }
      monitor.finish();
    }
  });
}

TEST_F(HostileTest, ARankThatIsAThousandOrAMillionTimesSlower) {
  with_each_rank([&](int slow) {
    for (const std::int64_t factor : {1000, 1'000'000}) {
      Monitor monitor(outer, by_cost());
      const Kernel force = monitor.kernel("force");
      bool cured = false;
      const Advised advised = watch(
          monitor, 200,
          [&](std::int64_t) {
            const std::int64_t work = (rank == slow && !cured ? factor : 1) * millisecond;
            spend(force, work, (cured ? 1 : factor) * millisecond);
          },
          [&] {
            monitor.rebalanced({.seconds = 1});
            cured = true;
          });
      ASSERT_EQ(advised.steps.size(), size > 1 ? 1U : 0U) << advised.text;
      if (size > 1) {
        EXPECT_LE(advised.steps[0], few_looks) << factor;
      }
      monitor.finish();
    }
  });
}

// --- Any unit of time ----------------------------------------------------------------------------

// The unit must not matter. A step may take one nanosecond or two weeks, and a clock may begin at
// the least possible number.
TEST_F(HostileTest, TheUnitOfTimeDoesNotMatter) {
  with_each_rank([&](int slow) {
    std::optional<Steps> expected;
    for (const std::int64_t unit :
         {std::int64_t{1}, microsecond, millisecond, hour, std::int64_t{1} << 50}) {
      now = beginning;
      Monitor monitor(outer, by_cost());
      const Kernel force = monitor.kernel("force");
      const Advised advised = watch(monitor, 50, [&](std::int64_t) {
        spend(force, (rank == slow ? 3 : 1) * unit, 3 * unit);
      });
      if (!expected) expected = advised.steps;
      EXPECT_EQ(advised.steps, *expected) << unit;
      EXPECT_EQ(advised.steps.empty(), size == 1);
      monitor.finish();
    }
  });
}

TEST_F(HostileTest, EvenLoadsOfAnyLengthAreLeftAlone) {
  for (const std::int64_t unit :
       {std::int64_t{1}, microsecond, millisecond, hour, std::int64_t{1} << 50}) {
    now = beginning;
    Monitor monitor(outer, by_cost());
    const Kernel force = monitor.kernel("force");
    const Advised advised = watch(monitor, 100, [&](std::int64_t) { spend(force, unit, unit); });
    EXPECT_EQ(advised.steps, Steps()) << unit;
    EXPECT_DOUBLE_EQ(monitor.metrics().total.greatest, static_cast<double>(unit) / 1e9);
    EXPECT_DOUBLE_EQ(monitor.metrics().total.least, static_cast<double>(unit) / 1e9);
    EXPECT_EQ(monitor.metrics().coverage, 1);
    monitor.finish();
  }
}

// --- Numbers that are not finite -----------------------------------------------------------------

TEST_F(HostileTest, CostsThatAreNoneOrEndless) {
  with_each_rank([&](int odd) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double endless = std::numeric_limits<double>::infinity();
    for (const double seconds : {nan, endless, -endless, -1.0, 1e300}) {
      Monitor monitor(outer, by_cost());
      const Kernel force = monitor.kernel("force");
      watch(monitor, 120, [&](std::int64_t step) {
        if (step % 20 == 5)
          for (int i = 0; i < 5; ++i)
            monitor.rebalanced({.bytes_moved = std::numeric_limits<std::int64_t>::max(),
                                .seconds = rank == odd ? seconds : 0.001});
        spend(force, (rank == 0 ? 3 : 1) * millisecond, 4 * millisecond);
      });
      EXPECT_EQ(monitor.generation(), 30);
      EXPECT_TRUE(test::same_everywhere(outer, monitor.saved_state()));
      EXPECT_EQ(monitor.saved_state().find("nan"), std::string::npos);
      EXPECT_EQ(monitor.saved_state().find("inf\n"), std::string::npos);
      monitor.finish();
      for (const std::string& cause : told("cause")) EXPECT_NE(cause, "unfit") << seconds;
    }
  });
}

TEST_F(HostileTest, WeightsThatAreNoneOrEndless) {
  with_each_rank([&](int odd) {
    const auto run = [&](double weight) {
      Options options = by_threshold();
      options.deterministic = true;
      Monitor monitor(outer, options);
      monitor.set_load(rank == odd ? weight : 1);
      const Advised advised = watch(monitor, 24, &nothing);
      monitor.finish();
      return advised.steps;
    };
    EXPECT_EQ(run(std::numeric_limits<double>::quiet_NaN()), Steps());
    EXPECT_EQ(run(-std::numeric_limits<double>::infinity()), Steps());
    EXPECT_EQ(run(std::numeric_limits<double>::infinity()), where_several({16, 24}));
    EXPECT_EQ(run(std::numeric_limits<double>::max()), where_several({16, 24}));
  });
}

TEST_F(HostileTest, CountsOfObjectsThatAreNone) {
  with_each_rank([&](int odd) {
    for (const std::int64_t objects : {std::int64_t{-1}, beginning, -(beginning + 1)}) {
      Monitor monitor(outer, watched(Custom{&test::always}));
      const Kernel force = monitor.kernel("force");
      Steps steps;
      while (monitor.steps() < 24) {
        spend(force, millisecond, millisecond);
        if (monitor.step(rank == odd ? objects : 7)) steps.push_back(monitor.steps());
      }
      EXPECT_EQ(steps, objects < 0 ? Steps() : Steps({16, 24})) << objects;
      monitor.finish();
    }
  });
}

}  // namespace
}  // namespace evenkeel::hostile_loads_test
