#pragma once

// Writes the nodes of an owner tree in pre-order, from any source of branches. A Source has
//   Branch with the members box, first and last as OwnerNode has them; is_empty()
//   children(branch, into): the branches of one with several owners, in the order of owners
//   rank_of(owner)

#include "halo/owner_tree.hpp"

#include <evenkeel/backends/error.hpp>

#include <limits>
#include <utility>

namespace evenkeel {

// A closed box in the coordinates of a frame; everything at first.
struct NodeBox {
  static constexpr double far = std::numeric_limits<double>::infinity();
  std::array<double, 3> lower = {-far, -far, -far}, upper = {far, far, far};

  bool is_empty() const noexcept {
    return lower[0] > upper[0] || lower[1] > upper[1] || lower[2] > upper[2];
  }
  bool meets(const Region& region, int dimensions) const noexcept {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      bool meets_one = false;
      for (const AxisStretch& stretch : region[d])
        meets_one = meets_one || (stretch.first <= upper[d] && lower[d] <= stretch.last);
      if (!meets_one) return false;
    }
    return true;
  }
};

template <class Source>
OwnerTree flatten(const Source& source, int owners, int dimensions, const Region& region) {
  using Branch = typename Source::Branch;
  constexpr int none = -1;
  struct Open {
    Branch branch;
    int closes;  // the node whose subtree ends here, or none
  };
  OwnerTree tree;
  tree.ranks.assign(static_cast<std::size_t>(owners), -1);
  // An explicit stack, because trees may be too deep for recursion.
  std::vector<Open> open;
  open.push_back({source.root(), none});
  std::vector<Branch> children;
  while (!open.empty()) {
    const Open next = std::move(open.back());
    open.pop_back();
    if (tree.nodes.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error(ErrorKind::out_of_memory, Where{"core/halo"},
                  "The domains around this rank have too many pieces.", "Use a coarser curve.");
    const int here = static_cast<int>(tree.nodes.size());
    if (next.closes != none) {
      tree.nodes[static_cast<std::size_t>(next.closes)].skip = here;
      continue;
    }
    const Branch& branch = next.branch;
    if (branch.box.is_empty() || !branch.box.meets(region, dimensions)) continue;
    const auto& [lower, upper] = branch.box;
    tree.nodes.push_back({{lower[0], lower[1], lower[2]},
                          {upper[0], upper[1], upper[2]},
                          here + 1,
                          branch.first,
                          branch.last});
    if (branch.first == branch.last) {
      tree.ranks[static_cast<std::size_t>(branch.first)] = source.rank_of(branch.first);
      continue;
    }
    open.push_back({branch, here});
    children.clear();
    source.children(branch, children);
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.push_back({*child, none});
  }
  const auto is_only_way = [&](std::size_t i) {
    return i + 1 < tree.nodes.size() && tree.nodes[i].first != tree.nodes[i].last &&
           tree.nodes[i + 1].skip == tree.nodes[i].skip;
  };
  while (is_only_way(static_cast<std::size_t>(tree.begin))) ++tree.begin;
  return tree;
}

}  // namespace evenkeel
