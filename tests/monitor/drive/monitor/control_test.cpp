// Tests commands from outside to a running Monitor, through Options::control.

#include "monitor/drive/monitor/watching.hpp"
#include "support/scratch.hpp"

#include <chrono>
#include <filesystem>
#include <sstream>

#include <sys/stat.h>

namespace evenkeel::control_test {
namespace {

using namespace test;

class ControlTest : public MonitorTest {
 protected:
  test::ScratchDirectory scratch;  // of this rank; only rank 0's options count
  const std::string path = scratch.path_of("run.control");

  Options controlled(const Trigger& trigger, bool watcher = false) const {
    Options options = exact(trigger);
    options.control = path;
    options.watcher = watcher;
    options.log = LogLevel::off;
    return options;
  }

  // Under this trigger, the load always calls for a rebalance.
  Trigger by_load() const { return size > 1 ? Trigger(Threshold{.lambda = 1.5}) : Custom{&always}; }

  void write(const std::string& line) const {
    if (rank == 0) scratch.with_file("run.control", line + '\n');
  }

  // The watcher decides when it reads the file.
  void wait_until_it_was_read() const {
    using std::chrono::steady_clock;
    const auto limit = steady_clock::now() + std::chrono::seconds(20);
    while (std::filesystem::exists(path) && steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_FALSE(std::filesystem::exists(path));
  }

  // Rank 0 writes the line. All ranks step to the end of the epoch at which it is read.
  Steps say(Monitor& monitor, const std::string& line) const {
    write(line);
    std::int64_t last = monitor.steps() + 1;
    Steps steps;
    for (bool looks = false; !looks; ++last) {
      looks = monitor.next_step_looks();
      std::ranges::copy(advised(monitor, last), std::back_inserter(steps));
    }
    if (rank == 0) wait_until_it_was_read();
    return steps;
  }

  static std::vector<std::string> lines_of(const std::string& file) {
    std::vector<std::string> lines;
    std::istringstream content(test::content_of(file));
    for (std::string line; std::getline(content, line);) lines.push_back(line);
    return lines;
  }

  // Steps by one epoch at a time, until an epoch has an advice, or, if `advice` is false, has no
  // advice.
  bool comes_to(Monitor& monitor, bool advice) const {
    constexpr int patience = 5000;
    for (int epoch = 0; epoch < patience; ++epoch)
      if (advised(monitor, monitor.steps() + 8).empty() != advice) return true;
    return false;
  }
};

// With the watcher, a command is certainly obeyed. Without it, the step is known as well.
class ControlByAnyoneTest : public ControlTest, public testing::WithParamInterface<bool> {
 protected:
  Options controlled(const Trigger& trigger) const {
    return ControlTest::controlled(trigger, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Watcher, ControlByAnyoneTest, testing::Bool());

// --- Commands ------------------------------------------------------------------------------------

TEST_P(ControlByAnyoneTest, ARebalanceIsAdvisedOnceAlthoughTheLoadIsEven) {
  for (const Trigger& trigger : {Trigger(Never{}), Trigger(Threshold{.lambda = 1.1})}) {
    Monitor monitor = even(controlled(trigger));
    EXPECT_EQ(advised(monitor, 40), Steps());
    EXPECT_EQ(say(monitor, "rebalance"), Steps());
    EXPECT_TRUE(comes_to(monitor, true));
    EXPECT_EQ(advised(monitor, monitor.steps() + 40), Steps());
    monitor.finish();
  }
}

TEST_P(ControlByAnyoneTest, APauseLastsUntilAResume) {
  for (const Trigger& trigger : {by_load(), Trigger(Every{.period = 5})}) {
    Monitor monitor = uneven(controlled(trigger));
    EXPECT_FALSE(advised(monitor, 40).empty());
    say(monitor, "pause");
    EXPECT_TRUE(comes_to(monitor, false));
    EXPECT_EQ(advised(monitor, monitor.steps() + 80), Steps());
    say(monitor, "resume");
    EXPECT_TRUE(comes_to(monitor, true));
    for (int epoch = 0; epoch < 5; ++epoch)
      EXPECT_FALSE(advised(monitor, monitor.steps() + 8).empty());
    monitor.finish();
  }
}

TEST_P(ControlByAnyoneTest, ARebalanceIsAdvisedInAPause) {
  Monitor monitor = uneven(controlled(by_load()));
  say(monitor, "pause");
  EXPECT_TRUE(comes_to(monitor, false));
  say(monitor, "rebalance");
  EXPECT_TRUE(comes_to(monitor, true));
  EXPECT_EQ(advised(monitor, monitor.steps() + 40), Steps()) << "and the pause continues";
  monitor.finish();
}

// Whatever the file is, it must stay unchanged, and the run must reach its end.
TEST_P(ControlByAnyoneTest, WhatIsNoCommandChangesNothingAndIsToldOnce) {
  const auto make_fifo = [&] { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); };
  const auto make_link = [&] {
    std::filesystem::create_symlink(scratch.with_file("secret", "pause\n"), path);
  };
  const std::vector<std::function<void()>> makers = {
      make_fifo,
      make_link,
      [&] { std::filesystem::create_directory(path); },
      [&] { scratch.with_file("run.control", "reblance\n"); },
      [&] { scratch.with_file("run.control", std::string("\x7f\0\n", 3)); },
      [&] { scratch.with_file("run.control", "others: pause\n"); }};
  for (const auto& make : makers) {
    make();
    const std::string before = std::filesystem::is_regular_file(path) ? test::content_of(path) : "";
    Options options = controlled(Custom{&always});
    options.log = LogLevel::decisions;
    testing::internal::CaptureStderr();
    {
      Monitor monitor = uneven(options);
      EXPECT_EQ(advised(monitor, 40), usual_advice);
      monitor.finish();
    }
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_EQ(test::times(log, "is left alone"), rank == 0 ? 1 : 0) << log;
    EXPECT_TRUE(std::filesystem::exists(path));
    EXPECT_EQ(std::filesystem::is_regular_file(path) ? test::content_of(path) : "", before);
    std::filesystem::remove(path);
  }
}

// --- Several monitors of one file ----------------------------------------------------------------

TEST_P(ControlByAnyoneTest, SeveralAreAddressedByName) {
  Options of_fluid = controlled(Never{}), of_solid = of_fluid;
  of_fluid.name = "fluid";
  of_solid.name = "solid";
  Monitor fluid(outer, of_fluid), solid(outer, of_solid);
  EXPECT_EQ(fluid.options().name, "fluid");
  fluid.set_load(1);
  solid.set_load(1);
  const auto go_on = [&](int steps) {
    std::array<int, 2> advices = {};
    for (int step = 0; step < steps; ++step) {
      advices[0] += fluid.step().rebalance ? 1 : 0;
      advices[1] += solid.step().rebalance ? 1 : 0;
    }
    return advices;
  };
  const auto say_to_both = [&](const std::string& line) {
    write(line);
    std::array<int, 2> advices = go_on(16);
    if (rank == 0) wait_until_it_was_read();
    // A line that is read now is sent at the next look. Five steps later, all ranks have agreed on
    // it.
    for (int patience = 0; patience < 20; ++patience) {
      if (GetParam()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      outer.barrier();
      const auto more = go_on(8);
      advices[0] += more[0];
      advices[1] += more[1];
    }
    return advices;
  };
  EXPECT_EQ(say_to_both("solid: rebalance"), (std::array<int, 2>{0, 1}));
  EXPECT_EQ(say_to_both("fluid: rebalance"), (std::array<int, 2>{1, 0}));
  EXPECT_EQ(say_to_both("rebalance"), (std::array<int, 2>{1, 1}));
  EXPECT_EQ(say_to_both("solid: rebalance\nfluid: rebalance"), (std::array<int, 2>{1, 1}));
  solid.finish();
  fluid.finish();
}

TEST_P(ControlByAnyoneTest, NothingIsSaidWithoutAFile) {
  Monitor monitor = uneven(controlled(Custom{&always}));
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
  EXPECT_EQ(scratch.files(), std::vector<std::string>());
}

TEST_P(ControlByAnyoneTest, WhatIsSaidAtTheEndDoesNoHarm) {
  Monitor monitor = uneven(controlled(Custom{&always}));
  say(monitor, "rebalance");
  monitor.finish();
  Monitor let_go = uneven(controlled(Custom{&always}));
  write("rebalance");
  advised(let_go, 11);
}

TEST_P(ControlByAnyoneTest, OnlyTheFileOfRankZeroIsRead) {
  if (rank != 0) scratch.with_file("run.control", "rebalance\n");
  Monitor monitor = even(controlled(Never{}));
  EXPECT_EQ(advised(monitor, 60), Steps());
  EXPECT_EQ(test::content_of(path), rank == 0 ? "" : "rebalance\n");
  say(monitor, "rebalance");
  EXPECT_TRUE(comes_to(monitor, true));
  monitor.finish();
  EXPECT_EQ(std::filesystem::exists(path), rank != 0);
}

TEST_P(ControlByAnyoneTest, WhereRankZeroNamesNoneThereIsNone) {
  Options options = controlled(Never{});
  if (rank == 0) options.control = "";
  scratch.with_file("run.control", "rebalance\n");
  Monitor monitor = even(options);
  EXPECT_EQ(monitor.options().control, "");
  EXPECT_EQ(advised(monitor, 60), Steps());
  monitor.finish();
  EXPECT_TRUE(std::filesystem::exists(path));
}

// Looks are at 11, 19, 27, ... If one look reads a line, the next look sends it to all ranks. Five
// steps later they have agreed on it.
TEST_F(ControlTest, WithoutAWatcherOneLookReadsAndTheNextOneTells) {
  Monitor monitor = even(controlled(Never{}));
  write("rebalance");
  EXPECT_EQ(advised(monitor, 60), Steps{24});
  write("rebalance");
  EXPECT_EQ(advised(monitor, 100), Steps{80});
  monitor.finish();
}

TEST_F(ControlTest, WithoutAWatcherAPauseIsKnownTwoLooksLater) {
  Monitor monitor = uneven(controlled(by_load()));
  EXPECT_EQ(advised(monitor, 16), Steps{16});
  write("pause");
  EXPECT_EQ(advised(monitor, 80), Steps{24});
  write("resume");
  EXPECT_EQ(advised(monitor, 112), (Steps{96, 104, 112}));
  monitor.finish();
}

TEST_F(ControlTest, TheAdviceSaysThatItWasAskedFor) {
  Monitor monitor = even(controlled(Never{}));
  write("rebalance");
  Advice advice;
  while (monitor.steps() < 24) advice = monitor.step();
  EXPECT_EQ(advice.reason, "asked for from outside");
  monitor.finish();
}

// A command during a pause must also wait for a step that may move. Decisions from before the pause
// must be dropped.
TEST_F(ControlTest, WithoutAWatcherARebalanceInAPauseWaitsForAStepThatMayMove) {
  Monitor monitor = uneven(controlled(by_load()));
  const auto advised_at = [&](std::int64_t last, std::int64_t may_move_from) {
    Steps steps;
    while (monitor.steps() < last)
      if (monitor.step(0, {.may_move = monitor.steps() + 1 >= may_move_from}))
        steps.push_back(monitor.steps());
    return steps;
  };
  write("pause");
  EXPECT_EQ(advised_at(24, 25), Steps()) << "decided on at 16";
  EXPECT_EQ(advised_at(25, 0), Steps()) << "and forgotten";
  write("rebalance");
  EXPECT_EQ(advised_at(50, 44), Steps{44}) << "received at 35, decided on at 40";
  EXPECT_EQ(advised_at(90, 0), Steps());
  monitor.finish();
}

// The last one of pause and resume counts. Each look sends one command.
TEST_F(ControlTest, WithoutAWatcherTheLinesOfOneFileAreToldLookByLook) {
  Monitor monitor = uneven(controlled(by_load()));
  write("resume\nrebalance\npause");
  EXPECT_EQ(advised(monitor, 100), (Steps{16, 32}));
  monitor.finish();
}

// The next command must wait for the next look.
TEST_F(ControlTest, CommandsAreObeyedOneByOne) {
  Monitor monitor = even(controlled(Never{}));
  Steps steps;
  for (int i = 0; i < 3; ++i)
    std::ranges::copy(say(monitor, "rebalance"), std::back_inserter(steps));
  std::ranges::copy(advised(monitor, 60), std::back_inserter(steps));
  EXPECT_EQ(steps, (Steps{24, 32, 40}));
  monitor.finish();
}

TEST_F(ControlTest, ACommandThatWasTakenStartsTheCoolDown) {
  Options options = controlled(Custom{&always});
  options.cooldown_steps = 1000;
  Monitor monitor = uneven(options);
  write("pause");
  EXPECT_EQ(advised(monitor, 60), (Steps{16}));
  write("rebalance");
  EXPECT_EQ(advised(monitor, 80, [&] { monitor.rebalanced(); }), Steps{80});
  write("resume");
  EXPECT_EQ(advised(monitor, 300), Steps());
  monitor.finish();
}

// Both the command and the trigger act at step 24. The look must still be in the journal.
TEST_F(ControlTest, ACommandAtAStepThatIsDueLosesNoLook) {
  Options options = controlled(Every{.start = 24, .period = 1000});
  options.journal = scratch.path_of("run.jsonl");
  Monitor monitor = even(options);
  write("rebalance");
  EXPECT_EQ(advised(monitor, 40), Steps{24});
  monitor.finish();
  if (rank != 0) return;
  EXPECT_MENTIONS(test::content_of(options.journal), "{\"step\":19,");
}

// The command is read at the first look. Before it, the journal has no line.
TEST_F(ControlTest, AJournalBeginsWithItsHeaderHoweverEarlyItIsAskedFor) {
  const std::string journal = scratch.path_of("run.jsonl");
  Monitor monitor = even(controlled(Never{}));
  write("journal " + journal);
  advised(monitor, 24);
  monitor.finish();
  if (rank != 0) return;
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_MENTIONS(lines[0], "{\"version\":");
  EXPECT_MENTIONS(lines[3], "{\"finished\":");
}

// --- A journal that is requested during the run --------------------------------------------------

class ControlledJournalTest : public ControlByAnyoneTest {
 protected:
  const std::string journal = scratch.path_of("run.jsonl");

  Monitor run(const Options& options) const {
    Monitor monitor = uneven(options);
    static_cast<void>(monitor.kernel("force"));
    return monitor;
  }

  // Advice is followed now and then, and sometimes the application rebalances by itself.
  void go_on(Monitor& monitor, std::int64_t last) const {
    while (monitor.steps() < last) {
      const bool advised = monitor.step().rebalance;
      if ((advised && monitor.steps() % 16 == 0) || monitor.steps() % 50 == 0)
        monitor.rebalanced({.moved = false, .objects_moved = 3, .seconds = 0.25});
    }
  }

  // After this step, rank 0 writes the line. It is read before the next look is over.
  void say_at(Monitor& monitor, std::int64_t step, const std::string& line) const {
    go_on(monitor, step);
    write(line);
    go_on(monitor, step + 8);
    if (rank == 0) wait_until_it_was_read();
  }

  // The lines of a complete run that writes its journal from the start.
  std::vector<std::string> lines_from_the_start(std::int64_t last) {
    Options options = controlled(by_load());
    options.journal = scratch.path_of("from the start.jsonl");
    Monitor monitor = run(options);
    go_on(monitor, last);
    monitor.finish();
    return lines_of(options.journal);
  }

  // Compares all lines except the header.
  static void expect_looks(const std::vector<std::string>& lines,
                           const std::vector<std::string>& expected) {
    ASSERT_EQ(lines.size(), expected.size());
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i], expected[i]) << i;
  }
};

INSTANTIATE_TEST_SUITE_P(Watcher, ControlledJournalTest, testing::Bool());

TEST_P(ControlledJournalTest, HasAllTheLinesOfOneFromTheStart) {
  Monitor monitor = run(controlled(by_load()));
  go_on(monitor, 28);  // by now there is a header
  say_at(monitor, 44, "journal " + journal);
  go_on(monitor, 130);
  monitor.finish();
  const auto expected = lines_from_the_start(130);
  if (rank != 0) return;
  const auto lines = lines_of(journal);
  ASSERT_GT(lines.size(), 15U);
  EXPECT_MENTIONS(lines[0], "{\"version\":");
  EXPECT_MENTIONS(lines[0], "\"kernels\":[\"force\"]");
  expect_looks(lines, expected);
}

// Files of others, and files that this run uses, must not be replaced.
TEST_P(ControlledJournalTest, ReplacesNoFile) {
  const std::string precious = scratch.with_file("precious", "a work of years\n");
  const std::string state = scratch.path_of("run.state");
  Options options = controlled(by_load());
  options.state = state;
  options.log = LogLevel::decisions;
  testing::internal::CaptureStderr();
  {
    Monitor monitor = run(options);
    say_at(monitor, 20, "journal " + precious);
    say_at(monitor, 44, "journal " + state);
    say_at(monitor, 68, "journal " + scratch.path_of("./run.control"));
    go_on(monitor, 100);
    monitor.finish();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(test::content_of(precious), "a work of years\n");
  EXPECT_FALSE(std::filesystem::exists(path));
  if (rank != 0) return;
  EXPECT_TRUE(test::content_of(state).starts_with("evenkeel state 1\n"));
  EXPECT_EQ(test::times(log, "cannot be written: File exists."), 1) << log;
  EXPECT_EQ(test::times(log, "which this run uses"), 2) << log;
}

TEST_P(ControlledJournalTest, ThatCannotBeWrittenDoesNotEndTheRun) {
  Monitor monitor = run(controlled(by_load()));
  say_at(monitor, 20, "journal " + scratch.path_of("no directory/run.jsonl"));
  say_at(monitor, 44, "journal " + journal);
  go_on(monitor, 130);
  monitor.finish();
  const auto expected = lines_from_the_start(130);
  if (rank == 0) expect_looks(lines_of(journal), expected);
}

// The second journal must have all later lines. The progress of the watcher determines where it
// begins.
TEST_P(ControlledJournalTest, MayBeAskedForAgain) {
  const std::string second = scratch.path_of("second.jsonl");
  Monitor monitor = run(controlled(by_load()));
  go_on(monitor, 28);  // by now there is a header
  say_at(monitor, 44, "journal " + journal);
  say_at(monitor, 92, "journal " + second);
  go_on(monitor, 160);
  monitor.finish();
  const auto expected = lines_from_the_start(160);
  if (rank != 0) return;
  auto lines = lines_of(journal);
  const auto rest = lines_of(second);
  ASSERT_GE(lines.size(), 2U);
  ASSERT_GT(rest.size(), 5U);
  EXPECT_EQ(lines[0], rest[0]) << "the header";
  lines.insert(lines.end(), rest.begin() + 1, rest.end());
  expect_looks(lines, expected);
}

// Lines before the last thousand must be dropped.
TEST_F(ControlTest, OfALongRunTheLastThousandLinesAreKept) {
  Options options = controlled(Never{});
  options.epoch_steps = 6;
  Monitor monitor = even(options);
  while (monitor.steps() < 6614) monitor.step();  // now 1101 looks are over
  const std::string journal = scratch.path_of("run.jsonl");
  write("journal " + journal);
  while (monitor.steps() < 6620) monitor.step();
  monitor.finish();
  if (rank != 0) return;
  const auto lines = lines_of(journal);
  ASSERT_EQ(lines.size(), 1U + 1000 + 1 + 1);
  EXPECT_MENTIONS(lines[0], "{\"version\":");
  EXPECT_MENTIONS(lines[1], "{\"step\":615,");
  EXPECT_MENTIONS(lines[1001], "{\"step\":6615,");
  EXPECT_MENTIONS(lines.back(), "{\"finished\":");
}

}  // namespace
}  // namespace evenkeel::control_test
