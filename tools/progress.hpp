#pragma once

// Shows on a terminal how far the work is, on one line of stderr that disappears at the end.

#include "files/lines.hpp"

#include <chrono>
#include <functional>

namespace evenkeel::tool {

class ProgressLine {
 public:
  // The line stays silent unless `may_speak` is true and stderr is a terminal.
  explicit ProgressLine(bool may_speak);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // The line shows nothing in the first half second. Both functions return functions that keep a
  // reference to this object. The returned functions are empty if the line is silent.
  Progress on_reading(const std::string& name);
  std::function<void(double done)> on_work(const std::string& name);
  // Shows only the name, for work that does not report how far it is.
  void on_stage(const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds before_first{500}, between{100};

  void show(const std::string& text);
  void show(const std::string& text, double done);

  bool speaks_, has_shown_ = false;
  Clock::time_point first_ = Clock::now() + before_first, next_ = first_;
};

}  // namespace evenkeel::tool
