#pragma once

// The cost of moving an object, also relative to the cost of a cut edge, learned from the seconds
// of moves, and from the number of steps between moves.

#include <evenkeel/core/graph/method.hpp>
#include <evenkeel/core/migrate/move.hpp>

#include <algorithm>
#include <string_view>

namespace evenkeel {

// The input is the same on all ranks, and so are the results.
class MovingCosts {
 public:
  // Call this after a move at the end of `step`.
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

  // Seconds of a move, summed over ranks, for each moved object; 0 if nothing has moved yet.
  double seconds_per_object() const noexcept { return per_object_; }

  // Returns the method. Sets its moving cost if the method says how many seconds a cut edge costs,
  // and if two moves have shown how long a cut lasts.
  ByGraph priced(ByGraph method) const {
    if (method.edge_seconds > 0 && per_object_ > 0 && lasting_ > 0)
      method.moving_cost = per_object_ / (method.edge_seconds * lasting_);
    return method;
  }

 private:
  static constexpr double share_of_new = 0.3;

  double per_object_ = 0;  // see seconds_per_object()
  double lasting_ = 0;     // steps from one move to the next
  std::int64_t moves_ = 0, last_ = 0;
};

}  // namespace evenkeel
