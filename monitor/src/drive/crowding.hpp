#pragma once

// Warns when a few objects far from all others, or many in one place, stand in the way of an even
// cut. Each warning comes once, and again only after its cause had gone.

#include <evenkeel/core/measured_box.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/place/crowd.hpp>

#include <string>
#include <utility>

namespace evenkeel {

class Crowding {
 public:
  // The warning, or nothing. The same on all ranks.
  std::string of_box(const MeasuredBox& measured, int dimensions);
  std::string of_cells(const Crowd& crowd, const Assignment& assignment);

  // Whether a cut is so uneven that crowd_of() is worth its time; the same on all ranks.
  bool is_suspected(bool is_along_curve, double lambda, double target_lambda);

  // Once after each warning of cells: the kept box may be too long, and is to be measured anew.
  bool takes_new_box() noexcept { return std::exchange(wants_new_box_, false); }

 private:
  bool has_told_of_far_ = false, has_told_of_cells_ = false, wants_new_box_ = false;
};

}  // namespace evenkeel
