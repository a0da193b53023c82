#include "tell/files.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <fcntl.h>
#include <sys/socket.h>

namespace evenkeel::detail::files_test {
namespace {

class FilesTest : public testing::Test {
 protected:
  test::ScratchDirectory scratch;
  std::string at(const char* name) const { return scratch.path_of(name); }
  static std::string reason_for(const std::string& path, Links links = Links::followed) {
    return open_regular(path, O_RDONLY, links).reason;
  }
};

TEST_F(FilesTest, OnlyRegularOnesAreOpened) {
  const std::string fifo = at("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const int flags : {O_RDONLY, O_WRONLY, O_WRONLY | O_CREAT | O_APPEND})
    for (const std::string& path : {fifo, std::string("/dev/null"), std::string("/dev/full")})
      EXPECT_EQ(open_regular(path, flags).reason, "it is not a regular file") << path;
  EXPECT_EQ(reason_for(at(".")), "Is a directory");
  EXPECT_EQ(reason_for(at("missing")), "No such file or directory");
  EXPECT_TRUE(open_regular(at("missing"), O_RDONLY).is_missing);
  EXPECT_TRUE(open_regular("", O_RDONLY).is_missing);
  EXPECT_FALSE(open_regular(fifo, O_RDONLY).is_missing);
  EXPECT_TRUE(open_regular(scratch.with_file("plain", "text"), O_RDONLY));
}

TEST_F(FilesTest, LinksAreFollowedOrRefused) {
  std::filesystem::create_symlink(scratch.with_file("plain", "text"), at("link"));
  std::filesystem::create_symlink(at("loop"), at("loop"));
  EXPECT_TRUE(open_regular(at("link"), O_RDONLY));
  EXPECT_EQ(reason_for(at("link"), Links::refused), "it is a symbolic link");
  EXPECT_EQ(reason_for(at("loop"), Links::refused), "it is a symbolic link");
  EXPECT_NE(reason_for(at("loop")), "");
}

TEST_F(FilesTest, NoProcessInheritsThem) {
  const OpenedFile file = open_regular(scratch.with_file("plain", "text"), O_RDONLY);
  EXPECT_NE(fcntl(file.file.number(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(FilesTest, AreReadFromAnyPlace) {
  const OpenedFile file = open_regular(scratch.with_file("plain", "0123456789"), O_RDONLY);
  EXPECT_EQ(read_from(file.file, 0, 100), "0123456789");
  EXPECT_EQ(read_from(file.file, 0, 3), "012");
  EXPECT_EQ(read_from(file.file, 7, 100), "789");
  EXPECT_EQ(read_from(file.file, 10, 100), "");
  EXPECT_EQ(read_from(file.file, 99, 100), "");
}

TEST_F(FilesTest, AFullDiskIsAReasonAndNoSignal) {
  for (const auto signal : {test::FullDisk::Signal::ignored, test::FullDisk::Signal::as_it_is}) {
    const OpenedFile file = open_regular(at("full"), O_WRONLY | O_CREAT | O_TRUNC);
    const test::FullDisk full(10, signal);
    EXPECT_EQ(write_whole(file.file, "0123456789"), 0);
    EXPECT_EQ(write_whole(file.file, "0"), EFBIG);
  }
}

// --- Signals -------------------------------------------------------------------------------------

TEST(WithoutWriteSignals, APipeThatNobodyReadsEndsNoProcess) {
  ASSERT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  std::array<int, 2> ends = {};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  for (int again = 0; again < 2; ++again) {
    const WithoutWriteSignals quiet;
    EXPECT_EQ(write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  close(ends[1]);
  sigset_t blocked;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
  EXPECT_EQ(sigismember(&blocked, SIGPIPE), 0) << "as it was";
}

TEST(WithoutWriteSignals, ASignalThatWaitedBeforeStays) {
  sigset_t pipe_signal, before, waiting;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &pipe_signal, &before), 0);
  raise(SIGPIPE);
  { const WithoutWriteSignals quiet; }
  sigpending(&waiting);
  EXPECT_EQ(sigismember(&waiting, SIGPIPE), 1);
  std::signal(SIGPIPE, SIG_IGN);  // ignoring the signal would discard it
  std::signal(SIGPIPE, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// --- Paths ---------------------------------------------------------------------------------------

TEST_F(FilesTest, OnePathHasManySpellings) {
  std::filesystem::create_directory(at("inside"));
  std::filesystem::create_directory_symlink(at("inside"), at("door"));
  std::filesystem::create_symlink(at("inside/new"), at("dangling"));
  for (const bool is_there : {false, true}) {
    if (is_there) scratch.with_file("inside/new", "text");
    for (const char* spelling : {"inside/new", "inside/./new", "inside/../inside/new",
                                 "inside//new", "door/new", "dangling"}) {
      EXPECT_TRUE(lead_to_one_file(at("inside/new"), at(spelling))) << spelling << is_there;
      EXPECT_TRUE(lead_to_one_file(at(spelling), at("inside/new"))) << spelling << is_there;
    }
    for (const char* other : {"new", "inside/old", "inside"})
      EXPECT_FALSE(lead_to_one_file(at("inside/new"), at(other))) << other;
  }
  std::filesystem::create_hard_link(at("inside/new"), at("second name"));
  EXPECT_TRUE(lead_to_one_file(at("inside/new"), at("second name")));
  EXPECT_FALSE(lead_to_one_file("", ""));
  EXPECT_FALSE(lead_to_one_file(at("inside/new"), ""));
}

TEST_F(FilesTest, APathWithoutADirectoryIsInThisOne) {
  const std::string name = "evenkeel-no-such-file";
  EXPECT_TRUE(lead_to_one_file(name, "./" + name));
  EXPECT_TRUE(lead_to_one_file(name, (std::filesystem::current_path() / name).string()));
  EXPECT_FALSE(lead_to_one_file(name, "/" + name));
}

}  // namespace
}  // namespace evenkeel::detail::files_test
