#pragma once

// What it costs to move an object, against what it costs that an edge is cut: from what moves have
// taken and how long their cuts have lasted.

#include <evenkeel/core/graph/method.hpp>
#include <evenkeel/core/migrate/move.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace evenkeel {

// What it is told is the same on all ranks, and so is what it says.
class MovingCosts {
 public:
  // After a move at this step.
  void note(const MoveReport& report, int ranks, std::int64_t step) {
    double seconds = 0;
    for (const auto& [stage, taken] : report.seconds)
      for (const std::string_view moving : {"reserve", "pack", "transfer", "unpack"})
        if (stage == moving) seconds += taken;
    if (report.objects <= 0) return;
    const double now = seconds * ranks / static_cast<double>(report.objects);
    per_object_ = moves_ == 0 ? now : per_object_ + share_of_new * (now - per_object_);
    if (moves_ > 0) {
      const auto lasted = static_cast<double>(std::max<std::int64_t>(step - last_, 1));
      lasting_ = lasting_ == 0 ? lasted : lasting_ + share_of_new * (lasted - lasting_);
    }
    ++moves_;
    last_ = step;
  }

  // The method with a moving cost of its own, where it tells what a cut edge costs and a cut has
  // been seen to last.
  ByGraph priced(ByGraph method) const {
    if (method.edge_seconds > 0 && per_object_ > 0 && lasting_ > 0)
      method.moving_cost = per_object_ / (method.edge_seconds * lasting_);
    return method;
  }

 private:
  static constexpr double share_of_new = 0.3;

  double per_object_ = 0;  // rank-seconds
  double lasting_ = 0;     // steps from one move to the next
  std::int64_t moves_ = 0, last_ = 0;
};

}  // namespace evenkeel
