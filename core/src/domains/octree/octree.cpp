#include "domains/octree/octree.hpp"

#include <algorithm>

namespace evenkeel {

// Most walks to a leaf begin at the leaf itself, which spares them a branch for each level.
void Octree::make_starts() {
  constexpr int bits = 12, more_bits = 15;  // of the number of starts
  constexpr std::size_t many_nodes = 8192;
  start_levels_ = (nodes_.size() < many_nodes ? bits : more_bits) / dimensions_;
  const auto levels = static_cast<unsigned>(start_levels_), n = static_cast<unsigned>(dimensions_);
  starts_.resize(std::size_t{1} << (levels * n));
  for (std::size_t start = 0; start < starts_.size(); ++start) {
    int node = 0;
    for (unsigned level = levels;
         level-- > 0 && nodes_[static_cast<std::size_t>(node)].children >= 0;) {
      std::size_t child = 0;
      for (unsigned d = 0; d < n; ++d) child |= (start >> (d * levels + level) & 1U) << d;
      node = nodes_[static_cast<std::size_t>(node)].children + static_cast<int>(child);
    }
    starts_[start] = node;
  }
}

LatticeBox Octree::whole() const noexcept {
  LatticeBox range;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d)
    range.last[d] = (1 << levels_) - 1;
  return range;
}

LatticeBox Octree::child_of(const LatticeBox& range, int child) const noexcept {
  LatticeBox half = range;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
    const double middle = range.first[d] + (range.last[d] + 1 - range.first[d]) / 2;
    if ((child >> d & 1) != 0)
      half.first[d] = middle;
    else
      half.last[d] = middle - 1;
  }
  return half;
}

// The cells of a node that count.
LatticeBox Octree::inside(LatticeBox node) const noexcept {
  for (std::size_t d = 0; d < 3; ++d) node.last[d] = std::min(node.last[d], last_[d]);
  return node;
}

}  // namespace evenkeel
