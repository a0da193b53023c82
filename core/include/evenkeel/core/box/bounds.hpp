#pragma once

// Two boxes. The bounds are the smallest box around all objects. The other box is divided into
// domains. The user gives this box with its periodic axes, or it is measured, padded and kept. A
// new box changes the key of every object. So a kept box is used as long as possible. If objects
// leave the box, it grows. If the box is far too long for the objects, it is measured again.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/field/set.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace evenkeel::stages {

// A closed box: objects may be on every face. Without objects, lower is above upper.
struct Bounds {
  static constexpr double none = std::numeric_limits<double>::infinity();
  int dimensions = 0;
  std::array<double, 3> lower = {none, none, none};
  std::array<double, 3> upper = {-none, -none, -none};
  bool empty() const noexcept { return lower[0] > upper[0]; }
};

// Collective. Returns the bounds of the owned objects of all ranks, the same on all ranks. Throws
// the same Error on all ranks for a set that check() refuses, for a coordinate that is NaN or
// infinite, and if ranks disagree about the dimensions. Runs on `space`, which must reach the
// memory of the positions.
EVENKEEL_API Bounds bounds(const Space& space, const Communicator& communicator, const Set& set);

// Collective. The same for several sets, each on the space of its positions.
EVENKEEL_API Bounds bounds(const Communicator& communicator, std::span<const Set> sets);

// Local. The same for only this rank's objects.
EVENKEEL_API Bounds bounds_here(const Space& space, const Set& set);

// The box to use after `found` was measured: `kept` if all objects are inside it; otherwise the
// box around both, with a margin of a tenth of its longest side on each side. Pure.
EVENKEEL_API Box enclose(const std::optional<Box>& kept, const Bounds& found);

// Throws an Error if objects are outside a given box along an axis that is not periodic.
EVENKEEL_API void require_inside(const Box& given, const std::array<bool, 3>& periodic,
                                 const Bounds& found);

// --- Measured boxes ------------------------------------------------------------------------------
// If no box is given, it is measured. A few objects far from all others, such as a particle that
// has escaped, do not count. In a box around them, all other objects would be in one cell of a
// lattice, and no cut divides a cell. A far object outside the box belongs to the owner of the
// nearest cell.

// A measured box, and the number of far objects.
struct MeasuredBox {
  Box box;
  std::int64_t far_objects = 0;  // these do not count
};

// Collective. `found` are the bounds of all sets on all ranks; `kept` is the box that is in use.
//
// Objects are far if three conditions hold. They are few: on each side of each axis at most 1 in
// 200, and at most the greater of 32 and 1 in 100,000. Their distance from the other objects is
// more than four times the longest side of the bounds of the other objects. And the bounds of all
// objects are more than 1024 times as long as the bounds of the other objects.
//
// A kept box is used again if it holds all objects that are not far, and is at most 64 times as
// long as their bounds. If objects have left it, it grows by enclose(); if it is too long, it is
// measured again. The result depends neither on the distribution of objects over ranks nor on the
// number of ranks. Reads the objects only if there is no kept box, or objects have left it, or it
// is too long. Throws the same Error on all ranks if one of them fails.
EVENKEEL_API MeasuredBox measure_box(const Communicator& communicator, std::span<const Set> sets,
                                     const std::optional<Box>& kept, const Bounds& found);

// --- Periodic axes -------------------------------------------------------------------------------
// Owners of places outside the box are found without wrap(). evenkeel changes positions only if the
// application calls wrap().

// Moves those owned objects of a set that are outside the box along a periodic axis into the box,
// by whole periods: to a place at or above the lower face and below the upper face. Other
// coordinates and coordinates that are not finite do not change. `space` must reach the positions.
// Local. Blocks.
EVENKEEL_API void wrap(const Space& space, const Set& set, const Box& box,
                       const std::array<bool, 3>& periodic);

// The same for several sets, each on the space of its positions.
EVENKEEL_API void wrap(std::span<const Set> sets, const Box& box,
                       const std::array<bool, 3>& periodic);

}  // namespace evenkeel::stages
