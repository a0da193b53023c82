// A run continues with the experience of an earlier run, through Options::state, saved_state() and
// restore().

#include "decide/state.hpp"
#include "monitor/drive/monitor/watching.hpp"
#include "support/scratch.hpp"

#include <evenkeel/backends/config.hpp>

#include <filesystem>

#include <sys/stat.h>

namespace evenkeel::restart_test {
namespace {

using namespace test;

// The state in the text that a Monitor has saved.
DecisionState state_in(std::string saved) {
  saved.erase(0, saved.find("trigger = "));
  return state_from_text(saved, "a test");
}

class RestartTest : public MeasuredTest {
 protected:
  test::ScratchDirectory scratch;  // of this rank; only rank 0's options count
  const std::string path = scratch.path_of("run.state");

  static Options quiet(const Trigger& trigger = Never{}) {
    Options options = measured(trigger);
    options.log = LogLevel::off;
    return options;
  }
  static Options deterministic() {
    Options options = exact(Custom{&always});
    options.log = LogLevel::off;
    return options;
  }
  Options with_file(Options options = quiet()) const {
    options.state = path;
    return options;
  }

  // Learns the cost of a rebalance, and the imbalance that remains after it.
  static void learn(Monitor& monitor, double seconds) {
    const std::int64_t first = monitor.steps();
    while (monitor.steps() < first + 40) {
      monitor.step();
      if (monitor.steps() == first + 18)
        monitor.rebalanced({.bytes_moved = 4096, .seconds = seconds});
    }
  }

  // Returns the saved text of a run that has learned and ended.
  std::string saved_by_a_run(double seconds = 2, const Options& options = quiet()) const {
    Monitor monitor(outer, options);
    learn(monitor, seconds);
    monitor.finish();
    return monitor.saved_state();
  }

  static void expect_knows(const CostModel& now, const CostModel& then) {
    EXPECT_EQ(now.weight, then.weight);
    EXPECT_EQ(now.cost, then.cost);
    EXPECT_EQ(now.bytes, then.bytes);
  }
};

// --- In memory -----------------------------------------------------------------------------------

TEST_F(RestartTest, WhatARunHasLearnedIsTheSameOnAllRanks) {
  const std::string saved = saved_by_a_run();
  EXPECT_TRUE(test::same_everywhere(outer, saved));
  const Ledger ledger = state_in(saved).ledger;
  EXPECT_EQ(ledger.cost.weight, 1);
  EXPECT_GE(ledger.cost.cost, 2e9);
  EXPECT_LT(ledger.cost.cost, 3e9) << "what the step after it took longer counts too";
  EXPECT_EQ(ledger.cost.bytes, 4096);
  EXPECT_EQ(ledger.gains.counted, 1);
}

TEST_F(RestartTest, ANewRunGoesOnWithIt) {
  const std::string saved = saved_by_a_run();
  const DecisionState then = state_in(saved);
  Monitor monitor(outer, quiet());
  EXPECT_FALSE(state_in(monitor.saved_state()).ledger.cost.knows());
  monitor.restore(saved);
  EXPECT_TRUE(test::same_everywhere(outer, monitor.saved_state()));
  DecisionState now = state_in(monitor.saved_state());
  expect_knows(now.ledger.cost, then.ledger.cost);
  EXPECT_EQ(now.looks, 0);
  EXPECT_EQ(now.rebalances, 0);
  EXPECT_EQ(now.ledger.spent, 0);
  learn(monitor, 5);
  now = state_in(monitor.saved_state());
  EXPECT_EQ(now.ledger.cost.weight, 1.8);
  // Besides the given seconds, the step after each rebalance counts, as far as it took longer than
  // later steps.
  EXPECT_GE(now.ledger.cost.cost, (0.8 * 2e9 + 5e9) / 1.8 * (1 - 1e-12));
  EXPECT_LT(now.ledger.cost.cost, (0.8 * 3e9 + 6e9) / 1.8);
  monitor.finish();
}

TEST_F(RestartTest, TheTextOfRankZeroCounts) {
  const std::string saved = saved_by_a_run();
  Monitor monitor(outer, quiet());
  monitor.restore(rank == 0 ? saved : std::string(100 * static_cast<std::size_t>(rank), 'x'));
  EXPECT_TRUE(state_in(monitor.saved_state()).ledger.cost.knows());
  EXPECT_TRUE(test::same_everywhere(outer, monitor.saved_state()));
  monitor.finish();
}

TEST_F(RestartTest, TheLastTextThatWasRestoredCounts) {
  const std::string cheap = saved_by_a_run(1), dear = saved_by_a_run(5);
  Monitor monitor(outer, quiet());
  monitor.restore(cheap);
  monitor.restore(dear);
  expect_knows(state_in(monitor.saved_state()).ledger.cost, state_in(dear).ledger.cost);
  monitor.finish();
}

TEST_F(RestartTest, StepsCountOn) {
  std::string saved;
  {
    Monitor monitor(outer, quiet(Every{.start = 20, .stop = 100, .period = 20}));
    EXPECT_EQ(advised(monitor, 50), (Steps{20, 40}));
    saved = monitor.saved_state();
    monitor.finish();
  }
  Monitor monitor(outer, quiet(Every{.start = 20, .stop = 100, .period = 20}));
  EXPECT_EQ(monitor.steps(), 0);
  monitor.restore(saved);
  EXPECT_EQ(monitor.steps(), 50);
  EXPECT_EQ(advised(monitor, 130), (Steps{60, 80, 100}));
  EXPECT_ERROR(monitor.restore(saved), "restore was called after a step.");
  monitor.finish();
  Monitor third(outer, quiet());
  third.restore(monitor.saved_state());
  EXPECT_EQ(third.steps(), 130);
  third.restore(saved);
  EXPECT_EQ(third.steps(), 50) << "the last text counts";
  third.finish();
}

// Except for the numbers of steps, everything must be as in a run from the start.
TEST_F(RestartTest, LooksComeAsInANewRun) {
  for (const std::int64_t before : {0, 50, 1003}) {
    Monitor first = even(deterministic());
    while (first.steps() < before) first.step();
    Monitor monitor = even(deterministic());
    monitor.restore(first.saved_state());
    first.finish();
    Steps expected = usual_advice;
    for (std::int64_t& step : expected) step += before;
    EXPECT_EQ(advised(monitor, before + 40), expected) << before;
    const DecisionState now = state_in(monitor.saved_state());
    EXPECT_EQ(now.began_at, before);
    EXPECT_EQ(now.step, before + 40);
    EXPECT_EQ(now.rebalances, 0);
    monitor.finish();
    EXPECT_EQ(monitor.account().steps, 40);
  }
}

// The end of the run must stay the same.
TEST_F(RestartTest, TheHorizonIsThatOfTheWholeRun) {
  const auto last_advice = [&](const std::string& saved) {
    Options options = quiet(CostAware{});
    options.horizon = 100;
    options.expected_cost = 0.01;
    options.deterministic = true;
    Monitor monitor = uneven(options);
    monitor.restore(saved);
    const Steps steps = advised(monitor, 120);
    monitor.finish();
    return steps.empty() ? std::int64_t{0} : steps.back();
  };
  Monitor first = even(deterministic());
  while (first.steps() < 50) first.step();
  const std::string saved = first.saved_state();
  first.finish();
  EXPECT_LE(last_advice(saved), 100);
  EXPECT_LE(last_advice(""), 100);
  if (size > 1) {
    EXPECT_GT(last_advice(saved), 50);
  }
}

// The first distribution may come before or after restore(). It must not count as a rebalance.
TEST_F(RestartTest, AFirstDistributionIsNoRebalance) {
  const std::string saved = saved_by_a_run();
  for (const bool is_before : {true, false}) {
    Monitor monitor = even(deterministic());
    if (is_before) monitor.rebalanced({.seconds = 1});
    monitor.restore(saved);
    if (!is_before) monitor.rebalanced({.seconds = 1});
    EXPECT_EQ(monitor.steps(), 40);
    advised(monitor, 80);
    const DecisionState now = state_in(monitor.saved_state());
    EXPECT_EQ(now.rebalances, 0);
    EXPECT_EQ(now.rebalanced_at, 40);
    EXPECT_EQ(now.ledger.spent, 0);
    monitor.finish();
  }
}

// A file gives experience to a new run, whose steps begin at 0.
TEST_F(RestartTest, WithAFileStepsBeginAnew) {
  saved_by_a_run(2, with_file());
  Monitor second(outer, with_file());
  EXPECT_EQ(second.steps(), 0);
  EXPECT_TRUE(state_in(second.saved_state()).ledger.cost.knows());
  second.finish();
}

TEST_F(RestartTest, AfterAStepIsTheSameErrorOnAllRanks) {
  const std::string saved = saved_by_a_run();
  Monitor monitor = even(deterministic());
  monitor.step();
  const std::string before = monitor.saved_state();
  EXPECT_ERROR_EVERYWHERE(monitor.restore(saved), "monitor: restore was called after a step.");
  EXPECT_EQ(monitor.saved_state(), before);
  EXPECT_EQ(advised(monitor, 40), usual_advice) << "the run continues";
  monitor.finish();
}

TEST_F(RestartTest, AfterTheEndIsTheSameErrorOnAllRanks) {
  const std::string saved = saved_by_a_run();
  Monitor monitor(outer, quiet());
  monitor.finish();
  EXPECT_ERROR_EVERYWHERE(monitor.restore(saved), "restore was called after finish");
}

TEST_F(RestartTest, WhatIsNoStateIsTheSameErrorOnAllRanks) {
  const std::string good = saved_by_a_run();
  Monitor monitor = even(deterministic());
  const std::string before = monitor.saved_state();
  for (const std::string& bad : {std::string("nonsense"), good.substr(0, good.size() / 2)}) {
    EXPECT_ERROR_EVERYWHERE(monitor.restore(rank == 0 ? bad : good),
                            "monitor/state: 'the saved state': ");
    EXPECT_EQ(monitor.saved_state(), before);
  }
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
}

TEST_F(RestartTest, AnEmptyTextIsNothingToGoOnWith) {
  Monitor monitor(outer, quiet());
  const std::string before = monitor.saved_state();
  monitor.restore("");
  EXPECT_EQ(monitor.saved_state(), before);
  monitor.finish();
}

// --- On other ranks ------------------------------------------------------------------------------

TEST_F(RestartTest, OneRankByItselfTrustsTheCostLess) {
  const std::string saved = saved_by_a_run();
  Monitor monitor(Communicator::self(), quiet());
  monitor.restore(saved);
  const Ledger now = state_in(monitor.saved_state()).ledger, then = state_in(saved).ledger;
  EXPECT_EQ(now.cost.weight, size == 1 ? 1 : 0.25);
  EXPECT_EQ(now.cost.cost, then.cost.cost);
  monitor.finish();
}

#if EVENKEEL_HAS_MPI
// The first ranks have gained experience by themselves, and now all ranks use it.
TEST_F(RestartTest, MoreRanksTrustTheCostLess) {
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 ? 1 : 0, rank, &some);
  std::string saved;
  {
    Monitor monitor(some, quiet());
    learn(monitor, 3);
    saved = monitor.saved_state();
    monitor.finish();
  }
  MPI_Comm_free(&some);
  Monitor monitor(outer, quiet());
  monitor.restore(saved);
  const Ledger now = state_in(monitor.saved_state()).ledger;
  EXPECT_EQ(now.cost.weight, size == 1 ? 1 : 0.25);
  EXPECT_GE(now.cost.cost, 3e9);
  EXPECT_TRUE(test::same_everywhere(outer, monitor.saved_state()));
  monitor.finish();
}
#endif

// --- In a file -----------------------------------------------------------------------------------

TEST_F(RestartTest, AFileIsWrittenAtTheEndAndReadAtTheStart) {
  for (const bool watcher : {true, false}) {
    Options options = with_file();
    options.watcher = watcher;
    std::filesystem::remove(path);
    Monitor first(outer, options);
    EXPECT_FALSE(state_in(first.saved_state()).ledger.cost.knows());
    learn(first, 2);
    EXPECT_EQ(scratch.files(), std::vector<std::string>()) << "not before the end";
    first.finish();
    EXPECT_EQ(test::content_of(path), rank == 0 ? first.saved_state() : "");
    Monitor second(outer, options);
    const DecisionState now = state_in(second.saved_state()), then = state_in(first.saved_state());
    expect_knows(now.ledger.cost, then.ledger.cost);
    EXPECT_TRUE(now.ledger.cost.knows());
    EXPECT_EQ(now.outlook.scatter.variance, then.outlook.scatter.variance);
    learn(second, 2);
    second.finish();
    Monitor third(outer, options);
    EXPECT_EQ(state_in(third.saved_state()).ledger.cost.weight, 1.8);
    third.finish();
  }
}

TEST_F(RestartTest, ARunWithoutAStepLosesNothingOfTheFile) {
  const std::string saved = saved_by_a_run(2, with_file());
  Monitor(outer, with_file()).finish();
  const Monitor third(outer, with_file());
  expect_knows(state_in(third.saved_state()).ledger.cost, state_in(saved).ledger.cost);
}

TEST_F(RestartTest, WithoutAnEndNothingIsWritten) {
  {
    Monitor monitor(outer, with_file());
    learn(monitor, 2);
  }
  EXPECT_EQ(scratch.files(), std::vector<std::string>());
}

TEST_F(RestartTest, AFileThatIsNoStateIsTheSameErrorOnAllRanks) {
  for (const char* content : {"nonsense\n", "", "evenkeel state 1\nranks = 0\n"}) {
    scratch.with_file("run.state", rank == 0 ? content : "something else");
    const std::string text = test::error_everywhere([&] { Monitor monitor(outer, with_file()); });
    EXPECT_MENTIONS(text, "evenkeel: rank 0");
    if (rank == 0) {
      EXPECT_MENTIONS(text, "'" + path + "': it ");
    }
    EXPECT_EQ(test::content_of(path), rank == 0 ? content : "something else");
  }
}

// The problem must be reported at the start, before the experience of hours is lost.
TEST_F(RestartTest, AFileThatCannotBeWrittenIsToldAtTheStartAndNoReasonToFail) {
  Options options = with_file();
  options.state = scratch.path_of("no directory/run.state");
  options.log = LogLevel::summary;
  testing::internal::CaptureStderr();
  Monitor monitor(outer, options);
  monitor.step();  // the watcher may be writing
  const std::string at_start = testing::internal::GetCapturedStderr();
  const std::string told = "evenkeel: the state cannot be written to '" + options.state +
                           "': No such file or directory; what this run learns will be lost\n";
  EXPECT_EQ(at_start, rank == 0 ? told : "");
  testing::internal::CaptureStderr();
  learn(monitor, 2);
  EXPECT_NO_THROW(monitor.finish());
  const std::string at_end = testing::internal::GetCapturedStderr();
  EXPECT_EQ(test::times(at_end, "the state cannot be written"), rank == 0 ? 1 : 0) << at_end;
  EXPECT_EQ(scratch.files(), std::vector<std::string>());
}

TEST_F(RestartTest, AFifoOrADirectoryIsTheSameErrorOnAllRanks) {
  for (const bool is_fifo : {true, false}) {
    std::filesystem::remove(path);
    if (is_fifo)
      ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    else
      std::filesystem::create_directory(path);
    EXPECT_ERROR_EVERYWHERE(Monitor monitor(outer, with_file()), "it cannot be read: ");
  }
}

TEST_F(RestartTest, OneFileForTwoPurposesIsTheSameErrorOnAllRanks) {
  Options options = with_file();
  options.control = scratch.path_of("./run.state");
  EXPECT_ERROR_EVERYWHERE(Monitor monitor(outer, options), "which is the same file.");
  EXPECT_EQ(scratch.files(), std::vector<std::string>());
}

// A look takes five steps until all ranks agree. It is dropped if the decomposition changes in the
// meantime, which happens to every look here. The cost of rebalances must still be learned.
TEST_F(RestartTest, TheCostIsLearnedAlsoWhereNoLookCounts) {
  Monitor monitor(outer, quiet(Every{.period = 10}));
  while (monitor.steps() < 100)
    if (monitor.step()) monitor.rebalanced({.bytes_moved = 4096, .seconds = 2});
  const Ledger ledger = state_in(monitor.saved_state()).ledger;
  EXPECT_GE(ledger.cost.cost, 2e9);
  EXPECT_GE(ledger.spent, 2e9);
  monitor.finish();
}

// --- In the journal ------------------------------------------------------------------------------

class RestartJournalTest : public RestartTest {
 protected:
  const std::string journal = scratch.path_of("run.jsonl");

  Options with_journal(Options options) const {
    options.journal = journal;
    return options;
  }

  void expect_header(const std::string& part) const {
    if (rank != 0) return;
    const std::string content = test::content_of(journal);
    EXPECT_MENTIONS(content.substr(0, content.find('\n')), part);
  }
};

TEST_F(RestartJournalTest, TheHeaderSaysWhetherTheStateIsRestored) {
  const std::string saved = saved_by_a_run(2, with_journal(with_file()));
  expect_header("\"restored\":false");
  expect_header("\"cost_weight\":0,");
  Monitor(outer, with_journal(with_file())).finish();
  expect_header("\"restored\":true");
  expect_header("\"cost_weight\":1,");
  Monitor third(outer, with_journal(quiet()));
  third.restore(saved);
  third.finish();
  expect_header("\"restored\":true");
  expect_header("\"cost_weight\":1,");
}

TEST_F(RestartJournalTest, HasTheStepsOfTheWholeRun) {
  const std::string saved = saved_by_a_run();
  Monitor monitor = even(with_journal(deterministic()));
  monitor.restore(saved);
  advised(monitor, 60);
  monitor.finish();
  if (rank != 0) return;
  const std::string content = test::content_of(journal);
  EXPECT_MENTIONS(content, "\n{\"step\":51,") << "11 steps after the last one";
  EXPECT_MENTIONS(content, "\n{\"finished\":true,\"step\":60,");
  EXPECT_EQ(test::times(content, "\"began_at\":40,"), 3);
}

// The watcher may be writing its journal line while the state is restored.
TEST_F(RestartJournalTest, AfterAFirstDistribution) {
  const std::string saved = saved_by_a_run();
  Options options = with_journal(quiet());
  options.watcher = true;
  Monitor second(outer, options);
  second.rebalanced({});
  second.restore(saved);
  EXPECT_EQ(second.steps(), 40);
  second.finish();
  expect_header("\"restored\":false");  // the run began without a restore
  EXPECT_MENTIONS(second.saved_state(), "cost_weight = 1");
}

}  // namespace
}  // namespace evenkeel::restart_test
