#pragma once

// Tells the application how much of a cut is done.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace evenkeel::graphs {

// Work is guessed from the vertices of levels; to refine a level takes twice what it takes to
// coarsen it.
class Milestones {
 public:
  explicit Milestones(std::function<void(double)> tell) : tell_(std::move(tell)) {}

  // A level has been made; the finest is the first.
  void made(std::int64_t vertices) {
    if (all_ == 0) guessed_ = 2 * vertices;
    all_ += vertices;
    tell(static_cast<double>(all_ - vertices) / static_cast<double>(std::max(guessed_, all_)) / 3);
  }
  void refined(std::int64_t vertices) {
    refined_ += vertices;
    tell((1 + 2 * static_cast<double>(refined_) / static_cast<double>(all_)) / 3);
  }

 private:
  void tell(double done) const {
    if (tell_) tell_(done);
  }

  std::function<void(double)> tell_;
  std::int64_t guessed_ = 0, all_ = 0, refined_ = 0;
};

}  // namespace evenkeel::graphs
