#pragma once

// Finds the site that owns a place in a power diagram, on host and device. A leaf of an octree has
// the sites that can own a place of the leaf.

#include "domains/octree/octree.hpp"

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

// The arrays are in memory that the caller can access.
struct PowerOwner {
  OctreeLeaves leaves;
  const PowerRival* rivals;

  // The index of the rival that owns a cell of the lattice.
  KOKKOS_FUNCTION int operator()(const double* place) const {
    const OctreeNode& leaf = leaves.at(place);
    int best = leaves.list[leaf.first];
    double least = rivals[best].cost(place);
    for (int i = 1; i < leaf.count; ++i) {
      const int next = leaves.list[leaf.first + i];
      const double cost = rivals[next].cost(place);
      // Rivals are in the order of their parts, so the first one wins a tie.
      best = cost < least ? next : best;
      least = cost < least ? cost : least;
    }
    return best;
  }
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

// A power diagram as an octree, on the host. On periodic axes the images of a site are rivals of
// their own.
class PowerCells {
 public:
  PowerCells(const Lattice& lattice, std::span<const PowerSite> sites);

  PowerOwner owner() const noexcept { return {octree_.leaves(), rivals_.data()}; }
  const std::vector<PowerRival>& rivals() const noexcept { return rivals_; }
  const Octree& octree() const noexcept { return octree_; }

 private:
  std::vector<int> not_losing(const LatticeBox& box, const std::vector<int>& near) const;

  std::vector<PowerRival> rivals_;
  Octree octree_;
};

// The lattice of a diagram through a box.
inline Lattice power_lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic) {
  return {dimensions, box, periodic, CurveKind::hilbert, power_levels};
}

}  // namespace evenkeel
