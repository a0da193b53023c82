#pragma once

// A terminal that shows one frame after the other. Its previous content returns at the end, even if
// a signal ends the program.

#include "watch/frame.hpp"

#include <memory>
#include <string>
#include <vector>

namespace evenkeel::tool::watch {

// While an object of this type lives, SIGINT and SIGTERM are only recorded, so that the program can
// end in order.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  static bool has_come() noexcept;
};

class Terminal {
 public:
  static bool is_there();    // true if stdout is a terminal that can show frames
  static bool has_blocks();  // true if the locale is UTF-8

  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  static Size size();
  void show(const std::vector<std::string>& frame);
  bool wants_end();  // true if the user has pressed q

 private:
  struct Mode;
  std::unique_ptr<Mode> mode_;  // the previous mode; null if keys are not read
  std::vector<std::string> shown_;
  Size shown_size_ = {0, 0};
};

}  // namespace evenkeel::tool::watch
