#pragma once

// What is known of a method: its name, how to make it from its name and a grid, the curve along
// which it keeps objects in memory, and how it finds domains.

#include "place/task.hpp"

#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/place/method.hpp>

#include <array>

namespace evenkeel {

struct MethodRow {
  const char* name;
  Method (*make)(const std::array<int, 3>& grid);
  const std::array<int, 3>* (*grid_of)(const Method& method);  // null: it has none
  CurveKind curve;      // along which objects lie, within a domain at least
  bool is_along_curve;  // domains are ranges of it
  Found (*find)(const PlaceTask& task);
};

const MethodRow& row_of(const Method& method) noexcept;

}  // namespace evenkeel
