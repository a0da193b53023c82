#include "files/output_file.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <sys/stat.h>

namespace evenkeel::tool::output_file_test {
namespace {

using test::content_of;
using test::error_of;
using test::FullDisk;

using Names = std::vector<std::string>;

struct OutputFiles : testing::Test {
  test::ScratchDirectory directory;
  std::string path = directory.path_of("out");
};

std::string refusal(const std::string& path, const std::string& reason) {
  return "evenkeel: tools/files: The file '" + path + "' cannot be written: " + reason +
         ". Name a file in a directory that exists and that you may write to.";
}

mode_t permissions_of(const std::string& path) {
  struct stat status = {};
  stat(path.c_str(), &status);
  return status.st_mode & 0777U;
}

TEST_F(OutputFiles, IsFinishedBeforeItHasItsName) {
  for (const bool committed : {false, true}) {
    OutputFile file(path);
    file.write("bytes");
    file.finish();
    EXPECT_FALSE(std::filesystem::exists(path));
    if (committed) file.commit();
  }
  EXPECT_EQ(content_of(path), "bytes");
  EXPECT_EQ(directory.files(), Names{"out"});
}

TEST_F(OutputFiles, AppearsWithTheCommit) {
  {
    OutputFile file(path);
    file.write("some ");
    file.write("bytes");
    file.write("");
    EXPECT_FALSE(std::filesystem::exists(path));
    file.commit();
    EXPECT_EQ(content_of(path), "some bytes");
  }
  EXPECT_EQ(directory.files(), Names{"out"});
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(permissions_of(path), 0666U & ~mask);
}

TEST_F(OutputFiles, NothingIsLeftWithoutACommit) {
  EXPECT_THROW(
      {
        OutputFile file(path);
        file.write("some");
        throw std::runtime_error("on the way");
      },
      std::runtime_error);
  EXPECT_TRUE(directory.files().empty());
}

TEST_F(OutputFiles, AnOlderFileStaysUntilThen) {
  directory.with_file("out", "old");
  std::filesystem::permissions(path, static_cast<std::filesystem::perms>(0640));
  { OutputFile(path).write("new"); }
  EXPECT_EQ(content_of(path), "old");
  OutputFile file(path);
  file.write("new");
  EXPECT_EQ(content_of(path), "old");
  file.commit();
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(permissions_of(path), 0640U);
  EXPECT_EQ(directory.files(), Names{"out"});
}

TEST_F(OutputFiles, TwoAtATime) {
  OutputFile first(path), second(path);
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(content_of(path), "first");
  EXPECT_EQ(directory.files(), Names{"out"});
}

TEST_F(OutputFiles, ALinkStays) {
  const std::string target = directory.with_file("target", "old"), link = directory.path_of("link");
  const std::string hanging = directory.path_of("hanging");
  std::filesystem::create_symlink("target", link);
  std::filesystem::create_symlink("fresh", hanging);
  for (const std::string& one : {link, hanging}) {
    OutputFile file(one);
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(one));
  }
  EXPECT_EQ(content_of(target), "new");
  EXPECT_EQ(content_of(directory.path_of("fresh")), "new");
}

TEST_F(OutputFiles, AFullDiskLeavesNothing) {
  directory.with_file("out", "old");
  const std::string text = error_of([&] {
    OutputFile file(path);
    const FullDisk full(100000);
    file.write(std::string(90000, 'x'));
    file.write(std::string(90000, 'x'));
  });
  EXPECT_EQ(text, "evenkeel: tools/files: The file '" + path +
                      "' could not be written: File too large. Free some space or name another "
                      "path; no part of the file was left.");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(directory.files(), Names{"out"});
}

TEST_F(OutputFiles, AFailureOfTheMachineIsNoBadInput) {
  OutputFile file(path);
  const FullDisk full(10);
  try {
    file.write("more than ten bytes");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(error.kind(), ErrorKind::bad_input);
  }
}

// The target has become a directory in the meantime.
TEST_F(OutputFiles, ACommitThatFailsLeavesNothing) {
  {
    OutputFile file(path);
    std::filesystem::create_directory(path);
    EXPECT_ERROR(file.commit(), "could not be written: Is a directory.");
  }
  EXPECT_EQ(directory.files(), Names{"out"});
}

TEST_F(OutputFiles, Targets) {
  const auto opening = [](const std::string& target) {
    return error_of([&] { const OutputFile file(target); });
  };
  EXPECT_EQ(opening(""), refusal("", "it has no name"));
  const std::string here = directory.path_of("");
  EXPECT_EQ(opening(here), refusal(here, "it is a directory"));
  EXPECT_EQ(opening("/dev/null"), refusal("/dev/null", "it is not a regular file"));
  const std::string nowhere = directory.path_of("missing/out");
  EXPECT_EQ(opening(nowhere), refusal(nowhere, "No such file or directory"));
  const std::string below_file = directory.with_file("file", "") + "/out";
  EXPECT_EQ(opening(below_file), refusal(below_file, "Not a directory"));
  EXPECT_EQ(directory.files(), Names{"file"});
}

TEST_F(OutputFiles, WhatMayNotBeWrittenIsRefused) {
  const std::string fresh = directory.path_of("fresh");
  directory.with_file("out", "old");
  const auto refused = [](const std::string& target) {
    const test::Unprivileged unprivileged;
    EXPECT_EQ(error_of([&] { const OutputFile file(target); }),
              refusal(target, "Permission denied"));
  };
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  std::filesystem::permissions(directory.path_of(""), std::filesystem::perms::all);
  refused(path);
  std::filesystem::permissions(directory.path_of(""), static_cast<std::filesystem::perms>(0500));
  refused(fresh);
  std::filesystem::permissions(directory.path_of(""), std::filesystem::perms::owner_all);
}

TEST_F(OutputFiles, LinksInACircleAreRefused) {
  std::filesystem::create_symlink("out", path);
  EXPECT_EQ(error_of([&] { const OutputFile file(path); }),
            refusal(path, "Too many levels of symbolic links"));
}

TEST_F(OutputFiles, TheSameFileTwiceIsRefused) {
  const std::string other = directory.path_of("other"), link = directory.path_of("link");
  const auto expect_refused = [&](const std::string& twin) {
    EXPECT_EQ(
        error_of([&] {
          refuse_same_files(refuse_fit, {{"--out", path}, {"--in", other}, {"--too", twin}}, 1);
        }),
        "evenkeel: tools/fit: --out and --too name the same file, '" + path +
            "'. Give each a file of its own.");
  };
  expect_refused(directory.path_of("./out"));
  directory.with_file("out", "old");
  std::filesystem::create_symlink("out", link);
  expect_refused(link);
  EXPECT_NO_THROW(refuse_same_files(refuse_fit, {{"--out", path}, {"", other}, {"", other}}, 1));
}

}  // namespace
}  // namespace evenkeel::tool::output_file_test
