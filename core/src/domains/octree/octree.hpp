#pragma once

// An octree of the cells of a lattice, on host and device (a quadtree in two dimensions). A leaf
// has the numbers of the things that may own cells of the leaf. Most leaves have only a few.

#include <Kokkos_Macros.hpp>

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace evenkeel {

// A box of cells; both ends are included.
struct LatticeBox {
  std::array<double, 3> first = {}, last = {};
};

// The places around a place, at most a radius away in a straight line, in the coordinates of
// lattice cells. The axes may have cells of different lengths, so the radius has a value for each
// axis.
struct LatticeBall {
  double center[3] = {}, radius[3] = {};
};

// A node: its children, or its part of the list.
struct OctreeNode {
  int children = -1;  // the first of 2^dimensions nodes; below 0 for a leaf
  int first = 0;      // of a leaf: its numbers are list[first], list[first + 1] and so on
  int count = 0;
};

// The arrays are in memory that the caller can access.
struct OctreeLeaves {
  // the nodes of a grid of 2^start_levels places along each axis, or the leaves that hold them
  const int* starts;
  int start_levels, levels;
  const OctreeNode* nodes;
  const int* list;
  int dimensions;

  KOKKOS_FUNCTION const OctreeNode& at(const double* place) const {
    std::uint32_t at[3] = {};
    std::uint32_t start = 0;
    for (int d = 0; d < dimensions; ++d) {
      at[d] = static_cast<std::uint32_t>(place[d]);
      start |= at[d] >> (levels - start_levels) << (d * start_levels);
    }
    const OctreeNode* node = nodes + starts[start];
    for (int level = levels - start_levels; node->children >= 0;) {
      --level;
      std::uint32_t child = 0;
      for (int d = 0; d < dimensions; ++d) child |= ((at[d] >> level) & 1U) << d;
      node = nodes + node->children + child;
    }
    return *node;
  }
};

class Octree {
 public:
  // The lattice has 2^levels cells along each axis, of which the cells up to `last` count.
  Octree(int dimensions, int levels, const std::array<double, 3>& last)
      : dimensions_(dimensions), levels_(levels), last_(last) {}

  // Divides the lattice among things with the numbers 0 to `things` - 1, until at most 8 of them
  // are near a leaf or there are `most_nodes` nodes. nearest(box, near) returns those of some
  // numbers that may own a cell of a box; leaf(box, near) returns those that a leaf keeps. Nodes
  // are divided level by level, so that if there are too many nodes, all leaves are equally fine.
  template <class Nearest, class Leaf>
  void divide(std::size_t things, std::size_t most_nodes, const Nearest& nearest, const Leaf& leaf);

  OctreeLeaves leaves() const noexcept {
    return {starts_.data(), start_levels_, levels_, nodes_.data(), list_.data(), dimensions_};
  }
  int start_levels() const noexcept { return start_levels_; }
  int levels() const noexcept { return levels_; }
  const std::vector<int>& starts() const noexcept { return starts_; }
  const std::vector<OctreeNode>& nodes() const noexcept { return nodes_; }
  const std::vector<int>& list() const noexcept { return list_; }
  std::span<const int> numbers_in(const OctreeNode& leaf) const noexcept {
    return std::span(list_).subspan(static_cast<std::size_t>(leaf.first),
                                    static_cast<std::size_t>(leaf.count));
  }

  // Calls visit(leaf, range) for each leaf that has cells of the box.
  template <class Visit>
  void for_each_leaf(const Visit& visit) const {
    walk(0, whole(), visit);
  }

 private:
  LatticeBox whole() const noexcept;
  LatticeBox child_of(const LatticeBox& range, int child) const noexcept;
  LatticeBox inside(LatticeBox node) const noexcept;
  void make_starts();

  template <class Visit>
  void walk(std::size_t node, const LatticeBox& range, const Visit& visit) const {
    const OctreeNode& here = nodes_[node];
    if (here.children < 0) {
      if (here.count > 0) visit(here, range);
      return;
    }
    const auto first = static_cast<std::size_t>(here.children);
    for (int child = 0; child < 1 << dimensions_; ++child)
      walk(first + static_cast<std::size_t>(child), child_of(range, child), visit);
  }

  int dimensions_, levels_;
  std::array<double, 3> last_;
  std::vector<OctreeNode> nodes_;
  std::vector<int> list_;
  std::vector<int> starts_;
  int start_levels_ = 0;
};

template <class Nearest, class Leaf>
void Octree::divide(std::size_t things, std::size_t most_nodes, const Nearest& nearest,
                    const Leaf& leaf) {
  constexpr std::size_t few = 8;
  constexpr int most_levels = 14;  // below the root
  struct Open {
    std::size_t node;
    LatticeBox box;
    std::vector<int> near;
  };
  const std::size_t children = std::size_t{1} << static_cast<unsigned>(dimensions_);
  std::vector<int> all(things);
  std::iota(all.begin(), all.end(), 0);
  nodes_.emplace_back();
  std::vector<Open> open = {{0, whole(), nearest(inside(whole()), all)}};
  for (int level = 0; !open.empty(); ++level) {
    std::vector<Open> below;
    for (const Open& here : open) {
      OctreeNode& node = nodes_[here.node];
      if (here.near.size() <= few || level == most_levels ||
          nodes_.size() + children > most_nodes) {
        const std::vector<int> kept = leaf(inside(here.box), here.near);
        node.first = static_cast<int>(list_.size());
        node.count = static_cast<int>(kept.size());
        list_.insert(list_.end(), kept.begin(), kept.end());
        continue;
      }
      const std::size_t first = nodes_.size();
      node.children = static_cast<int>(first);
      nodes_.resize(first + children);
      for (std::size_t child = 0; child < children; ++child) {
        const LatticeBox half = child_of(here.box, static_cast<int>(child));
        const LatticeBox its = inside(half);
        bool is_empty = false;
        for (std::size_t d = 0; d < 3; ++d) is_empty = is_empty || its.last[d] < its.first[d];
        if (!is_empty) below.push_back({first + child, half, nearest(its, here.near)});
      }
    }
    open = std::move(below);
  }
  make_starts();
}

}  // namespace evenkeel
