#pragma once

// What is known of a method: its name, how it is read from what follows the name and written, the
// curve along which it keeps objects in memory, and how it finds domains.

#include "place/task.hpp"

#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/place/method.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel {

struct MethodRow {
  const char* name;
  std::optional<Method> (*read)(std::string_view arguments);   // trimmed; nothing: not valid
  std::string (*arguments_of)(const Method& method);           // empty: the defaults
  const std::array<int, 3>* (*grid_of)(const Method& method);  // null: it has none
  CurveKind curve;  // along which objects lie, within a domain at least
  Found (*find)(const PlaceTask& task);
};

const MethodRow& row_of(const Method& method) noexcept;

}  // namespace evenkeel
