// Runs `evenkeel watch` in a simulated terminal. The test reads one end of a pseudo-terminal, and
// keeps its visible content.

#include "support/scratch.hpp"
#include "tools/report/journals.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include <arpa/inet.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>

namespace evenkeel::test {
namespace {

// The visible content of a terminal. It knows the control sequences that the program writes, and
// counts all others as strange.
class Screen {
 public:
  explicit Screen(winsize size) { resize(size); }

  // On a resize, terminals keep different content. This one keeps nothing.
  void resize(winsize size) {
    rows_.assign(size.ws_row, std::string());
    columns_ = size.ws_col;
    begin_frame();
  }

  void write(std::string_view text) {
    for (const char letter : text) write(letter);
  }

  bool is_second() const { return is_second_; }
  bool has_cursor() const { return has_cursor_; }
  int strange() const { return strange_; }
  // Returns true if the last frame is complete, and within the width of the screen.
  bool fits() const { return is_whole_ && too_wide_ == 0; }
  std::string text() const {
    std::string all;
    for (const std::string& row : rows_) all += row + '\n';
    return all;
  }

 private:
  void write(char letter) {
    if (!sequence_.empty()) {
      sequence_ += letter;
      if (sequence_.size() > 2 && letter >= '@' && letter <= '~') obey();
    } else if (letter == '\x1b') {
      sequence_ = letter;
    } else if (letter == '\r') {
      column_ = 0;
      is_fresh_ = true;
    } else if (letter == '\n') {
      row_ = std::min(row_ + 1, rows_.size() - 1);
    } else {
      put(letter);
    }
  }

  void put(char letter) {
    std::string& row = rows_[row_];
    if (is_fresh_) row.clear();  // the program writes whole lines
    is_fresh_ = false;
    row += letter;
    const bool goes_on = (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U;  // UTF-8
    if (!goes_on && ++column_ > columns_) ++too_wide_;
  }

  void obey() {
    const std::string sequence = std::exchange(sequence_, {}).substr(2);
    if (sequence == "?1049h" || sequence == "?1049l")
      is_second_ = sequence.back() == 'h';
    else if (sequence == "?25h" || sequence == "?25l")
      has_cursor_ = sequence.back() == 'h';
    else if (sequence == "2J")
      rows_.assign(rows_.size(), std::string());
    else if (sequence == "H")
      begin_frame();
    else if (sequence == "J")
      end_frame();
    else if (sequence != "K" && sequence != "0m" && sequence != "1m")
      ++strange_;
  }

  void begin_frame() {
    row_ = column_ = 0;
    too_wide_ = 0;
    is_fresh_ = true;
    is_whole_ = false;
  }
  void end_frame() {
    for (std::size_t i = row_ + 1; i < rows_.size(); ++i) rows_[i].clear();
    is_whole_ = true;
  }

  std::vector<std::string> rows_;
  std::size_t row_ = 0, column_ = 0, columns_ = 0;
  std::string sequence_;
  bool is_second_ = false, has_cursor_ = true, is_fresh_ = true, is_whole_ = false;
  int strange_ = 0, too_wide_ = 0;
};

// Runs the program in its own terminal.
class InTerminal {
 public:
  InTerminal(const std::string& journal, winsize size, const char* option = nullptr,
             const char* value = nullptr)
      : screen_(size) {
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ != 0) return;
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    execl(EVENKEEL_TEST_PROGRAM, EVENKEEL_TEST_PROGRAM, "watch", journal.c_str(), option, value,
          nullptr);
    _exit(127);
  }
  ~InTerminal() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(terminal_);
  }
  InTerminal(const InTerminal&) = delete;
  InTerminal& operator=(const InTerminal&) = delete;

  const Screen& screen() const { return screen_; }
  // All output, including the output to the first screen.
  const std::string& written() const { return written_; }
  void press(char key) const { EXPECT_EQ(write(terminal_, &key, 1), 1); }
  void send(int signal) const { kill(child_, signal); }
  void resize(winsize size) {
    screen_.resize(size);
    EXPECT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
  }
  bool echoes() const {
    termios mode = {};
    tcgetattr(terminal_, &mode);
    return (mode.c_lflag & ECHO) != 0;
  }

  bool shows(const std::string& part) {
    return wait_for([&] { return screen_.text().find(part) != std::string::npos; });
  }
  // Frames of the old size may still arrive. Then a frame that fits must follow.
  bool shows_what_fits() {
    return wait_for([&] { return screen_.fits(); });
  }
  // Returns the exit status, or -1 if the program has not ended, or was killed.
  int end() {
    int status = 0;
    const bool has_ended = wait_for([&] { return waitpid(child_, &status, WNOHANG) == child_; });
    if (!has_ended) return -1;
    child_ = -1;
    read_for(0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  bool wait_for(const std::function<bool()>& is_so) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > until) return false;
      read_for(20);
    }
    return true;
  }
  void read_for(int milliseconds) {
    pollfd ready = {terminal_, POLLIN, 0};
    while (poll(&ready, 1, milliseconds) == 1) {
      char buffer[4096];
      const ssize_t got = read(terminal_, buffer, sizeof buffer);
      if (got <= 0) return;
      const std::string_view text(buffer, static_cast<std::size_t>(got));
      written_ += text;
      screen_.write(text);
      milliseconds = 0;
    }
  }

  int terminal_ = -1;
  pid_t child_ = -1;
  Screen screen_;
  std::string written_;
};

constexpr winsize usual = {24, 80, 0, 0};

class WatchInTerminal : public ::testing::Test {
 protected:
  WatchInTerminal() { append(0, lines_.size() - 6); }

  void append(std::size_t begin, std::size_t end) const {
    std::ofstream file(journal_, std::ios::app);
    for (std::size_t i = begin; i < end; ++i) file << lines_[i];
  }
  void append_the_rest() const { append(lines_.size() - 6, lines_.size()); }

  std::vector<std::string> lines_ = lines_of({.ranks = 4, .name = "fluid"});
  ScratchDirectory directory_;
  std::string journal_ = directory_.path_of("run.jsonl");
};

TEST_F(WatchInTerminal, FollowsTheRunToItsEnd) {
  InTerminal watch(journal_, usual);
  EXPECT_TRUE(watch.shows("rank 3")) << watch.screen().text();
  EXPECT_TRUE(watch.screen().is_second());
  EXPECT_FALSE(watch.screen().has_cursor());
  EXPECT_FALSE(watch.echoes());
  append_the_rest();
  EXPECT_EQ(watch.end(), 0);
  EXPECT_FALSE(watch.screen().is_second());
  EXPECT_TRUE(watch.screen().has_cursor());
  EXPECT_NE(watch.written().find("All went well."), std::string::npos) << watch.written();
  EXPECT_EQ(watch.screen().strange(), 0) << watch.written();
}

TEST_F(WatchInTerminal, FitsTheTerminalWhenItsSizeChanges) {
  InTerminal watch(journal_, usual);
  ASSERT_TRUE(watch.shows("rank 3")) << watch.screen().text();
  for (const winsize size : {winsize{6, 30, 0, 0}, winsize{50, 200, 0, 0}, winsize{12, 45, 0, 0}}) {
    watch.resize(size);
    EXPECT_TRUE(watch.shows_what_fits()) << size.ws_col << "\n" << watch.screen().text();
    EXPECT_TRUE(watch.shows("fluid")) << watch.screen().text();
  }
}

TEST_F(WatchInTerminal, EndsByAKeyOrASignalAndGivesTheTerminalBack) {
  const std::vector<std::function<void(const InTerminal&)>> ways = {
      [](const InTerminal& watch) { watch.press('q'); },
      [](const InTerminal& watch) { watch.send(SIGTERM); },
      [](const InTerminal& watch) { watch.press('\x03'); }};  // Ctrl-C
  for (const auto& ends : ways) {
    InTerminal watch(journal_, usual);
    ASSERT_TRUE(watch.shows("rank 3")) << watch.screen().text();
    watch.press('x');  // an unknown key
    ends(watch);
    EXPECT_EQ(watch.end(), 0);
    EXPECT_FALSE(watch.screen().is_second());
    EXPECT_TRUE(watch.screen().has_cursor());
    EXPECT_TRUE(watch.echoes());
  }
}

// A program that sends a byte now and then, but never a whole request.
TEST_F(WatchInTerminal, ASlowBrowserDelaysNothing) {
  InTerminal watch(journal_, usual, "--serve", "0");
  ASSERT_TRUE(watch.shows("rank 3")) << watch.screen().text();
  const std::string mark = "http://127.0.0.1:";
  const std::size_t at = watch.written().find(mark);
  ASSERT_NE(at, std::string::npos) << watch.written();
  std::atomic<bool> is_over = false;
  std::thread browser([&, port = std::stoi(watch.written().substr(at + mark.size()))] {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (!is_over) {
      const int connection = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
        while (!is_over && send(connection, "x", 1, MSG_NOSIGNAL) == 1)
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
      close(connection);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  append(lines_.size() - 6, lines_.size() - 4);
  EXPECT_TRUE(watch.shows("step 296")) << watch.screen().text();
  watch.send(SIGTERM);
  EXPECT_EQ(watch.end(), 0);
  is_over = true;
  browser.join();
}

// If there is nothing to watch, the message must be on the original screen.
TEST_F(WatchInTerminal, LeavesTheTerminalAloneWhereThereIsNothingToWatch) {
  InTerminal watch(directory_.path_of("none.jsonl"), usual);
  EXPECT_EQ(watch.end(), 2);
  EXPECT_NE(watch.written().find("evenkeel: "), std::string::npos) << watch.written();
  EXPECT_EQ(watch.written().find('\x1b'), std::string::npos) << watch.written();
}

}  // namespace
}  // namespace evenkeel::test
