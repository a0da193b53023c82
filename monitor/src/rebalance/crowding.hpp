#pragma once

// Warns if an even cut is not possible because a few objects are far from all others, many objects
// are in one cell, or a mesh cannot follow the objects. Each warning is given once, and again only
// if its cause has disappeared and returned.

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/place/crowded_cell.hpp>

#include <string>
#include <utility>

namespace evenkeel {

class Crowding {
 public:
  // These return the warning, or an empty text. The result is the same on all ranks.
  std::string of_box(const MeasuredBox& measured, int dimensions);
  std::string of_cells(const CrowdedCell& crowd, const Assignment& assignment);
  std::string of_mesh(const Assignment& assignment, double target_lambda);

  // True if a cut is so uneven that most_crowded_cell() is worth its time; the same on all ranks.
  bool is_suspected(bool is_along_curve, double lambda, double target_lambda);

  // True at the first call after a warning of cells: the kept box may be too long, and must be
  // measured again.
  bool takes_new_box() noexcept { return std::exchange(wants_new_box_, false); }

 private:
  bool has_told_of_far_ = false, has_told_of_cells_ = false, has_told_of_mesh_ = false,
       wants_new_box_ = false;
};

}  // namespace evenkeel
