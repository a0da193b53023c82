#pragma once

// A cell of a lattice, by its coordinates.

#include <cstdint>

namespace evenkeel {

// A plain array inside: device code may not call the members of std::array.
template <int dimensions>
struct Cell {
  std::uint32_t at[dimensions] = {};
  friend constexpr bool operator==(const Cell&, const Cell&) = default;
};

}  // namespace evenkeel
