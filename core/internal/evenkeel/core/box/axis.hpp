#pragma once

// One axis of a box that is divided into domains, for kernels.

#include <evenkeel/backends/config.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>

namespace evenkeel {

// Brings places into the range from the lower face to the greatest number below the upper face. In
// this range, a place is above a border exactly if `border <= place`, and domains without extent at
// the upper face own nothing. On an axis without extent this range is below every border, so the
// first domain owns all places. The same numbers give the same place on host and device.
struct GridAxis {
  double lower = 0;   // the lower face
  double last = 0;    // the greatest number below the upper face
  double period = 0;  // in quarters of the user's lengths; 0 if the axis does not wrap around

  GridAxis() = default;
  // The axis between two faces of a box.
  EVENKEEL_API GridAxis(double lower_face, double upper_face, bool is_periodic);

  // Returns the place, brought into the range.
  KOKKOS_FUNCTION double inside(double place) const {
    const double image = !(period > 0) || is_inside(place) ? place : wrapped(place);
    const double above = image < lower ? lower : image;
    return above > last ? last : above;
  }

  // Returns true if a place is in the range.
  KOKKOS_FUNCTION bool is_inside(double place) const { return lower <= place && place <= last; }

  // Returns the remainder after whole periods. It is in quarters of lengths, so that differences of
  // the greatest numbers stay finite. For a place just below the lower face, rounding may make it a
  // whole period.
  KOKKOS_FUNCTION double rest(double place) const {
    const double behind = std::fmod(distance(place), period);  // exact, on devices too
    return behind < 0 ? behind + period : behind;
  }
  KOKKOS_FUNCTION double distance(double place) const { return place * quarter - lower * quarter; }
  KOKKOS_FUNCTION double wrapped(double place) const {
    return (lower * quarter + rest(place)) / quarter;
  }

 private:
  static constexpr double quarter = 0.25;
};

}  // namespace evenkeel
