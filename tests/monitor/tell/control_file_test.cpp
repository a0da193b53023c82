
#include "support/harness.hpp"
#include "support/scratch.hpp"
#include "tell/control_desk.hpp"

#include <chrono>

#include <fcntl.h>

namespace evenkeel::control_file_test {
namespace {

using Lines = std::vector<std::string>;

class ControlFileTest : public testing::Test {
 protected:
  test::ScratchDirectory scratch;
  const std::string path = scratch.path_of("run.control");
  ControlFile file = ControlFile(path);

  static std::string judge(const std::string& line) {
    return command_from_text(line) || line.starts_with("journal ") ? "" : "what is " + line;
  }
  void write(const std::string& content) const { scratch.with_file("run.control", content); }
  ControlText take() { return file.take(&judge); }
  // Returns the lines taken from a file with this content.
  Lines said(const std::string& content) {
    write(content);
    return take().lines;
  }
  bool is_there() const { return std::filesystem::exists(std::filesystem::symlink_status(path)); }
  // Looks several times at a file that stays as it is. Returns the problem, which must be reported
  // once.
  std::string told_of_what_stays() {
    std::string told;
    for (int look = 0; look < 4; ++look) {
      const ControlText found = take();
      EXPECT_EQ(found.lines, Lines());
      EXPECT_TRUE(told.empty() || found.problem.empty()) << "reported once";
      told += found.problem;
    }
    EXPECT_TRUE(is_there());
    EXPECT_EQ(scratch.files().size(), 1U);
    return told;
  }
  std::string left_alone(const std::string& why) const {
    return "The control file '" + path + "' is left alone: " + why + '.';
  }
};

TEST_F(ControlFileTest, WithoutAFileNothingIsSaid) {
  for (const std::string& none :
       {path, scratch.path_of("no directory/run.control"), std::string()}) {
    const ControlText found = ControlFile(none).take(&judge);
    EXPECT_EQ(found.lines, Lines());
    EXPECT_EQ(found.problem, "");
  }
  EXPECT_EQ(scratch.files(), Lines());
}

TEST_F(ControlFileTest, ALineIsTakenOnce) {
  EXPECT_EQ(said("pause\n"), Lines{"pause"});
  EXPECT_FALSE(is_there());
  EXPECT_EQ(take().lines, Lines());
  EXPECT_EQ(said("resume\n"), Lines{"resume"}) << "and the next one";
  EXPECT_EQ(scratch.files(), Lines());
}

// A writer may be about to complete the line.
TEST_F(ControlFileTest, ALineWithoutItsEndIsLeftAlone) {
  EXPECT_EQ(said("reba"), Lines());
  EXPECT_EQ(test::content_of(path), "reba");
  EXPECT_EQ(said("rebalance"), Lines());
  EXPECT_EQ(said("rebalance\n"), Lines{"rebalance"});
}

TEST_F(ControlFileTest, ALineThatNeverEndsIsToldAndAnEmptyFileIsNot) {
  write("pause");
  EXPECT_EQ(told_of_what_stays(), left_alone("its last line has no line feed at its end"));
  write("");
  EXPECT_EQ(told_of_what_stays(), "");
}

TEST_F(ControlFileTest, AllLinesAreReadWithoutTheirEnds) {
  for (const char* line : {"pause\r\n", "pause   \n", "pause  \r \r\n"})
    EXPECT_EQ(said(line), Lines{"pause"});
  EXPECT_EQ(said("pause \r\n\nresume\n"), (Lines{"pause", "resume"}));
  EXPECT_EQ(said("pause\nres"), Lines());
  for (const std::string& line :
       {std::string("journal /tmp/my run.jsonl"), "journal " + std::string(4000, 'x')})
    EXPECT_EQ(said(line + " \n"), Lines{line}) << "blanks within it stay";
}

// --- Files without valid commands stay -----------------------------------------------------------

TEST_F(ControlFileTest, WhatIsNoCommandIsLeftAloneAndToldOnce) {
  const std::string binary(
      "\x7f"
      "ELF\0\1\2\n",
      8);
  for (const std::string& content :
       {std::string("reblance\n"), std::string("  pause\n"), std::string("pa\0use\n", 7), binary,
        std::string("pause\nTo be, or not to be\n"), std::string("To be\npause\n")}) {
    write(content);
    EXPECT_TRUE(told_of_what_stays().starts_with(left_alone("what is").substr(0, 60))) << content;
    EXPECT_EQ(test::content_of(path), content);
  }
}

TEST_F(ControlFileTest, ALongFileIsLeftAlone) {
  for (const std::string& content :
       {std::string(1 << 22, 'x'), std::string(1 << 22, 'x') + '\n', std::string(5000, '\n')}) {
    write(content);
    EXPECT_EQ(told_of_what_stays(), left_alone("it has more than 4096 bytes"));
    EXPECT_EQ(std::filesystem::file_size(path), content.size());
    std::filesystem::remove(path);
    EXPECT_EQ(take().problem, "");
  }
}

// The file may be the log of another program, for example.
TEST_F(ControlFileTest, AFileThatGrowsIsToldOnce) {
  scratch.with_file("run.control", "To be\n");
  EXPECT_EQ(take().problem, left_alone("what is To be"));
  for (int look = 0; look < 5; ++look) {
    std::ofstream(path, std::ios::app) << "or not to be\n";
    EXPECT_EQ(take().problem, "");
  }
}

TEST_F(ControlFileTest, EmptyLinesAreNoCommand) {
  scratch.with_file("run.control", "   \r\n\n");
  EXPECT_EQ(told_of_what_stays(), left_alone("it holds no command"));
}

TEST_F(ControlFileTest, WhatIsWrittenInItsPlaceIsRead) {
  scratch.with_file("run.control", "reblance\n");
  EXPECT_NE(take().problem, "");
  EXPECT_EQ(said("rebalance\n"), Lines{"rebalance"});
  for (int again = 0; again < 2; ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // file times are coarse
    write("reblance\n");
    EXPECT_NE(take().problem, "") << "reported again, since it came again";
  }
}

TEST_F(ControlFileTest, ADirectoryIsLeftAlone) {
  std::filesystem::create_directory(path);
  EXPECT_EQ(told_of_what_stays(), left_alone("Is a directory"));
}

// Opening the FIFO would wait for a writer.
TEST_F(ControlFileTest, AFifoIsLeftAlone) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(told_of_what_stays(), left_alone("it is not a regular file"));
}

TEST_F(ControlFileTest, ADeviceIsLeftAlone) {
  EXPECT_EQ(ControlFile("/dev/zero").take(&judge).problem,
            "The control file '/dev/zero' is left alone: it is not a regular file.");
}

TEST_F(ControlFileTest, ALinkIsLeftAlone) {
  const test::ScratchDirectory& same = scratch;
  const std::string secret = same.with_file("secret", "pause\n");
  std::filesystem::create_symlink(secret, path);
  EXPECT_EQ(take().problem, left_alone("it is a symbolic link"));
  EXPECT_EQ(take().problem, "");
  std::filesystem::remove(path);
  std::filesystem::create_hard_link(secret, path);
  EXPECT_EQ(take().problem, left_alone("it has several hard links"));
  EXPECT_EQ(test::content_of(secret), "pause\n");
  EXPECT_TRUE(is_there());
}

TEST_F(ControlFileTest, AFileOfAnotherUserIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  scratch.with_file("run.control", "pause\n");
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_EQ(told_of_what_stays(), left_alone("it belongs to another user"));
  EXPECT_EQ(test::content_of(path), "pause\n");
}

// If a file cannot be deleted, every look would read it again. So its lines must not be obeyed.
TEST_F(ControlFileTest, WhatCannotBeTakenAwayIsNotSaid) {
  scratch.with_file("run.control", "pause\n");
  const auto directory = std::filesystem::path(path).parent_path();
  ASSERT_EQ(geteuid() != 0 || chown(path.c_str(), 65534, 65534) == 0, true);
  std::filesystem::permissions(directory,
                               std::filesystem::perms::others_write |
                                   std::filesystem::perms::group_write |
                                   std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::remove);
  {
    const test::Unprivileged without_rights;
    EXPECT_EQ(told_of_what_stays(), left_alone("it cannot be renamed: Permission denied"));
  }
  std::filesystem::permissions(directory, std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  ASSERT_EQ(geteuid() != 0 || chown(path.c_str(), 0, 0) == 0, true);
  EXPECT_EQ(take().lines, Lines{"pause"});
}

// --- Writing while reading -----------------------------------------------------------------------

// `adding` is called twice: for the lines that were seen, and for the lines that were taken.
TEST_F(ControlFileTest, WhatIsAddedWhileItIsTakenIsObeyedToo) {
  scratch.with_file("run.control", "pause\n");
  bool is_first = true;
  const auto adding = [&](const std::string& line) {
    if (std::exchange(is_first, false)) std::ofstream(path, std::ios::app) << "rebalance\n";
    return judge(line);
  };
  EXPECT_EQ(file.take(adding).lines, (Lines{"pause", "rebalance"}));
  EXPECT_EQ(scratch.files(), Lines());
}

TEST_F(ControlFileTest, WhatIsBegunWhileItIsTakenStays) {
  scratch.with_file("run.control", "pause\n");
  bool is_first = true;
  const auto beginning = [&](const std::string& line) {
    if (std::exchange(is_first, false)) scratch.with_file("run.control", "resu");
    return judge(line);
  };
  EXPECT_EQ(file.take(beginning).lines, Lines());
  EXPECT_EQ(test::content_of(path), "resu");
  EXPECT_EQ(said("resume\n"), Lines{"resume"});
}

// The shell opens the file before it is taken, and writes to it afterwards.
TEST_F(ControlFileTest, WhatIsWrittenToTheTakenFileIsObeyedAtTheNextLook) {
  scratch.with_file("run.control", "pause\n");
  std::ofstream late(path, std::ios::app);
  EXPECT_EQ(take().lines, Lines{"pause"});
  late << "rebalance\n" << std::flush;
  EXPECT_EQ(take().lines, Lines{"rebalance"});
  EXPECT_EQ(take().lines, Lines());
}

TEST_F(ControlFileTest, AnotherFileThatComesMeanwhileIsNotTaken) {
  scratch.with_file("run.control", "pause\n");
  bool is_first = true;
  const auto replacing = [&](const std::string& line) {
    if (std::exchange(is_first, false))
      std::filesystem::rename(scratch.with_file("other", "precious"), path);
    return judge(line);
  };
  EXPECT_EQ(file.take(replacing).lines, Lines());
  EXPECT_EQ(test::content_of(path), "precious");
  EXPECT_EQ(scratch.files(), Lines{"run.control"});
}

TEST(CommandFromText, KnowsThreeWords) {
  EXPECT_EQ(command_from_text("pause"), Command::pause);
  EXPECT_EQ(command_from_text("resume"), Command::resume);
  EXPECT_EQ(command_from_text("rebalance"), Command::rebalance);
}

TEST(CommandFromText, AndNoOthers) {
  for (const char* word : {"", "none", "Pause", "PAUSE", " pause", "pause ", "pause resume", "paus",
                           "pauses", "journal", "journal x", "rebalance!"})
    EXPECT_EQ(command_from_text(word), std::nullopt) << word;
}

// --- Several readers of one file -----------------------------------------------------------------

using ControlDeskTest = ControlFileTest;

TEST_F(ControlDeskTest, WithoutANameACommandIsForAll) {
  ControlReader fluid(path, "fluid"), solid(path, "solid"), nameless(path, "");
  write("pause\n");
  for (ControlReader* reader : {&solid, &fluid, &nameless}) {
    EXPECT_EQ(reader->listen().lines, Lines{"pause"});
    EXPECT_EQ(reader->listen().lines, Lines());
  }
  EXPECT_FALSE(is_there());
}

TEST_F(ControlDeskTest, WithANameItIsForThoseOfThatName) {
  ControlReader fluid(path, "fluid"), solid(path, "solid"), other_fluid(path, "fluid");
  write("fluid: pause\nsolid:rebalance\n");
  EXPECT_EQ(solid.listen().lines, Lines{"rebalance"});
  EXPECT_EQ(fluid.listen().lines, Lines{"pause"});
  EXPECT_EQ(other_fluid.listen().lines, Lines{"pause"});
  write("solid: journal /tmp/a: b\n");
  EXPECT_EQ(fluid.listen().lines, Lines());
  EXPECT_EQ(solid.listen().lines, Lines{"journal /tmp/a: b"});
}

TEST_F(ControlDeskTest, ANameThatNobodyHasIsToldAndStays) {
  ControlReader fluid(path, "fluid"), nameless(path, "");
  for (const char* line : {"gas: pause\n", ": pause\n", "fluid: paus\n", "fluid\n"}) {
    write(line);
    EXPECT_NE(fluid.listen().problem, "") << line;
    EXPECT_EQ(nameless.listen().problem, "") << "once for all readers";
    EXPECT_EQ(nameless.listen().lines, Lines());
    EXPECT_TRUE(is_there()) << line;
  }
}

TEST_F(ControlDeskTest, AJournalIsForOne) {
  ControlReader fluid(path, "fluid");
  write("journal run.jsonl\n");
  EXPECT_EQ(fluid.listen().lines, Lines{"journal run.jsonl"});
  ControlReader solid(path, "solid");
  write("journal run.jsonl\n");
  EXPECT_MENTIONS(fluid.listen().problem, "a journal is for one");
  EXPECT_TRUE(is_there());
}

TEST_F(ControlDeskTest, WhoHasLeftIsWaitedForNoMore) {
  std::optional<ControlReader> fluid(std::in_place, path, "fluid");
  ControlReader solid(path, "solid");
  fluid.reset();
  write("pause\n");
  EXPECT_EQ(solid.listen().lines, Lines{"pause"});
  fluid.emplace(path, "fluid");
  EXPECT_EQ(fluid->listen().lines, Lines()) << "said before its time";
}

TEST_F(ControlDeskTest, TheFileMayBeSpelledDifferently) {
  std::filesystem::create_directory(scratch.path_of("inside"));
  ControlReader fluid(path, "fluid");
  ControlReader solid(scratch.path_of("inside/../run.control"), "solid");
  write("pause\n");
  EXPECT_EQ(fluid.listen().lines, Lines{"pause"});
  EXPECT_EQ(solid.listen().lines, Lines{"pause"});
}

}  // namespace
}  // namespace evenkeel::control_file_test
