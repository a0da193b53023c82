// Runs `evenkeel control` as its users start it, during a run.

#include "monitor/drive/monitor/watching.hpp"
#include "tools/program_test.hpp"

#include <atomic>

#include <sys/stat.h>

namespace evenkeel::tool::control_test {
namespace {

using test::Ended;
using test::Words;

class ControlProgram : public test::ProgramTest {
 protected:
  ControlProgram() : ProgramTest("control") {}

  void expect_refused(const Words& arguments, const std::string& text) const {
    ProgramTest::expect_refused(arguments, text);
    EXPECT_FALSE(std::filesystem::exists(file_));
  }

  // Runs the program while a run reads the file, and returns its end. `advised` gets the steps at
  // which the run gives advice, which is its answer to the command `rebalance`.
  Ended said_to_a_run(Words arguments, std::vector<std::int64_t>& advised) const {
    Options options = test::exact(Never{});
    options.control = file_;
    options.name = "fluid";
    Monitor monitor(Communicator::self(), options);
    monitor.set_load(1);
    std::atomic<bool> has_ended = false;
    Ended ended;
    std::thread program([&] {
      arguments.insert(arguments.begin(), file_);
      ended = run(arguments);
      has_ended = true;
    });
    const auto go_on = [&](std::int64_t steps) {
      for (std::int64_t step = 0; step < steps; ++step)
        if (monitor.step()) advised.push_back(monitor.steps());
    };
    while (!has_ended) {
      go_on(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.join();
    go_on(40);
    monitor.finish();
    return ended;
  }

  const std::string file_ = directory_.path_of("run.control");
};

TEST_F(ControlProgram, ARunTakesACommandAndObeysIt) {
  std::vector<std::int64_t> advised;
  const Ended ended = said_to_a_run({"rebalance", "--wait", "30"}, advised);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "taken      rebalance\n");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(advised.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(ControlProgram, ACommandForOneByItsName) {
  std::vector<std::int64_t> advised;
  EXPECT_EQ(said_to_a_run({"rebalance", "--name", "fluid", "--wait", "30"}, advised).out,
            "taken      fluid: rebalance\n");
  EXPECT_EQ(advised.size(), 1U);
}

TEST_F(ControlProgram, AJournal) {
  std::vector<std::int64_t> advised;
  const std::string journal = directory_.path_of("a b.jsonl");
  EXPECT_EQ(said_to_a_run({"journal", journal, "--wait", "30"}, advised).status, 0);
  EXPECT_TRUE(test::content_of(journal).starts_with("{\"version\":"));
  EXPECT_TRUE(advised.empty());
}

// No run has this name, so the line stays in the file.
TEST_F(ControlProgram, WhatNoRunTakesIsSaid) {
  std::vector<std::int64_t> advised;
  const Ended ended = said_to_a_run({"rebalance", "--name", "solid", "--wait", "0.5"}, advised);
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(
      ended.err.starts_with("evenkeel: tools/files: No run has taken 'solid: rebalance' "
                            "from '" +
                            file_ + "' in 0.5 s."))
      << ended.err;
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  EXPECT_EQ(test::content_of(file_), "solid: rebalance\n");
  EXPECT_TRUE(advised.empty());
}

TEST_F(ControlProgram, CommandsThatWaitStandBehindEachOther) {
  EXPECT_EQ(run({file_, "pause", "--wait", "0"}).out, "written    pause\n");
  EXPECT_EQ(run({file_, "resume", "--wait", "0"}).out, "written    resume\n");
  EXPECT_EQ(test::content_of(file_), "pause\nresume\n");
}

TEST_F(ControlProgram, WhatIsRefused) {
  expect_refused({}, "file is required");
  expect_refused({file_}, "command is required");
  expect_refused({file_, "stop"}, "tools/control: 'stop' is not a command.");
  expect_refused({file_, "journal"}, "tools/control: The command journal lacks its path.");
  expect_refused({file_, "pause", "x"}, "tools/control: The command pause takes no path.");
  expect_refused({file_, "journal", "a\nresume"}, "tools/control: The path of the journal has");
  expect_refused({file_, "pause", "--name", "a b"}, "tools/control: --name is 'a b'.");
  expect_refused({file_, "pause", "--wait", "-1"}, "tools/control: --wait is -1.");
  expect_refused({file_, "journal", std::string(5000, 'x')},
                 "tools/control: No run would obey this command: it has more than 4096 bytes.");
  expect_refused({directory_.path_of("none/run.control"), "pause"},
                 "tools/control: The control file '");
}

// A mistaken path must not spoil a file. The tests of the file are those of a run.
TEST_F(ControlProgram, AFileOfAnotherKindIsLeftAsItIs) {
  const std::string no_command =
      " is not a command: give pause, resume, rebalance, or journal and a path.";
  const std::vector<std::pair<std::string, std::string>> others = {
      {"To be\n", "'To be'" + no_command},
      {"pause\nx = 1\n", "'x = 1'" + no_command},
      {"{\"version\":\"0.1.0\"}\n", "'{\"version\":\"0.1.0\"}'" + no_command},
      {"pau", "its last line has no line feed at its end."},
      {std::string(1, '\0'), "its last line has no line feed at its end."},
      {"\n", "it holds no command."},
      {std::string(4095, '\n') + 'x', "its last line has no line feed at its end."},
      {std::string(5000, 'x'), "it has more than 4096 bytes."},
      {"journal " + std::string(4085, 'x') + '\n', "it has more than 4096 bytes."}};
  for (const auto& [content, reason] : others) {
    file("run.control", content);
    ProgramTest::expect_refused(
        {file_, "pause", "--wait", "0"},
        "tools/control: The control file '" + file_ + "' cannot be written: " + reason + " Give");
    EXPECT_EQ(test::content_of(file_), content);
  }
  file("run.control", "pause\n");
  std::filesystem::create_hard_link(file_, path("other"));
  ProgramTest::expect_refused({file_, "pause"}, "tools/control: The control file '" + file_ +
                                                    "' cannot be written: it has several hard");
  EXPECT_EQ(test::content_of(file_), "pause\n");
}

TEST_F(ControlProgram, AnEmptyFileIsOneWithoutCommands) {
  file("run.control", "");
  EXPECT_EQ(run({file_, "pause", "--wait", "0"}).status, 0);
  EXPECT_EQ(test::content_of(file_), "pause\n");
}

// The program must not wait for a file that is not regular, and must not change it.
TEST_F(ControlProgram, WhatIsNoRegularFileIsRefused) {
  const auto expect_left = [&](const std::string& reason) {
    const Ended ended = run({file_, "pause"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find(reason), std::string::npos) << ended.err;
    std::filesystem::remove(file_);
  };
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  expect_left("cannot be written: ");
  std::filesystem::create_directory(file_);
  expect_left("cannot be written: ");
  const std::string other = directory_.with_file("other", "kept\n");
  std::filesystem::create_symlink(other, file_);
  expect_left("it is a link");
  EXPECT_EQ(test::content_of(other), "kept\n");
}

}  // namespace
}  // namespace evenkeel::tool::control_test
