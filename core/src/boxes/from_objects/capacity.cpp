#include "boxes/from_objects/capacity.hpp"

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

constexpr double any_number = 1e9;        // more domains than any cut has
constexpr double rounding = 1 + 0x1p-40;  // relative error of a side that is made to fit exactly

}  // namespace

double Capacity::along(const Box& box, int axis) const noexcept {
  const auto a = static_cast<std::size_t>(axis);
  if (!(width[a] > 0)) return any_number;
  return std::min(any_number, std::floor((box.upper[a] - box.lower[a]) / width[a] * rounding));
}

double Capacity::of(const Box& box) const noexcept {
  double domains = 1;
  for (int axis = 0; axis < dimensions; ++axis) domains *= along(box, axis);
  return domains;
}

std::optional<Halves> halves_of(const Capacity& capacity, const Box& box, int axis, int parts,
                                int wanted, bool exact) {
  const auto a = static_cast<std::size_t>(axis);
  const double slices = capacity.along(box, axis);
  if (slices < 2) return std::nullopt;
  const double in_slice = capacity.of(box) / slices;
  const auto slices_for = [&](int some) { return std::ceil(some / in_slice); };
  int below = wanted;
  if (slices_for(below) + slices_for(parts - below) > slices) {
    if (exact) return std::nullopt;
    const double slices_below = std::floor(slices / 2), slices_above = slices - slices_below;
    const double most = std::min<double>(slices_below * in_slice, parts - 1);
    const double least = std::max<double>(parts - slices_above * in_slice, 1);
    if (least > most) return std::nullopt;
    below = static_cast<int>(std::clamp<double>(wanted, least, most));
  }
  return Halves{below, box.lower[a] + slices_for(below) * capacity.width[a],
                box.upper[a] - slices_for(parts - below) * capacity.width[a]};
}

double most_scale(const Capacity& capacity, const Box& box, int parts) {
  const auto fits = [&](double scale) {
    Capacity scaled = capacity;
    for (double& width : scaled.width) width *= scale;
    return scaled.of(box) >= parts;
  };
  double fitting = 0, too_much = 1;
  while (fits(too_much)) too_much *= 2;
  while (too_much - fitting > too_much * 0x1p-50) {
    const double middle = (fitting + too_much) / 2;
    // the box is a single point, in which nothing fits
    if (!(middle > fitting && middle < too_much)) break;
    (fits(middle) ? fitting : too_much) = middle;
  }
  return fitting / rounding;
}

}  // namespace evenkeel
