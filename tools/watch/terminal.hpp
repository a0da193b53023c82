#pragma once

// A terminal that shows one frame after the other. What was there before is back at the end, also
// where a signal ends the program.

#include "watch/frame.hpp"

#include <memory>
#include <string>
#include <vector>

namespace evenkeel::tool::watch {

// While one of these lives, SIGINT and SIGTERM end the program in order: they are remembered.
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
  static bool is_there();    // stdout is a terminal
  static bool has_blocks();  // its locale says UTF-8

  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  static Size size();
  void show(const std::vector<std::string>& frame);
  bool wants_end();  // somebody has pressed q

 private:
  struct Mode;
  std::unique_ptr<Mode> mode_;  // before; null: keys are not read
  std::vector<std::string> shown_;
  Size shown_size_ = {0, 0};
};

}  // namespace evenkeel::tool::watch
