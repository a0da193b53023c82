#pragma once

// Divides a stretch of an axis into equal intervals. All places in an interval have the same mark,
// the number of the interval. Histograms count objects by mark, and borders are between two marks.

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace evenkeel {

class Ruler {
 public:
  Ruler() = default;
  // If the stretch has no extent, or is so short that the quotient overflows, there is only one
  // mark.
  Ruler(double lower, double upper, int bits)
      : lower_(lower * quarter), upper_(upper), bits_(bits) {
    const double length = upper * quarter - lower_;
    const double marks = std::ldexp(1.0, bits);
    if (length > 0 && marks / length <= std::numeric_limits<double>::max())
      marks_per_length_ = marks / length;
  }

  std::uint64_t marks() const { return std::uint64_t{1} << bits_; }
  bool is_flat() const { return !(marks_per_length_ > 0); }

  // Returns the mark of a place, from 0 to marks() - 1. A greater place never has a lower mark.
  KOKKOS_FUNCTION std::uint64_t mark(double place) const {
    const double mark = (place * quarter - lower_) * marks_per_length_;
    const std::uint64_t last = (std::uint64_t{1} << bits_) - 1;
    if (!(mark > 0)) return 0;
    if (mark >= static_cast<double>(last)) return last;
    return static_cast<std::uint64_t>(mark);
  }

  // Returns the first mark above a border: exactly the places at or above the border have this mark
  // or a greater one.
  std::uint64_t mark_above(double border) const {
    if (border >= upper_) return marks();
    return border > lower_ / quarter ? mark(border) : 0;
  }

  // Returns the least place of the stretch that has this mark or a greater one. If there is no such
  // place, returns the upper end.
  double place(std::uint64_t mark) const;

 private:
  // a quarter of a difference stays finite even for the greatest numbers
  static constexpr double quarter = 0.25;
  double lower_ = 0, upper_ = 0, marks_per_length_ = 0;
  int bits_ = 0;
};

inline double Ruler::place(std::uint64_t of) const {
  double below = lower_ / quarter, above = upper_;
  if (of == 0) return below;
  if (of >= marks() || is_flat()) return above;
  const double guess = (lower_ + static_cast<double>(of) / marks_per_length_) / quarter;
  const double slack = (std::abs(guess) + (upper_ * quarter - lower_)) * 0x1p-48;
  const double low = guess - slack, high = guess + slack;
  if (low > below && low < above && mark(low) < of) below = low;
  if (high > below && high < above && mark(high) >= of) above = high;
  for (;;) {
    const double middle = below / 2 + above / 2;
    if (!(below < middle && middle < above)) return above;
    (mark(middle) < of ? below : above) = middle;
  }
}

}  // namespace evenkeel
