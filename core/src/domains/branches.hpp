#pragma once

// Finds the owners of places within reach, for any type of domains. The domains are the leaves of a
// tree; its branches are made only when a walk needs them. A type of branches has
//   Branches::Branch              a branch: a box, and `first` and `last` as in OwnerNode
//   root()
//   children(branch, visit)       visits the children of a branch, the last one first
//   rank_of(owner)

#include "domains/frame.hpp"
#include "domains/owner_tree.hpp"

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <limits>

namespace evenkeel {

// A closed box in the coordinates of a frame. By default it holds all places.
struct NodeBox {
  static constexpr double far = std::numeric_limits<double>::infinity();
  std::array<double, 3> lower = {-far, -far, -far}, upper = {far, far, far};

  bool is_empty() const noexcept {
    return lower[0] > upper[0] || lower[1] > upper[1] || lower[2] > upper[2];
  }
  bool meets(const Reaches& reaches, int dimensions) const noexcept {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      const auto meets_one = [&](const Reach& reach) {
        return reach.first <= upper[d] && lower[d] <= reach.last;
      };
      if (std::none_of(reaches[d].begin(), reaches[d].end(), meets_one)) return false;
    }
    return !is_empty();
  }
};

// Returns the last place below a border.
inline double place_before(double border) {
  return std::nextafter(border, -std::numeric_limits<double>::infinity());
}

// Returns the ranks that own a place within reach, in ascending order. It skips branches if all
// their owners are found already, so the time grows only with the number of owners that it finds
// and the depth of the tree.
// `holds(leaf)` may refuse a leaf that is only a box around its domain.
template <class Branches, class Holds>
std::vector<int> ranks_within_reach(const Branches& branches, int dimensions,
                                    const Reaches& reaches, const Holds& holds) {
  using Branch = typename Branches::Branch;
  std::vector<int> ranks;
  int last_found = -1;
  std::vector<Branch> open = {branches.root()};  // a stack: trees may be too deep for recursion
  while (!open.empty()) {
    const Branch branch = std::move(open.back());
    open.pop_back();
    if (branch.last <= last_found || !branch.box.meets(reaches, dimensions)) continue;
    if (branch.first != branch.last) {
      branches.children(branch, [&](const Branch& child) { open.push_back(child); });
      continue;
    }
    if (!holds(branch)) continue;
    last_found = branch.last;
    ranks.push_back(branches.rank_of(branch.last));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

template <class Branches>
std::vector<int> ranks_within_reach(const Branches& branches, int dimensions,
                                    const Reaches& reaches) {
  return ranks_within_reach(branches, dimensions, reaches, [](const auto&) { return true; });
}

// Returns the nodes within reach, in pre-order. `owners` is the number of owners in the whole tree.
template <class Branches>
OwnerTree tree_within_reach(const Branches& branches, int owners, int dimensions,
                            const Reaches& reaches) {
  using Branch = typename Branches::Branch;
  constexpr int none = -1;
  struct Open {
    Branch branch;
    int closes = none;  // if set, this is the end of that node's subtree
  };
  OwnerTree tree;
  tree.ranks.assign(static_cast<std::size_t>(owners), none);
  std::vector<Open> open = {{branches.root()}};
  while (!open.empty()) {
    const Open next = std::move(open.back());
    open.pop_back();
    if (tree.nodes.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error(ErrorKind::out_of_memory, Where{"core/halo"},
                  "The domains around this rank have too many pieces.",
                  "Use fewer levels of the curve.");
    const int here = static_cast<int>(tree.nodes.size());
    const Branch& branch = next.branch;
    if (next.closes != none) {
      tree.nodes[static_cast<std::size_t>(next.closes)].skip = here;
    } else if (branch.box.meets(reaches, dimensions)) {
      const auto& [lower, upper] = branch.box;
      tree.nodes.push_back({{lower[0], lower[1], lower[2]},
                            {upper[0], upper[1], upper[2]},
                            here + 1,
                            branch.first,
                            branch.last});
      if (branch.first == branch.last) {
        tree.ranks[static_cast<std::size_t>(branch.first)] = branches.rank_of(branch.first);
      } else {
        open.push_back({branch, here});
        branches.children(branch, [&](const Branch& child) { open.push_back({child}); });
      }
    }
  }
  const auto is_only_way = [&](std::size_t i) {
    return i + 1 < tree.nodes.size() && tree.nodes[i].first != tree.nodes[i].last &&
           tree.nodes[i + 1].skip == tree.nodes[i].skip;
  };
  while (is_only_way(static_cast<std::size_t>(tree.begin))) ++tree.begin;
  return tree;
}

}  // namespace evenkeel
