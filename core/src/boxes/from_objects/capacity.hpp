#pragma once

// Computes how many domains of a least width fit into a box, and halves a box so that each half has
// room for its own domains.

#include <evenkeel/core/box.hpp>

#include <array>
#include <optional>

namespace evenkeel {

// The least width of a domain along each axis; 0 allows any width.
struct Capacity {
  std::array<double, 3> width = {};
  int dimensions = 3;

  bool matters() const noexcept { return width[0] > 0 || width[1] > 0 || width[2] > 0; }
  // The number of domains that fit side by side along an axis, and in all; huge if there is no
  // least width.
  double along(const Box& box, int axis) const noexcept;
  double of(const Box& box) const noexcept;
};

// The number of parts in the lower half, and the range that is allowed for the border.
struct Halves {
  int below;
  double least, most;
};

// Halves a box with two or more `parts` along an axis: with `wanted` parts below, or, unless
// `exact` is set, with the nearest number that there is room for. Returns nothing if there is no
// room.
std::optional<Halves> halves_of(const Capacity& capacity, const Box& box, int axis, int parts,
                                int wanted, bool exact);

// The greatest factor for the widths with which a box still has room for `parts`.
double most_scale(const Capacity& capacity, const Box& box, int parts);

}  // namespace evenkeel
