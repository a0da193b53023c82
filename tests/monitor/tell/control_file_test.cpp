#include "tell/control_file.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

class ControlFileTest : public testing::Test {
 protected:
  test::ScratchDirectory scratch;
  const std::string path = scratch.path_of("run.control");

  // What is taken from a file with this content.
  std::optional<std::string> said(const std::string& content) const {
    scratch.with_file("run.control", content);
    return ControlFile(path).take();
  }
  bool is_there() const { return std::filesystem::exists(path); }
};

TEST_F(ControlFileTest, WithoutAFileNothingIsSaid) {
  EXPECT_EQ(ControlFile(path).take(), std::nullopt);
  EXPECT_EQ(ControlFile(scratch.path_of("no directory/run.control")).take(), std::nullopt);
  EXPECT_EQ(ControlFile("").take(), std::nullopt);
  EXPECT_EQ(scratch.files(), std::vector<std::string>());
}

TEST_F(ControlFileTest, ALineIsTakenOnce) {
  EXPECT_EQ(said("pause\n"), "pause");
  EXPECT_FALSE(is_there());
  EXPECT_EQ(ControlFile(path).take(), std::nullopt);
  EXPECT_EQ(said("resume\n"), "resume") << "and the next one";
}

// Somebody is about to write it.
TEST_F(ControlFileTest, ALineWithoutItsEndIsLeftAlone) {
  EXPECT_EQ(said("reba"), std::nullopt);
  EXPECT_EQ(test::content_of(path), "reba");
  EXPECT_EQ(said("rebalance"), std::nullopt);
  EXPECT_EQ(said("rebalance\n"), "rebalance");
}

TEST_F(ControlFileTest, AnEmptyFileIsLeftAlone) {
  EXPECT_EQ(said(""), std::nullopt);
  EXPECT_TRUE(is_there());
}

TEST_F(ControlFileTest, AnEmptyLineSaysNothingInParticular) {
  EXPECT_EQ(said("\n"), "");
  EXPECT_FALSE(is_there());
  EXPECT_EQ(command_from_text(""), std::nullopt);
}

TEST_F(ControlFileTest, TheEndOfALineMayLookOtherwise) {
  EXPECT_EQ(said("pause\r\n"), "pause");
  EXPECT_EQ(said("pause   \n"), "pause");
  EXPECT_EQ(said("pause  \r \r\n"), "pause");
  EXPECT_EQ(said("   \r\n"), "");
}

TEST_F(ControlFileTest, BlanksWithinALineStay) {
  EXPECT_EQ(said("journal /tmp/my run.jsonl \n"), "journal /tmp/my run.jsonl");
  EXPECT_EQ(said("  pause\n"), "  pause");
}

TEST_F(ControlFileTest, AZeroIsACharacter) {
  EXPECT_EQ(said(std::string("pa\0use\n", 7)), std::string("pa\0use", 6));
}

TEST_F(ControlFileTest, OfAHugeLineTheBeginningIsRead) {
  const std::string beginning(4096, 'x');
  EXPECT_EQ(said(std::string(1 << 22, 'x')), beginning);
  EXPECT_EQ(said(std::string(1 << 22, 'x') + '\n'), beginning);
  EXPECT_FALSE(is_there());
}

TEST_F(ControlFileTest, AllLinesAreRead) {
  EXPECT_EQ(said("pause \r\n\nresume\n"), "pause\n\nresume");
  EXPECT_EQ(said("pause\nres"), std::nullopt);
}

TEST_F(ControlFileTest, ALongLineIsRead) {
  const std::string path_of_journal = "journal " + std::string(4000, 'x');
  EXPECT_EQ(said(path_of_journal + '\n'), path_of_journal);
}

TEST_F(ControlFileTest, ADirectoryOfThatNameIsNoFile) {
  std::filesystem::create_directory(path);
  EXPECT_EQ(ControlFile(path).take(), std::nullopt);
  EXPECT_TRUE(is_there());
}

// It would be read again at every look.
TEST_F(ControlFileTest, WhatCannotBeTakenAwayIsNotSaid) {
  scratch.with_file("run.control", "pause\n");
  const auto directory = std::filesystem::path(path).parent_path();
  std::filesystem::permissions(directory,
                               std::filesystem::perms::others_write |
                                   std::filesystem::perms::group_write |
                                   std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::remove);
  {
    const test::Unprivileged without_rights;
    EXPECT_EQ(ControlFile(path).take(), std::nullopt);
  }
  EXPECT_TRUE(is_there());
  std::filesystem::permissions(directory, std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(ControlFile(path).take(), "pause");
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

}  // namespace
}  // namespace evenkeel
