#pragma once

// The description of a method: its name, the functions that read and write its arguments, the curve
// along which it keeps objects in memory, and the function that finds domains.

#include "place/task.hpp"

namespace evenkeel {

struct MethodRow {
  const char* name;
  std::optional<Method> (*read)(std::string_view arguments);   // trimmed; returns nothing if wrong
  std::string (*arguments_of)(const Method& method);           // empty for the defaults
  const std::array<int, 3>* (*grid_of)(const Method& method);  // null if it has no grid
  CurveKind curve;  // along which objects are ordered, at least within a domain
  Found (*find)(const PlaceTask& task);
};

const MethodRow& row_of(const Method& method) noexcept;

// Collective. There is one function for each kind of domains, in a file of its own.
Found find_on_curve(const PlaceTask& task);
Found find_grid(const PlaceTask& task);
Found find_by_bisection(const PlaceTask& task);
Found find_by_graph(const PlaceTask& task);

}  // namespace evenkeel
