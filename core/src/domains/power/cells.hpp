#pragma once

// Finds the site that owns a place in a power diagram, on host and device. An octree of the lattice
// holds, in each leaf, the sites that can own a place of the leaf; most leaves have only a few. On
// periodic axes the images of a site are rivals of their own.

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/power.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <span>
#include <vector>

namespace evenkeel {

// One image of a site. Its costs leave out the square of the place, which is the same for all. They
// are integers below 2^53, so compilers cannot round them in different ways.
struct PowerRival {
  double twice[3];  // twice the coordinates of the image
  double constant;  // the square of the image's coordinates, minus the weight
  int part;

  KOKKOS_FUNCTION double cost(const double* place) const {
    return constant - twice[0] * place[0] - twice[1] * place[1] - twice[2] * place[2];
  }
  // Returns true if another image takes all places of a closed box from this one. The difference of
  // two costs is linear, so it is greatest at a corner.
  KOKKOS_FUNCTION bool loses_to(const PowerRival& other, const double* lower,
                                const double* upper) const {
    double lead = other.constant - constant;
    for (int d = 0; d < 3; ++d) {
      const double slope = twice[d] - other.twice[d];
      if (slope != 0) lead += slope * (slope > 0 ? upper[d] : lower[d]);
    }
    return lead < 0 || (lead == 0 && other.part < part);
  }
};

// The square of the distance of two rivals.
KOKKOS_INLINE_FUNCTION double square_between(const PowerRival& a, const PowerRival& b) {
  double square = 0;
  for (int d = 0; d < 3; ++d) square += (a.twice[d] - b.twice[d]) * (a.twice[d] - b.twice[d]);
  return square / 4;
}

// A node of the octree: its children, or its rivals in the list.
struct PowerNode {
  int children = -1;  // the first of 2^dimensions nodes; below 0 for a leaf
  int first = 0;      // of a leaf: its rivals are list[first], list[first + 1] and so on
  int count = 0;
};

// The arrays are in memory that the caller can access.
struct PowerOwner {
  // the nodes of a grid of 2^start_levels places along each axis, or the leaves that hold them
  const int* starts;
  int start_levels;
  const PowerNode* nodes;
  const int* list;
  const PowerRival* rivals;
  int dimensions;

  KOKKOS_FUNCTION const PowerNode& leaf_at(const double* place) const {
    std::uint32_t at[3];
    std::uint32_t start = 0;
    for (int d = 0; d < dimensions; ++d) {
      at[d] = static_cast<std::uint32_t>(place[d]);
      start |= at[d] >> (power_levels - start_levels) << (d * start_levels);
    }
    const PowerNode* node = nodes + starts[start];
    for (int level = power_levels - start_levels; node->children >= 0;) {
      --level;
      std::uint32_t child = 0;
      for (int d = 0; d < dimensions; ++d) child |= ((at[d] >> level) & 1U) << d;
      node = nodes + node->children + child;
    }
    return *node;
  }

  // The index of the rival that owns a cell of the lattice.
  KOKKOS_FUNCTION int operator()(const double* place) const {
    const PowerNode& leaf = leaf_at(place);
    int best = list[leaf.first];
    double least = rivals[best].cost(place);
    for (int i = 1; i < leaf.count; ++i) {
      const int next = list[leaf.first + i];
      const double cost = rivals[next].cost(place);
      // Rivals are in the order of their parts, so the first one wins a tie.
      best = cost < least ? next : best;
      least = cost < least ? cost : least;
    }
    return best;
  }
};

// A box of cells; both ends are included.
struct LatticeBox {
  std::array<double, 3> first = {}, last = {};
};

// The images of all sites, in the order of their parts. Only images on periodic axes differ from
// the sites.
std::vector<PowerRival> rivals_of(const Lattice& lattice, std::span<const PowerSite> sites);

// Keeps those of some rivals that may own a cell of a box. One rival is the best in the middle;
// the others must be better somewhere. The difference of two costs is linear, so its least value is
// at a corner. If `slab` is above 0, it also keeps rivals that are nearly as good: those behind a
// face that is less than slab / 2 of the distance of the two sites away.
void keep_nearest(const LatticeBox& box, std::span<const PowerRival> rivals,
                  std::span<const int> near, double slab, std::vector<int>& kept);

// A power diagram as an octree, on the host.
class PowerCells {
 public:
  PowerCells(const Lattice& lattice, std::span<const PowerSite> sites);

  PowerOwner owner() const noexcept {
    return {starts_.data(), start_levels_,  nodes_.data(),
            list_.data(),   rivals_.data(), dimensions_};
  }
  const std::vector<PowerRival>& rivals() const noexcept { return rivals_; }
  const std::vector<PowerNode>& nodes() const noexcept { return nodes_; }
  const std::vector<int>& starts() const noexcept { return starts_; }
  int start_levels() const noexcept { return start_levels_; }
  const std::vector<int>& list() const noexcept { return list_; }
  std::span<const int> rivals_in(const PowerNode& leaf) const noexcept {
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
  void divide(const std::vector<int>& all);
  void make_leaf(PowerNode& node, const LatticeBox& box, const std::vector<int>& near);
  void make_starts();

  template <class Visit>
  void walk(std::size_t node, const LatticeBox& range, const Visit& visit) const {
    const PowerNode& here = nodes_[node];
    if (here.children < 0) {
      if (here.count > 0) visit(here, range);
      return;
    }
    const auto first = static_cast<std::size_t>(here.children);
    for (int child = 0; child < 1 << dimensions_; ++child)
      walk(first + static_cast<std::size_t>(child), child_of(range, child), visit);
  }

  int dimensions_ = 0;
  std::array<double, 3> last_ = {};  // the last cell of the box
  std::vector<PowerRival> rivals_;
  std::vector<PowerNode> nodes_;
  std::vector<int> list_;
  std::vector<int> starts_;
  int start_levels_ = 0;
};

// The lattice of a diagram through a box.
inline Lattice power_lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic) {
  return {dimensions, box, periodic, CurveKind::hilbert, power_levels};
}

}  // namespace evenkeel
