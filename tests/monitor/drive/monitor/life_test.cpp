#include "monitor/drive/monitor/watching.hpp"

#include <evenkeel/backends/config.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace evenkeel {
namespace {

using test::always;
using test::exact;
using test::MonitorTest;
using test::Steps;
using test::usual_advice;

class LifeTest : public MonitorTest, public testing::WithParamInterface<bool> {
 protected:
  Options options() const {
    Options options = exact(Custom{&always});
    options.watcher = GetParam();
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Watcher, LifeTest, testing::Bool());

thread_local bool is_thread_of_test = false;
std::atomic<bool> asked_elsewhere = false;

// The rule is asked on the watcher's thread, if there is one and if it has the time.
TEST_P(LifeTest, TheWatcherThinks) {
  is_thread_of_test = true;
  asked_elsewhere = false;
  Options choice = options();
  choice.trigger = Custom{[](const LoadView&) {
    if (!is_thread_of_test) asked_elsewhere = true;
    return false;
  }};
  Monitor monitor(Communicator::self(), choice);
  monitor.set_load(1);
  for (int step = 0; step < 100 || (GetParam() && !asked_elsewhere); ++step) {
    monitor.step();
    std::this_thread::yield();
  }
  monitor.finish();
  EXPECT_EQ(asked_elsewhere, GetParam());
}

TEST_P(LifeTest, FinishesAfterAnyStep) {
  for (std::int64_t steps = 0; steps <= 17; ++steps) {
    Monitor monitor = uneven(options());
    advised(monitor, steps);
    EXPECT_NO_THROW(monitor.finish());
    EXPECT_EQ(monitor.steps(), steps);
  }
}

TEST_P(LifeTest, IsLetGoAfterAnyStep) {
  for (std::int64_t steps = 0; steps <= 17; ++steps) {
    {
      Monitor monitor = uneven(options());
      advised(monitor, steps);
    }
    EXPECT_EQ(outer.all_reduce(1, Reduction::sum), size);
  }
}

TEST_P(LifeTest, IsLetGoWhileUnwindingAfterAnyStep) {
  for (std::int64_t steps = 0; steps <= 17; ++steps) {
    const auto give_up = [&] {
      Monitor monitor = uneven(options());
      advised(monitor, steps);
      throw std::runtime_error("the application gives up");
    };
    EXPECT_THROW(give_up(), std::runtime_error);
    EXPECT_EQ(outer.all_reduce(1, Reduction::sum), size);
  }
}

TEST_P(LifeTest, AfterFinishNothingMore) {
  Monitor monitor = uneven(options());
  advised(monitor, 12);
  EXPECT_FALSE(monitor.is_finished());
  monitor.finish();
  EXPECT_TRUE(monitor.is_finished());
  EXPECT_ERROR(monitor.step(), "step was called after finish");
  EXPECT_ERROR(monitor.finish(), "finish was called after finish");
  EXPECT_EQ(monitor.steps(), 12);
}

TEST_P(LifeTest, MovesWithALookUnderWay) {
  Monitor first = uneven(options());
  advised(first, 13);
  Monitor second = std::move(first);
  EXPECT_EQ(advised(second, 17), Steps{16});
  Monitor third = uneven(options());
  advised(third, 12);
  third = std::move(second);  // lets go of a look
  EXPECT_EQ(advised(third, 40), (Steps{24, 32, 40}));
  third.finish();
}

TEST_P(LifeTest, AKernelOutlivesItsMonitor) {
  std::optional<Monitor> monitor = uneven(options());
  const Kernel force = monitor->kernel("force");
  const Timer timing = force.time();
  advised(*monitor, 13);
  monitor.reset();
  EXPECT_EQ(force.name(), "force");
  const Timer again = force.time();
}

TEST_P(LifeTest, SeveralOnOneCommunicator) {
  Options short_epochs = options(), long_epochs = options();
  short_epochs.epoch_steps = 6;
  long_epochs.epoch_steps = 10;
  Monitor a = uneven(short_epochs), b = uneven(long_epochs), c = uneven(options());
  Steps of_a, of_b, of_c;
  for (int step = 1; step <= 40; ++step) {
    if (a.step()) of_a.push_back(step);
    if (b.step()) of_b.push_back(step);
    if (c.step()) of_c.push_back(step);
  }
  EXPECT_EQ(of_a, (Steps{14, 20, 26, 32, 38}));
  EXPECT_EQ(of_b, (Steps{18, 28, 38}));
  EXPECT_EQ(of_c, usual_advice);
  b.finish();
  c.finish();
  a.finish();
}

// Each rank by itself, the ranks at different steps.
TEST_P(LifeTest, OnOneRankAlone) {
  Monitor monitor(Communicator::self(), options());
  monitor.set_load(1);
  Steps advice;
  for (int step = 1; step <= 20 + 10 * rank; ++step)
    if (monitor.step()) advice.push_back(step);
  ASSERT_GE(advice.size(), 1U);
  EXPECT_EQ(advice[0], 16);
  monitor.finish();
}

#if EVENKEEL_HAS_MPI
TEST_P(LifeTest, OnACommunicatorOfMpi) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  Monitor monitor(half, options());
  MPI_Comm_free(&half);  // it was duplicated
  monitor.set_load(1);
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
}
#endif

}  // namespace
}  // namespace evenkeel
