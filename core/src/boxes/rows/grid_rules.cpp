#include "boxes/rows/grid_rules.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace evenkeel {

void refuse_grid(const std::string& problem, const std::string& remedy) {
  Refusal{grid_stage}(problem, remedy);
}

RowRules GridRules::along(int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  return {box.lower[a], box.upper[a], least_width[a], cell_size[a]};
}

void check(const GridRules& rules, const GridShape& shape) {
  for (int axis = 0; axis < shape.dimensions; ++axis) {
    const RowRules row = rules.along(axis);
    const std::string name(1, "xyz"[axis]);
    if (!(row.width >= 0) || !std::isfinite(row.width) || !(row.cell >= 0) ||
        !std::isfinite(row.cell))
      refuse_grid(
          "The least width and the cell size along " + name + " must be finite and not negative.",
          "Give 0 where any width or cell is allowed.");
    const int domains = shape.extents[static_cast<std::size_t>(axis)];
    const double most = most_width(row, domains);
    if (row.width > most)
      refuse_grid("Domains at least " + text_of(row.width) + " wide do not fit " +
                      std::to_string(domains) + " times along " + name +
                      ": the largest width that fits is " + text_of(most) + '.',
                  "Use fewer domains along this axis, or a smaller least width.");
  }
}

}  // namespace evenkeel
