#pragma once

// How many domains of a least width a box has room for, and how it can be halved so that each half
// has room for its own.

#include <evenkeel/core/box.hpp>

#include <array>
#include <optional>

namespace evenkeel {

// Widths along each axis; 0: any.
struct Capacity {
  std::array<double, 3> width = {};
  int dimensions = 3;

  bool matters() const noexcept { return width[0] > 0 || width[1] > 0 || width[2] > 0; }
  // Domains that fit side by side along an axis, and in all; huge where any do.
  double along(const Box& box, int axis) const noexcept;
  double of(const Box& box) const noexcept;
};

// The parts of the lower half, and where the border may stand.
struct Halves {
  int below;
  double least, most;
};

// Halves of a box of `parts`, two or more, along an axis: with `wanted` parts below, or as near to
// that as there is room for when `exact` is not asked for. Nothing when there is none.
std::optional<Halves> halves_of(const Capacity& capacity, const Box& box, int axis, int parts,
                                int wanted, bool exact);

// The factor by which the widths may be multiplied at most so that a box has room for `parts`.
double most_scale(const Capacity& capacity, const Box& box, int parts);

}  // namespace evenkeel
