#pragma once

// The box that is measured where none is given. A few objects far from all others (one that has
// flown off, say) do not count: a box around them too would leave all others in one cell of a
// lattice, which no cut divides. They stay outside, where the owner of the nearest cell of the box
// has them.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace evenkeel {

struct MeasuredBox {
  Box box;
  std::int64_t far_objects = 0;  // that do not count
};

// Collective. `found`: the bounds of all sets on all ranks; `kept`: the box so far.
//
// Objects are far when they are few (along each axis and to each side at most 1 of 200, and at most
// 32 or 1 of 100,000), lie outside the others by more than four times the extent of those, and
// stretch the bounds to more than 1024 times it. A kept box is used again while it holds all other
// objects, and is not more than 64 times as long as their bounds; else it grows by enclose(), or is
// measured anew. The result does not depend on which ranks have which objects, nor on how many
// ranks there are. Passes over the objects only when there is no box, or they have left it, or it
// is too long. Throws the same Error on all ranks when one of them fails.
EVENKEEL_API MeasuredBox measure_box(const Communicator& communicator, std::span<const Set> sets,
                                     const std::optional<Box>& kept, const Bounds& found);

}  // namespace evenkeel
