#pragma once

// The smallest box around all objects: the first step of giving them places. It is also the
// plainest example of the shape of a stage: a free function, space first, inputs by const
// reference, result returned.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstdint>
#include <limits>

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

// Local. The same of this rank's objects alone.
EVENKEEL_API Bounds bounds_here(const Space& space, const Set& set);

}  // namespace evenkeel
