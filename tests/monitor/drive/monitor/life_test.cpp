#include "monitor/drive/monitor/watching.hpp"
#include "support/scratch.hpp"

#include <evenkeel/backends/config.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace evenkeel::life_test {
namespace {

using namespace test;

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

// If there is a watcher and it has the time, the custom rule must run on its thread. So the last
// steps take longer than the watcher sleeps.
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
    if (step >= 100) std::this_thread::sleep_for(std::chrono::milliseconds(25));
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

// --- Without finish ------------------------------------------------------------------------------

class UnfinishedTest : public LifeTest {
 protected:
  test::ScratchDirectory scratch;  // of this rank; only rank 0's options count
  const std::string journal = scratch.path_of("run.jsonl");

  Options with_journal() const {
    Options options = LifeTest::options();
    options.log = LogLevel::summary;
    options.journal = journal;
    return options;
  }
  // The text of the log if the Monitor is destroyed after `steps` steps.
  template <class End>
  std::string log_of(const Options& options, std::int64_t steps, const End& end) const {
    testing::internal::CaptureStderr();
    try {
      Monitor monitor = uneven(options);
      advised(monitor, steps);
      end(monitor);
    } catch (const std::runtime_error&) {
    }
    return testing::internal::GetCapturedStderr();
  }
  std::string last_line() const {
    const std::string content = test::content_of(journal);
    if (content.size() < 2) return content;
    const std::size_t end = content.rfind('\n', content.size() - 2);
    return content.substr(end == std::string::npos ? 0 : end + 1);
  }
};

INSTANTIATE_TEST_SUITE_P(Watcher, UnfinishedTest, testing::Bool());

TEST_P(UnfinishedTest, SaysSoInLogAndJournal) {
  const auto let_go = [](Monitor&) {};
  const std::string told =
      "evenkeel: this run ends after step 20 without finish(): it has no summary\n";
  EXPECT_EQ(log_of(with_journal(), 20, let_go), rank == 0 ? told : "");
  EXPECT_EQ(last_line(), rank == 0 ? "{\"unfinished\":true,\"step\":20}\n" : "");
  Options with_state = with_journal();
  with_state.state = scratch.path_of("run.state");
  EXPECT_EQ(test::times(log_of(with_state, 20, let_go), ", and what it has learned is not saved"),
            rank == 0 ? 1 : 0);
  EXPECT_FALSE(std::filesystem::exists(with_state.state));
}

TEST_P(UnfinishedTest, IsNotSaidOfARunThatHasFinishedOrNeverBegun) {
  const auto finish = [](Monitor& monitor) { monitor.finish(); };
  EXPECT_EQ(test::times(log_of(with_journal(), 20, finish), "without finish"), 0);
  EXPECT_EQ(test::times(test::content_of(journal), "unfinished"), 0);
  EXPECT_EQ(log_of(with_journal(), 0, [](Monitor&) {}), "");
}

// The message of the exception is the better one.
TEST_P(UnfinishedTest, IsNotSaidWhileAnExceptionIsUnderWay) {
  const auto give_up = [](Monitor&) { throw std::runtime_error("the application gives up"); };
  EXPECT_EQ(log_of(with_journal(), 20, give_up), "");
}

TEST_P(UnfinishedTest, IsSaidOnceOfAMonitorThatWasMoved) {
  const auto move = [](Monitor& monitor) { const Monitor other = std::move(monitor); };
  EXPECT_EQ(test::times(log_of(with_journal(), 20, move), "without finish"), rank == 0 ? 1 : 0);
}

// Libraries may fork. If the child ends by exit(), it destroys its copies of the objects of its
// parent. A hang would end by the alarm.
TEST_P(UnfinishedTest, AForkedChildEndsWithoutItsParentsRun) {
  std::optional<Monitor> monitor = uneven(with_journal());
  EXPECT_EQ(advised(*monitor, 21), Steps{16});
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    monitor.reset();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(advised(*monitor, 40), (Steps{24, 32, 40}));
  monitor->finish();
  const std::string content = test::content_of(journal);
  EXPECT_EQ(test::times(content, "unfinished"), 0);
  EXPECT_EQ(test::times(content, "\"version\""), rank == 0 ? 1 : 0);
  EXPECT_EQ(test::times(content, "\n{\"step\":19,"), rank == 0 ? 1 : 0) << content;
  EXPECT_EQ(test::times(content, "\"finished\":true"), rank == 0 ? 1 : 0);
}

// --- A thread that is behind ---------------------------------------------------------------------

std::atomic<bool> holds_thread = false, is_held = false;

bool hold_thread(const LoadView&) {
  if (is_thread_of_test) return false;
  is_held = true;
  holds_thread.wait(true);
  return false;
}

// From the first steps to the last one, the rule keeps the thread from writing. Each rank runs
// alone.
TEST_P(UnfinishedTest, LinesThatWouldFillTheMemoryAreLeftOut) {
  is_thread_of_test = true;
  holds_thread = true;
  is_held = false;
  Options choice = with_journal();
  choice.trigger = Custom{&hold_thread};
  testing::internal::CaptureStderr();
  {
    Monitor monitor(Communicator::self(), choice);
    monitor.set_load(1);
    while (GetParam() && !is_held) {
      monitor.step();
      std::this_thread::sleep_for(std::chrono::milliseconds(25));  // longer than the thread sleeps
    }
    for (int step = 0; step < 16'000; ++step) monitor.step();
    holds_thread = false;
    holds_thread.notify_all();
    monitor.finish();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string content = test::content_of(journal);
  EXPECT_EQ(test::times(log, " on lines are left out, since looks come faster than they can be "),
            GetParam() ? 1 : 0)
      << log;
  EXPECT_EQ(test::times(content, "{\"left_out\":true,\"step\":"), GetParam() ? 1 : 0);
  const int looks = test::times(content, "\"totals\":{");
  EXPECT_GT(looks, 200);
  EXPECT_EQ(looks < 1000, GetParam()) << looks;
}

// --- Files that fail -----------------------------------------------------------------------------

TEST_P(UnfinishedTest, AFullDiskIsToldOnceAndTheRunGoesOn) {
  testing::internal::CaptureStderr();
  {
    Monitor monitor = uneven(with_journal());
    EXPECT_EQ(advised(monitor, 17), Steps{16});
    const test::FullDisk full(5000, test::FullDisk::Signal::as_it_is);  // MPI also writes files
    EXPECT_EQ(advised(monitor, 40), (Steps{24, 32, 40}));
    monitor.finish();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(test::times(log, "the journal '" + journal + "' ends here: File too large"),
            rank == 0 ? 1 : 0)
      << log;
  const std::string content = test::content_of(journal);
  EXPECT_TRUE(content.empty() || content.back() == '\n') << "whole lines alone";
}

// --- Names ---------------------------------------------------------------------------------------

TEST_P(UnfinishedTest, ANameStandsInLogAndJournal) {
  Options options = with_journal();
  options.log = LogLevel::looks;
  options.name = "fluid";
  const std::string log = log_of(options, 40, [](Monitor& monitor) { monitor.finish(); });
  EXPECT_EQ(test::times(log, "evenkeel: fluid: "), test::times(log, "\n")) << log;
  EXPECT_EQ(log.empty(), rank != 0);
  const std::string content = test::content_of(journal);
  EXPECT_EQ(test::times(content, "\"name\":\"fluid\"}"), rank == 0 ? 1 : 0);
}

TEST_P(UnfinishedTest, ANameStandsInErrors) {
  Options options = LifeTest::options();
  options.name = "fluid";
  Monitor monitor = uneven(options);
  monitor.finish();
  EXPECT_ERROR(monitor.step(), "evenkeel: fluid: monitor: step was called after finish.");
  const std::string text = test::error_of([&] { monitor.restore(""); });
  EXPECT_TRUE(text.starts_with("evenkeel: fluid: rank 0")) << text;
  options.state = scratch.with_file("run.state", "nonsense");
  const std::string at_start = test::error_of([&] { Monitor other(outer, options); });
  EXPECT_TRUE(at_start.starts_with("evenkeel: fluid: rank 0")) << at_start;
  EXPECT_MENTIONS(at_start, ": monitor/state: ");
  try {
    monitor.step();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "fluid");
    EXPECT_EQ(error.where(), "monitor");
    EXPECT_EQ(error.problem(), "step was called after finish.");
  }
}

// --- The end -------------------------------------------------------------------------------------

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
  third = std::move(second);  // destroys a monitor with a look under way
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

// Each rank runs by itself. The ranks are at different steps.
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
  MPI_Comm_free(&half);  // the Monitor has a duplicate
  monitor.set_load(1);
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
}
#endif

}  // namespace
}  // namespace evenkeel::life_test
