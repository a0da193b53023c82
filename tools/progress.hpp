#pragma once

// Tells on a terminal how far a file has been read, on one line of stderr that is gone at the end.

#include "files/lines.hpp"

#include <chrono>
#include <string>

namespace evenkeel::tool {

class ProgressLine {
 public:
  // Silent unless it may speak and stderr is a terminal.
  explicit ProgressLine(bool may_speak);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Says nothing of what is done in half a second. Keeps a reference to this object; empty where it
  // is silent.
  Progress on_reading(const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;

  void show(const std::string& text);

  bool speaks_, has_shown_ = false;
  Clock::time_point next_;
};

}  // namespace evenkeel::tool
