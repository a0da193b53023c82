#pragma once

// The cell of a power diagram as a polyhedron, on the host.

#include "domains/power/cells.hpp"

#include <array>
#include <span>
#include <vector>

namespace evenkeel {

// A convex polyhedron in lattice coordinates. In two dimensions it is a prism of height 1.
class PowerPolyhedron {
 public:
  static constexpr int wall = -1;
  using Corner = std::array<double, 3>;
  struct Face {
    std::vector<Corner> corners;  // in order around the face
    int behind = wall;            // the rival behind it, or `wall`
  };

  explicit PowerPolyhedron(const LatticeBox& box);
  // Cuts away the places where `rival`, which is number `behind`, has the lower cost.
  void clip(const PowerRival& own, const PowerRival& rival, int behind);

  bool empty() const noexcept { return faces_.empty(); }
  const std::vector<Face>& faces() const noexcept { return faces_; }
  LatticeBox bounds() const noexcept;
  // Returns true if a corner is as near to one site as to the other.
  bool touches(const PowerRival& own, const PowerRival& rival) const noexcept;

 private:
  std::vector<Face> faces_;
};

double area_of(std::span<const PowerPolyhedron::Corner> corners) noexcept;

}  // namespace evenkeel
