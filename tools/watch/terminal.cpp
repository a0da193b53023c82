#include "watch/terminal.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace evenkeel::tool::watch {

namespace {

volatile std::sig_atomic_t end_has_come = 0;
void note_end(int) { end_has_come = 1; }

constexpr const char* begin_screen = "\x1b[?1049h\x1b[?25l";
constexpr const char* end_screen = "\x1b[?25h\x1b[?1049l";

}  // namespace

EndSignals::EndSignals() {
  end_has_come = 0;
  struct sigaction action = {};
  action.sa_handler = &note_end;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}
EndSignals::~EndSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}
bool EndSignals::has_come() noexcept { return end_has_come != 0; }

struct Terminal::Mode {
  termios before = {};
};

bool Terminal::is_there() {
  const char* const name = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (name == nullptr || std::string_view(name) != "dumb");
}

bool Terminal::has_blocks() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

// Sets the terminal so that keys arrive at once and are not echoed.
Terminal::Terminal() {
  termios mode = {};
  if (isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &mode) == 0) {
    mode_ = std::make_unique<Mode>(Mode{mode});
    mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
  }
  std::cout << begin_screen << std::flush;
}

Terminal::~Terminal() {
  std::cout << end_screen << std::flush;
  if (mode_ != nullptr) tcsetattr(STDIN_FILENO, TCSANOW, &mode_->before);
}

Size Terminal::size() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    return {};
  return {size.ws_row, size.ws_col};
}

void Terminal::show(const std::vector<std::string>& frame) {
  const Size now = size();
  const bool has_new_size = now.rows != shown_size_.rows || now.columns != shown_size_.columns;
  if (frame == shown_ && !has_new_size) return;
  std::string text = has_new_size ? "\x1b[2J\x1b[H" : "\x1b[H";
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += i == 0 ? "\x1b[1m" + frame[i] + "\x1b[0m" : frame[i];
    text += "\x1b[K";
  }
  std::cout << text << "\x1b[J" << std::flush;
  shown_ = frame;
  shown_size_ = now;
}

bool Terminal::wants_end() {
  if (mode_ == nullptr) return false;
  std::array<char, 16> keys = {};
  const ssize_t got = read(STDIN_FILENO, keys.data(), keys.size());
  for (ssize_t i = 0; i < got; ++i)
    if (keys[static_cast<std::size_t>(i)] == 'q' || keys[static_cast<std::size_t>(i)] == 'Q')
      return true;
  return false;
}

}  // namespace evenkeel::tool::watch
