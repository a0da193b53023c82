#pragma once

// Computes how many domains fit into a box if domains have a least width, and halves a box so that
// each half has room for its domains.

#include <evenkeel/core/box.hpp>

#include <array>
#include <optional>

namespace evenkeel {

// The least width of a domain along each axis; 0 allows any width.
struct Capacity {
  std::array<double, 3> width = {};
  int dimensions = 3;

  bool matters() const noexcept { return width[0] > 0 || width[1] > 0 || width[2] > 0; }
  // along() is the number of domains that fit side by side along an axis, of() the number that fit
  // into the box. The numbers are huge along an axis without a least width.
  double along(const Box& box, int axis) const noexcept;
  double of(const Box& box) const noexcept;
};

// The number of parts in the lower half, and the range in which the border must be.
struct Halves {
  int below;
  double least, most;
};

// Halves a box of at least two parts along an axis. The lower half gets `wanted` parts if there is
// room. If there is no room and `exact` is not set, it gets the nearest number of parts for which
// there is room. Otherwise returns nothing.
std::optional<Halves> halves_of(const Capacity& capacity, const Box& box, int axis, int parts,
                                int wanted, bool exact);

// Returns the greatest factor by which the widths can be multiplied so that the box still has room
// for `parts`.
double most_scale(const Capacity& capacity, const Box& box, int parts);

}  // namespace evenkeel
