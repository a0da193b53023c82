// Runs that nobody wishes for: ranks that are slow, clocks that lie, kernels that differ,
// exceptions in timed scopes, ranks that do not count alike. The decision is right, or all ranks
// get the same Error, and none hangs. Each rank has a clock of its own, in which time passes where
// the test says so: runs are exact, and can be repeated.

#include "monitor/monitor/watching.hpp"
#include "support/scratch.hpp"

#include <evenkeel/backends/config.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace evenkeel {
namespace {

using test::latency;
using test::MonitorTest;
using test::Steps;
using test::usual_advice;

constexpr std::int64_t microsecond = 1000, millisecond = 1'000'000;
constexpr std::int64_t hour = 3'600'000 * millisecond;
constexpr std::int64_t beginning = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t longest_epoch = 10;
constexpr std::int64_t few_looks = 3 + 3 * longest_epoch + latency;  // three, after the warm-up

// Each thread's own: a rank steps on its main thread.
thread_local std::int64_t now = 0;
std::int64_t own_time() noexcept { return now; }

class HostileTest : public MonitorTest {
 protected:
  HostileTest() { now = 0; }

  test::ScratchDirectory scratch;
  const std::string journal = scratch.path_of("journal");

  Options watched(const Trigger& trigger) const {
    Options options;
    options.trigger = trigger;
    options.cooldown_steps = 0;
    options.floor_percent = 0;
    options.own_clock = &own_time;
    options.log = LogLevel::off;
    options.journal = journal;
    return options;
  }
  Options by_cost() const { return watched(CostAware{}); }
  Options by_threshold() const { return watched(Threshold{.lambda = 1.2}); }

  // One after the other is the odd one.
  template <class Test>
  void with_each_rank(Test&& run) const {
    for (int odd = 0; odd < size; ++odd) {
      SCOPED_TRACE("odd rank " + std::to_string(odd));
      now = 0;
      run(odd);
    }
  }

  // What has been advised, the same on all ranks.
  struct Advised {
    Steps steps;
    std::string text;  // with the reasons
    friend bool operator==(const Advised&, const Advised&) = default;
  };

  using Work = std::function<void(std::int64_t step)>;
  using Taken = std::function<void()>;

  // Up to step `last`.
  Advised watch(
      Monitor& monitor, std::int64_t last, const Work& work, const Taken& on_advice = [] {}) const {
    Advised advised;
    while (monitor.steps() < last) {
      work(monitor.steps() + 1);
      const Advice advice = monitor.step();
      if (!advice) continue;
      advised.steps.push_back(monitor.steps());
      advised.text += std::to_string(monitor.steps()) + ": " + advice.reason + '\n';
      on_advice();
    }
    EXPECT_TRUE(test::same_everywhere(outer, advised.text));
    return advised;
  }

  // A rank works so long and then waits for the slowest, in a step that takes `longest`.
  static void spend(const Kernel& kernel, std::int64_t work, std::int64_t longest) {
    {
      const Timer timing = kernel.time();
      now += work;
    }
    now += longest - work;
  }

  // A run of its own: work in one kernel, three times as much on one rank.
  Advised run_with_a_slow_rank(const Options& options, int slow, const Work& before_work,
                               std::int64_t last = 40) const {
    Monitor monitor(outer, options);
    const Kernel force = monitor.kernel("force");
    const Advised advised = watch(monitor, last, [&](std::int64_t step) {
      before_work(step);
      spend(force, (rank == slow ? 3 : 1) * millisecond, 4 * millisecond);
    });
    monitor.finish();
    return advised;
  }
  static void nothing(std::int64_t) {}

  // Of a state that was saved.
  static double number_in(const std::string& saved, const std::string& key) {
    const std::size_t at = saved.find('\n' + key + " = ");
    return at == std::string::npos ? -1 : std::stod(saved.substr(at + key.size() + 4));
  }

  // What the journal says of all looks, on rank 0: "cause" of each, or "reason".
  std::vector<std::string> told(const std::string& key) const {
    std::vector<std::string> all;
    const std::string text = rank == 0 ? test::content_of(journal) : "";
    const std::string quoted = '"' + key + "\":\"";
    for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at)) {
      at += quoted.size();
      all.push_back(text.substr(at, text.find('"', at) - at));
    }
    return all;
  }
  void expect_told(const std::string& key, const std::vector<std::string>& expected) const {
    if (rank == 0) {
      EXPECT_EQ(told(key), expected);
    }
  }
};

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

// Nobody takes the advice; what is over is no reason any more.
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

// Nothing depends on the unit: one nanosecond or two weeks in a step, and a clock that begins at
// the least number that there is.
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

// --- Clocks that lie -----------------------------------------------------------------------------

// The epochs end at 11, 19, 27 and 35.
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
                    "ranks without a sample to trust: 1 of " + std::to_string(size));
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

// An hour passes in a step now and then, in a kernel or between two: it changes not a word.
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
          EXPECT_EQ(reason,
                    "ranks without a sample to trust: " + lost + " of " + std::to_string(size));
      }
  });
}

// Whatever clocks say, and whatever comes of it: all ranks say the same.
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

// Any number at all, from the least to the greatest.
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

// The ranks need not have the same clock, or one of their own at all.
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

// What the application rebuilds after a rebalance is timed by that clock too.
TEST_F(HostileTest, WhatARebalanceCostsIsExact) {
  for (const bool in_ledger : {true, false}) {
    Monitor monitor(outer, by_cost());
    const Kernel force = monitor.kernel("force");
    watch(monitor, 40, [&](std::int64_t step) {
      if (step == 21) {
        now += 40 * millisecond;
        monitor.rebalanced({.seconds = in_ledger ? 0.04 : 0.0});
        now += (rank + 1) * millisecond;  // rebuilds, in the step after it
      }
      spend(force, millisecond, 2 * millisecond);
    });
    const std::string saved = monitor.saved_state();
    const std::int64_t expected = ((in_ledger ? 40 : 0) + size) * millisecond;
    EXPECT_EQ(number_in(saved, "ledger_spent"), static_cast<double>(expected));
    monitor.finish();
  }
}

// --- Numbers that are none -----------------------------------------------------------------------

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

// --- Kernels that differ -------------------------------------------------------------------------

TEST_F(HostileTest, ARankThatSkipsAKernelCountsNothingForIt) {
  with_each_rank([&](int odd) {
    for (const bool knows_it : {true, false}) {
      Monitor monitor(outer, by_threshold());
      const Kernel common = monitor.kernel("common");
      std::optional<Kernel> other;
      if (knows_it || rank != odd) other = monitor.kernel("other");
      const Advised advised = watch(monitor, 32, [&](std::int64_t) {
        spend(common, millisecond, millisecond);
        if (rank != odd) spend(*other, 4 * millisecond, 4 * millisecond);
      });
      const auto ranks = static_cast<double>(size);
      const Metrics& seen = monitor.metrics();
      ASSERT_EQ(seen.kernels.size(), knows_it || size > 1 ? 2U : 1U);
      EXPECT_DOUBLE_EQ(seen.total.least, 0.001);
      EXPECT_DOUBLE_EQ(seen.total.greatest, size > 1 ? 0.005 : 0.001);
      EXPECT_DOUBLE_EQ(seen.kernels[0].figures.least, 0.001);
      EXPECT_DOUBLE_EQ(seen.kernels[0].figures.greatest, 0.001);
      if (size > 1) {
        EXPECT_EQ(seen.kernels[1].name, "other");
        EXPECT_EQ(seen.kernels[1].figures.least, 0);
        EXPECT_DOUBLE_EQ(seen.kernels[1].figures.average, 0.004 * (ranks - 1) / ranks);
        EXPECT_DOUBLE_EQ(seen.kernels[1].figures.greatest, 0.004);
      }
      // 5 / (1 + 4 (n - 1) / n)
      EXPECT_EQ(advised.steps, size == 2 || size == 3 ? Steps({16, 24, 32}) : Steps());
      monitor.finish();
    }
  });
}

TEST_F(HostileTest, ARankThatRunsNoKernelAtAllHasNoLoad) {
  with_each_rank([&](int odd) {
    for (const bool knows_it : {true, false}) {
      Monitor monitor(outer, by_cost());
      std::optional<Kernel> force;
      if (knows_it || rank != odd) force = monitor.kernel("force");
      const Advised advised = watch(monitor, 60, [&](std::int64_t) {
        if (rank != odd) spend(*force, millisecond, millisecond);
        now += millisecond;
      });
      EXPECT_EQ(advised.steps.empty(), size == 1);
      EXPECT_EQ(monitor.metrics().total.least, 0);
      monitor.finish();
      if (size > 1) continue;
      for (const std::string& cause : told("cause")) EXPECT_EQ(cause, "no_load");
    }
  });
}

// A look whose epoch ended before the kernel ran knows nothing of it.
TEST_F(HostileTest, AKernelThatOneRankRegistersLate) {
  with_each_rank([&](int odd) {
    for (std::int64_t at = 9; at <= 21; ++at) {
      Monitor monitor(outer, by_threshold());
      const Kernel force = monitor.kernel("force");
      std::optional<Kernel> late;
      const Advised advised = watch(monitor, 40, [&](std::int64_t step) {
        if (step == at && rank == odd) late = monitor.kernel("a late one");
        spend(force, millisecond, millisecond);
        if (late) spend(*late, 100 * millisecond, 100 * millisecond);
      });
      Steps expected;
      std::copy_if(usual_advice.begin(), usual_advice.end(), std::back_inserter(expected),
                   [&](std::int64_t step) { return step - latency >= at; });
      EXPECT_EQ(advised.steps, where_several(expected)) << at;
      ASSERT_EQ(monitor.metrics().kernels.size(), 2U);
      EXPECT_EQ(monitor.metrics().kernels[0].name, "a late one");
      EXPECT_DOUBLE_EQ(monitor.metrics().kernels[0].figures.greatest, 0.1);
      EXPECT_DOUBLE_EQ(monitor.metrics().kernels[1].figures.average, 0.001);
      monitor.finish();
    }
  });
}

// A hundred, of which each rank leaves out some, in any order: no time gets lost, and none comes to
// another's name.
TEST_F(HostileTest, AHundredKernelsInAnyOrder) {
  constexpr std::int64_t count = 100;
  const auto name = [](std::int64_t k) { return std::to_string(1000 + k); };
  const auto runs_on = [](int on, std::int64_t k) { return k % (on + 2) != 0; };
  Monitor monitor(outer, by_threshold());
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(rank)));
  std::vector<std::pair<std::int64_t, Kernel>> kernels;
  for (const std::int64_t k : order)
    if (runs_on(rank, k)) kernels.emplace_back(k, monitor.kernel(name(k)));
  watch(monitor, 26, [&](std::int64_t) {
    for (const auto& [k, kernel] : kernels) spend(kernel, 1000 * k, 1000 * k);
  });

  std::vector<Tally> expected;
  std::vector<std::string> names;
  std::vector<std::int64_t> other(static_cast<std::size_t>(size));
  for (std::int64_t k = 0; k < count; ++k) {
    std::vector<std::int64_t> by_rank;
    for (int r = 0; r < size; ++r) by_rank.push_back(runs_on(r, k) ? 1000 * k : 0);
    bool known = false;
    for (int r = 0; r < size; ++r) known = known || runs_on(r, k);
    if (!known) continue;
    names.push_back(name(k));
    if (names.size() > Totals::named_kernels) {
      std::transform(by_rank.begin(), by_rank.end(), other.begin(), other.begin(), std::plus<>());
      continue;
    }
    const auto [least, greatest] = std::ranges::minmax(by_rank);
    expected.push_back(
        {std::accumulate(by_rank.begin(), by_rank.end(), std::int64_t{0}), least, greatest});
  }
  const auto [least, greatest] = std::ranges::minmax(other);
  expected.push_back(
      {std::accumulate(other.begin(), other.end(), std::int64_t{0}), least, greatest});
  const Metrics& seen = monitor.metrics();
  ASSERT_EQ(seen.kernels.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(seen.kernels[i].name, i + 1 < expected.size() ? names[i] : "other");
    const Figures& figures = seen.kernels[i].figures;
    EXPECT_DOUBLE_EQ(figures.least, 1e-9 * static_cast<double>(expected[i].least)) << i;
    EXPECT_DOUBLE_EQ(figures.greatest, 1e-9 * static_cast<double>(expected[i].greatest)) << i;
    EXPECT_DOUBLE_EQ(figures.average, 1e-9 * static_cast<double>(expected[i].sum) / size) << i;
  }
  monitor.finish();
}

// --- Exceptions in timed scopes ------------------------------------------------------------------

TEST_F(HostileTest, ExceptionsInTimedScopesLeaveTimesRight) {
  with_each_rank([&](int odd) {
    Monitor monitor(outer, by_threshold());
    const Kernel outside = monitor.kernel("outside"), inside = monitor.kernel("inside");
    const auto work = [&](bool fails) {
      const Timer timing = outside.time();
      now += millisecond;
      const Timer interruption = inside.time();
      now += millisecond;
      const Timer again = inside.time();
      now += millisecond;
      if (fails) throw std::runtime_error("an accident in a kernel");
    };
    int caught = 0;
    const Advised advised = watch(monitor, 40, [&](std::int64_t step) {
      try {
        work(rank == odd && step % 3 != 0);
      } catch (const std::runtime_error&) {
        now += 7 * millisecond;  // in no kernel
        ++caught;
      }
    });
    EXPECT_EQ(caught, rank == odd ? 27 : 0);
    EXPECT_EQ(advised.steps, Steps());
    EXPECT_EQ(monitor.load_nanoseconds(), 3 * millisecond);
    for (const auto& [name, figures] : monitor.metrics().kernels) {
      EXPECT_DOUBLE_EQ(figures.least, name == "inside" ? 0.002 : 0.001);
      EXPECT_DOUBLE_EQ(figures.greatest, name == "inside" ? 0.002 : 0.001);
    }
    monitor.finish();
  });
}

TEST_F(HostileTest, AnErrorOfAStepInATimedScopeLeavesTimesRight) {
  const auto fails = [](const State&, const Totals&) -> bool {
    throw std::runtime_error("the rule has a gap");
  };
  with_each_rank([&](int odd) {
    Monitor monitor(outer, watched(Custom{rank == odd ? +fails : &test::never}));
    const Kernel force = monitor.kernel("force");
    int errors = 0;
    for (int step = 1; step <= 40; ++step) {
      const std::string text = test::error_of([&] {
        const Timer timing = force.time();
        now += millisecond;
        monitor.step();
        now += 2 * millisecond;
      });
      errors += text == "nothing was thrown" ? 0 : 1;
      EXPECT_TRUE(test::same_everywhere(outer, text));
    }
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(monitor.steps(), 40);
    EXPECT_NO_THROW(monitor.finish());
  });
}

// --- Ranks that do not count alike ---------------------------------------------------------------

// One rank is up to two calls ahead or behind, and in each round of the application all wait for
// each other. What a rank waits for was posted as many calls ago, so none hangs; the same call gets
// the same advice.
TEST_F(HostileTest, RanksThatAreACallOrTwoApartGetTheSameAdvice) {
  constexpr std::int64_t last = 40;
  const Advised expected = run_with_a_slow_rank(by_threshold(), 0, &nothing, last);
  with_each_rank([&](int odd) {
    for (const std::int64_t ahead : {-2, -1, 1, 2})
      for (const std::int64_t from : {1, 9, 12, 15}) {
        Monitor monitor(outer, by_threshold());
        const Kernel force = monitor.kernel("force");
        std::string text;
        for (std::int64_t round = 1; round <= last + 2; ++round) {
          const std::int64_t lead = rank == odd && round >= from ? ahead : 0;
          while (monitor.steps() < std::min(last, round + lead)) {
            spend(force, (rank == 0 ? 3 : 1) * millisecond, 4 * millisecond);
            if (const Advice advice = monitor.step())
              text += std::to_string(monitor.steps()) + ": " + advice.reason + '\n';
          }
          static_cast<void>(outer.all_reduce(round, Reduction::sum));
        }
        EXPECT_EQ(text, expected.text);
        EXPECT_TRUE(test::same_everywhere(outer, monitor.saved_state()));
        monitor.finish();
      }
  });
}

TEST_F(HostileTest, ARebalanceThatMovedOnOneRankAloneIsTheSameErrorOnAll) {
  with_each_rank([&](int odd) {
    for (const int at : {5, 9, 10, 12, 16}) {
      Monitor monitor(outer, by_cost());
      const Kernel force = monitor.kernel("force");
      std::string text = "nothing was thrown";
      for (int step = 1; step <= 60 && text == "nothing was thrown"; ++step) {
        spend(force, millisecond, millisecond);
        text = test::error_of([&] { monitor.step(); });
        if (step == at) monitor.rebalanced({.moved = rank == odd});
      }
      EXPECT_TRUE(test::same_everywhere(outer, text));
      EXPECT_TRUE(test::mentions(
          text, size == 1 ? "nothing was thrown" : "The ranks do not agree on the "));
      EXPECT_NO_THROW(monitor.finish());
    }
  });
}

// --- Others on the same machine ------------------------------------------------------------------

TEST_F(HostileTest, RanksThatAreLateChangeNothing) {
  const Advised expected = run_with_a_slow_rank(by_cost(), size - 1, &nothing, 60);
  std::mt19937 random(static_cast<unsigned>(rank));
  const Advised found = run_with_a_slow_rank(
      by_cost(), size - 1,
      [&](std::int64_t step) {
        const bool is_late = step % size == rank || random() % 8 == 0;
        std::this_thread::sleep_for(std::chrono::microseconds(is_late ? random() % 4000 : 0));
      },
      60);
  EXPECT_EQ(found, expected);
}

#if EVENKEEL_HAS_MPI
// All that an application does with MPI: messages that take any source and tag, collective calls,
// and some that are under way while step is called.
TEST_F(HostileTest, MessagesOfTheApplicationChangeNothing) {
  const Advised expected = run_with_a_slow_rank(by_cost(), size - 1, &nothing, 60);
  const int next = (rank + 1) % size;
  std::int64_t sent = 0, got = 0, sum_before = 0, sum = 0;
  std::array<MPI_Request, 3> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const auto talk = [&](std::int64_t step) {
    if (step % 3 == 1) {  // complete what has been under way for three steps
      MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
      EXPECT_EQ(got, sent);
      EXPECT_EQ(sum, size * sum_before);
      sent = sum_before = step;
      MPI_Irecv(&got, 1, MPI_INT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&sent, 1, MPI_INT64_T, next, static_cast<int>(step), MPI_COMM_WORLD, &requests[1]);
      MPI_Iallreduce(&sum_before, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
    }
    int ranks = 1;
    MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(ranks, size);
    MPI_Barrier(MPI_COMM_WORLD);
  };
  EXPECT_EQ(run_with_a_slow_rank(by_cost(), size - 1, talk, 60), expected);
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(sum, size * sum_before);
}
#endif

// Each thread by its own clock: whatever the steps are in which its scopes end, not a nanosecond is
// lost, and none counts twice.
TEST_F(HostileTest, ScopesOnSeveralThreadsWhileTheMainThreadSteps) {
  constexpr std::int64_t threads = 4, scopes = 30'000, scope = 10;
  Options options = watched(Never{});
  options.warmup_steps = 0;
  Monitor monitor(outer, options);
  std::vector<Kernel> kernels;
  for (std::int64_t t = 0; t < threads; ++t)
    kernels.push_back(monitor.kernel("of thread " + std::to_string(t), {.every = 2}));
  std::vector<std::thread> workers;
  std::atomic<std::int64_t> working = threads;
  for (const Kernel& kernel : kernels)
    workers.emplace_back([&working, kernel] {
      for (std::int64_t i = 0; i < scopes; ++i) {
        try {
          const Timer timing = kernel.time();
          now += scope;
          if (i % 2000 == 0) throw std::runtime_error("an accident in a thread");
        } catch (const std::runtime_error&) {
          std::this_thread::yield();
        }
      }
      --working;
    });
  for (std::int64_t more = 20; more > 0; more -= working == 0 ? 1 : 0) {
    const std::int64_t still = outer.all_reduce(working.load(), Reduction::greatest);
    now += millisecond;
    monitor.step();
    if (monitor.steps() % 5 == 0)  // makes room while others write
      static_cast<void>(monitor.kernel("late " + std::to_string(monitor.steps())));
    if (still == 0) continue;
    more = 20;
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // scopes pile up
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(monitor.load_nanoseconds(), threads * scopes * scope / monitor.steps());
  monitor.finish();
}

}  // namespace
}  // namespace evenkeel
