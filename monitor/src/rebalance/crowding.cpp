#include "rebalance/crowding.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/domains.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace evenkeel {

namespace {

std::string corner(const std::array<double, 3>& place, int dimensions) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    text += (text.empty() ? "" : ", ") + text_of(place[d]);
  return '(' + text + ')';
}

std::string name_of(const Box& box, int dimensions) {
  return corner(box.lower, dimensions) + " to " + corner(box.upper, dimensions);
}

constexpr double uneven = 1.1;  // above this lambda, crowded cells may be the cause

}  // namespace

std::string Crowding::of_box(const MeasuredBox& measured, int dimensions) {
  const bool is_far = measured.far_objects > 0;
  const bool is_new = is_far && !has_told_of_far_;
  has_told_of_far_ = is_far;
  if (!is_new) return {};
  const bool one = measured.far_objects == 1;
  return std::to_string(measured.far_objects) + (one ? " object is" : " objects are") +
         " far from all others, and " + (one ? "counts" : "count") +
         " as if on the edge of the measured box, which goes from " +
         name_of(measured.box, dimensions) + ". Check whether an object has escaped.";
}

bool Crowding::is_suspected(bool is_along_curve, double lambda, double target_lambda) {
  if (!is_along_curve) return false;
  const bool suspected = lambda > std::max(uneven, target_lambda);
  if (!suspected) has_told_of_cells_ = false;
  return suspected && !has_told_of_cells_;
}

std::string Crowding::of_cells(const CrowdedCell& crowd, const Assignment& assignment) {
  const int parts = parts_of(assignment.domains);
  if (parts < 2 || crowd.in_cell < 2 || crowd.in_cell <= crowd.objects / parts) return {};
  has_told_of_cells_ = wants_new_box_ = true;
  const int dimensions = dimensions_of(assignment.domains);
  return std::to_string(crowd.in_cell) + " of " + std::to_string(crowd.objects) +
         " objects are in one cell of the lattice, which no cut can divide: lambda is " +
         text_of(assignment.lambda) + ". The box goes from " +
         name_of(box_of(assignment.domains), dimensions) +
         ". Give a .box that fits the objects, or choose a method of boxes, such as bisection.";
}

std::string Crowding::of_mesh(const Assignment& assignment, double target_lambda) {
  const bool is_uneven = std::holds_alternative<MeshDomains>(assignment.domains) &&
                         assignment.lambda > std::max(uneven, target_lambda);
  const bool is_new = is_uneven && !has_told_of_mesh_;
  has_told_of_mesh_ = is_uneven;
  if (!is_new) return {};
  return "The hexahedra of a mesh cannot divide these objects evenly: lambda is " +
         text_of(assignment.lambda) +
         ". Choose another method, such as bisection or voronoi, or another grid.";
}

}  // namespace evenkeel
