#pragma once

// The box in which places are counted. The user gives it with its periodic axes, or it is measured
// once, padded and kept: a box measured afresh at each rebalance would change every place, and with
// it every object's key.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/bounds.hpp>

#include <array>
#include <optional>

namespace evenkeel {

// Closed. In two dimensions the third axis has no meaning.
struct Box {
  std::array<double, 3> lower = {0, 0, 0};
  std::array<double, 3> upper = {0, 0, 0};
  friend bool operator==(const Box&, const Box&) = default;
};

// Throws an Error unless all faces are finite, lower <= upper, and periodic axes have an extent.
EVENKEEL_API void check(const Box& box, const std::array<bool, 3>& periodic);

// The box to use after `found` was measured: `kept` while all objects are inside it; otherwise the
// box around both, with a margin of a tenth of its longest side. Pure.
EVENKEEL_API Box enclose(const std::optional<Box>& kept, const Bounds& found);

// Throws an Error when objects lie outside a box that was given, on an axis that is not periodic.
EVENKEEL_API void require_inside(const Box& given, const std::array<bool, 3>& periodic,
                                 const Bounds& found);

}  // namespace evenkeel
