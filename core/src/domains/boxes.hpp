#pragma once

// Helpers for domains that are boxes, on the host.

#include <evenkeel/core/domains/decomposition.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace evenkeel {

// Returns the box of a part, or nothing if the part owns no place. A box without extent owns
// nothing; but if the box of all domains has no extent along an axis, the first domain along it
// owns everything. A box that owns any place owns its lower corner, so only this corner is tested.
template <class Boxes>
std::vector<Box> box_with_places(const Boxes& domains, int part) {
  const Box box = domains.box_of(part);
  const auto corner = std::span(box.lower).first(static_cast<std::size_t>(domains.dimensions()));
  if (domains.owner_of(corner) != domains.rank_of(part)) return {};
  return {box};
}

// Returns a width that is so small that only domains that touch a box are within it. It is above 0
// for the smallest box, and finite even if the length of a box exceeds the range of numbers.
inline double touching_reach(const Decomposition& domains) {
  const Box& box = domains.box();
  double reach = std::numeric_limits<double>::denorm_min();
  for (std::size_t d = 0; d < static_cast<std::size_t>(domains.dimensions()); ++d)
    if (box.lower[d] < box.upper[d])
      reach = std::max({reach, box.upper[d] * 0x1p-40 - box.lower[d] * 0x1p-40,
                        std::abs(box.lower[d]) * 0x1p-50, std::abs(box.upper[d]) * 0x1p-50});
  return reach;
}

}  // namespace evenkeel
