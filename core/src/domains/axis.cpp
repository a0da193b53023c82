#include "domains/reaches.hpp"

#include <cmath>
#include <limits>

namespace evenkeel {

namespace {

// From this many periods on, their number is no longer exact.
constexpr double many = 0x1p50;

// The periods between a place and its image inside. Images with the same number of periods rise
// with their places.
double turns_of(const GridAxis& along, double place) {
  if (along.is_inside(place)) return 0;
  return std::nearbyint((along.distance(place) - along.rest(place)) / along.period);
}

}  // namespace

GridAxis::GridAxis(double lower_face, double upper_face, bool is_periodic)
    : lower(lower_face),
      last(std::nextafter(upper_face, -std::numeric_limits<double>::infinity())),
      period(is_periodic ? upper_face * quarter - lower_face * quarter : 0) {}

void check_axes(int dimensions, const Box& box, const std::array<bool, 3>& periodic) {
  Box used;
  std::array<bool, 3> wraps = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    used.lower[d] = box.lower[d];
    used.upper[d] = box.upper[d];
    wraps[d] = periodic[d];
  }
  check(used, wraps);
}

GridAxis axis_of(const Box& box, const std::array<bool, 3>& periodic, int axis) {
  const auto d = static_cast<std::size_t>(axis);
  return GridAxis(box.lower[d], box.upper[d], periodic[d]);
}

std::vector<Reach> reaches_of(const GridAxis& along, double lower, double upper) {
  const Reach ends = {along.inside(lower), along.inside(upper)};
  if (!(along.period > 0) || lower == upper) return {ends};
  const Reach all = {along.lower, along.last};
  const double first_turn = turns_of(along, lower), last_turn = turns_of(along, upper);
  if (!(std::abs(first_turn) < many && std::abs(last_turn) < many)) return {all};
  if (first_turn == last_turn) return {ends};
  if (first_turn + 1 == last_turn && ends.last < ends.first)
    return {{all.first, ends.last}, {ends.first, all.last}};
  return {all};
}

std::array<std::vector<Reach>, 3> reaches_of(int dimensions, const Box& around,
                                             const std::array<bool, 3>& periodic, const Box& box,
                                             double width) {
  std::array<std::vector<Reach>, 3> reaches;
  for (int axis = 0; axis < dimensions; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    reaches[d] =
        reaches_of(axis_of(around, periodic, axis), box.lower[d] - width, box.upper[d] + width);
  }
  return reaches;
}

}  // namespace evenkeel
