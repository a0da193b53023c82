#include "boxes/from_work/unit_grid.hpp"

namespace evenkeel {

UnitBox UnitGrid::box_of(std::size_t domain) const noexcept {
  const std::size_t column = domain / domains[2], plane = column / domains[1];
  const std::array<const double*, 3> at = {row(0, 0) + plane, row(1, plane) + column % domains[1],
                                           row(2, column) + domain % domains[2]};
  return {{*at[0], *at[1], *at[2]}, {at[0][1], at[1][1], at[2][1]}};
}

}  // namespace evenkeel
