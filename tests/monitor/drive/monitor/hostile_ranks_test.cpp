// Kernels differ, timed scopes throw, ranks count differently, and other programs run on the
// machine. Either the decision must be right, or all ranks must get the same Error. No rank may
// hang.

#include "monitor/drive/monitor/hostile.hpp"

#include <evenkeel/backends/config.hpp>

#include <atomic>
#include <chrono>

namespace evenkeel::hostile_ranks_test {
namespace {

using namespace test;

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
      // Lambda is 5 / (1 + 4 (n - 1) / n) on n ranks.
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

// If an epoch ended before the kernel first ran, its look must not contain the kernel.
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

// Each rank leaves out some of a hundred kernels, in any order. No time may be lost, or be counted
// for another name.
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

  std::vector<RankTally> expected;
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
        now += 7 * millisecond;  // outside of kernels
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
  const auto fails = [](const LoadView&) -> bool {
    throw std::runtime_error("the rule has a gap");
  };
  with_each_rank([&](int odd) {
    Monitor monitor(outer, watched(Custom{rank == odd ? +fails : &test::never}));
    const Kernel force = monitor.kernel("force");
    int errors = 0;
    for (int step = 1; step <= 40; ++step) {
      const std::string text = test::error_everywhere([&] {
        const Timer timing = force.time();
        now += millisecond;
        monitor.step();
        now += 2 * millisecond;
      });
      errors += text == "nothing was thrown" ? 0 : 1;
    }
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(monitor.steps(), 40);
    EXPECT_NO_THROW(monitor.finish());
  });
}

// --- Ranks that count differently ----------------------------------------------------------------

// One rank is up to two calls ahead of the others or behind them. In each round of the application,
// all ranks wait for each other. The messages that a rank waits for were posted enough calls ago,
// so no rank may hang. The same call must get the same advice.
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
      EXPECT_MENTIONS(text, size == 1 ? "nothing was thrown" : "The ranks do not agree on the ");
      EXPECT_NO_THROW(monitor.finish());
    }
  });
}

// --- Other load on the machine -------------------------------------------------------------------

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
// The application uses MPI: messages with any source and tag, collective calls, and calls that are
// pending while step() is called.
TEST_F(HostileTest, MessagesOfTheApplicationChangeNothing) {
  const Advised expected = run_with_a_slow_rank(by_cost(), size - 1, &nothing, 60);
  const int next = (rank + 1) % size;
  std::int64_t sent = 0, got = 0, sum_before = 0, sum = 0;
  std::array<MPI_Request, 3> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const auto talk = [&](std::int64_t step) {
    if (step % 3 == 1) {  // complete the requests from three steps ago
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

// Each thread has its own clock. In whichever step a scope ends, no nanosecond may be lost or
// counted twice.
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
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // scopes accumulate
  }
  for (std::thread& worker : workers) worker.join();
  monitor.finish();
  const double seconds = 1e-9 * static_cast<double>(threads * scopes * scope);
  EXPECT_NEAR(monitor.account().mean, seconds, 1e-9 * seconds);
}

}  // namespace
}  // namespace evenkeel::hostile_ranks_test
