#pragma once

// The smallest box around all objects, and the box in which places are counted. The user gives it
// with its periodic axes, or it is measured once, padded and kept: a box measured again at each
// rebalance would change every place, and with it every object's key.

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

namespace evenkeel {

// Closed: objects may lie on every face. With no objects at all, lower is above upper.
struct Bounds {
  static constexpr double none = std::numeric_limits<double>::infinity();
  int dimensions = 0;
  std::array<double, 3> lower = {none, none, none};
  std::array<double, 3> upper = {-none, -none, -none};
  bool empty() const noexcept { return lower[0] > upper[0]; }
};

// Collective. The box around the owned objects of all ranks, the same on all. Throws the same Error
// on all ranks for a set that check() refuses, a coordinate that is NaN or infinite, and ranks that
// disagree about the dimensions. Runs on `space`, which must reach the memory of the positions.
EVENKEEL_API Bounds bounds(const Space& space, const Communicator& communicator, const Set& set);

// Collective. The same of several sets, each on the space of its positions.
EVENKEEL_API Bounds bounds(const Communicator& communicator, std::span<const Set> sets);

// Local. The same of this rank's objects alone.
EVENKEEL_API Bounds bounds_here(const Space& space, const Set& set);

// The box to use after `found` was measured: `kept` while all objects are inside it; otherwise the
// box around both, with a margin of a tenth of its longest side. Pure.
EVENKEEL_API Box enclose(const std::optional<Box>& kept, const Bounds& found);

// Throws an Error when objects lie outside a box that was given, on an axis that is not periodic.
EVENKEEL_API void require_inside(const Box& given, const std::array<bool, 3>& periodic,
                                 const Bounds& found);

// --- Measured boxes ------------------------------------------------------------------------------
// The box that is measured if no box is given. A few objects far from all others (one that has
// flown off, say) do not count: a box around them too would leave all others in one cell of a
// lattice, which no cut divides. They stay outside; the owner of the nearest cell of the box owns
// them.

// A measured box, and how many objects it leaves out.
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

// --- Periodic axes -------------------------------------------------------------------------------
// Ownership wraps around by itself; positions stay as the application has left them, unless it asks
// for this.

// Brings the owned objects of a set back into the box along its periodic axes: to the place in it
// that is whole periods away, at or above the lower face and below the upper one. Other places do
// not change, nor do those that are not finite. `space` must reach the positions. Local. Blocks.
EVENKEEL_API void wrap(const Space& space, const Set& set, const Box& box,
                       const std::array<bool, 3>& periodic);

// The same of several sets, each on the space of its positions.
EVENKEEL_API void wrap(std::span<const Set> sets, const Box& box,
                       const std::array<bool, 3>& periodic);

}  // namespace evenkeel
