#pragma once

// The work below a place of a row. It is a piecewise linear function of the place.

#include <span>
#include <vector>

namespace evenkeel {

// Work that is spread evenly over an interval.
struct RowPiece {
  double lower = 0, upper = 0, work = 0;
};

class RunningWork {
 public:
  // Pieces are in [0, 1]. Each has a width above 0, and they may overlap.
  explicit RunningWork(std::span<const RowPiece> pieces);

  double total() const noexcept { return below_.back(); }
  double below(double place) const noexcept;
  // Returns the first place that has this much work below it.
  double place_of(double work) const noexcept;

 private:
  std::vector<double> places_ = {0}, below_ = {0};
};

}  // namespace evenkeel
