#include "domains/power/model.hpp"

#include <algorithm>

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
  const auto join = [](LatticeBox& into, const LatticeBox& box) {
    for (std::size_t d = 0; d < 3; ++d) {
      into.first[d] = std::min(into.first[d], box.first[d]);
      into.last[d] = std::max(into.last[d], box.last[d]);
    }
  };
  const auto grouped = [&](std::size_t count, const auto& box_of) {
    std::vector<LatticeBox> boxes;
    for (std::size_t i = 0; i < count; ++i)
      if (i % together == 0)
        boxes.push_back(box_of(i));
      else
        join(boxes.back(), box_of(i));
    return boxes;
  };
  boxes_ = {grouped(size(), [&](std::size_t i) { return LatticeBox{place(i), place(i)}; })};
  while (boxes_.back().size() > 1) {
    const std::vector<LatticeBox>& below = boxes_.back();
    boxes_.push_back(grouped(below.size(), [&](std::size_t i) { return below[i]; }));
  }
}

}  // namespace evenkeel
