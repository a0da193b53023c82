#include "domains/power/model.hpp"

namespace evenkeel {

void PowerModel::add(const std::array<double, 3>& cell, double mass) {
  const std::size_t last = size() - 1;
  whole_ += mass;
  if (size() > 0 && place(last) == cell) {
    mass_[last] += mass;
    return;
  }
  for (std::size_t d = 0; d < 3; ++d) at_[d].push_back(cell[d]);
  mass_.push_back(mass);
}

void PowerModel::finish() {
  blocks_ = PowerBlocks(size(), [this](std::size_t point) { return place(point); });
}

}  // namespace evenkeel
