#pragma once

// The description of a method: its name, the functions that read and write its arguments, the curve
// that orders its objects in memory, and the function that finds domains.

#include "place/task.hpp"

namespace evenkeel {

struct MethodRow {
  const char* name;
  // arguments are trimmed; nothing if they are wrong
  std::optional<Method> (*read)(std::string_view arguments);
  // empty if all arguments have their defaults
  std::string (*arguments_of)(const Method& method);
  const std::array<int, 3>* (*grid_of)(const Method& method);  // null without a grid
  CurveKind curve;  // orders objects in memory, at least within a domain
  Found (*find)(const PlaceTask& task);
};

const MethodRow& row_of(const Method& method) noexcept;

// Collective. Each kind of domains has one of these functions, in a file of its own.
Found find_on_curve(const PlaceTask& task);
Found find_grid(const PlaceTask& task);
Found find_by_bisection(const PlaceTask& task);
Found find_by_graph(const PlaceTask& task);
Found find_cells(const PlaceTask& task);
Found find_mesh(const PlaceTask& task);

}  // namespace evenkeel
