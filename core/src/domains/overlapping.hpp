#pragma once

// Helpers for domains that are not unions of boxes: cells of a power diagram, and hexahedra of a
// mesh. Boxes around them overlap. `Shapes` is PowerShapes or MeshShapes; it knows the box around
// each part (box_of), and which parts have places in a box (meeting).

#include "domains/branches.hpp"
#include "domains/home/home_test.hpp"
#include "domains/octree/octree.hpp"
#include "domains/write_parts.hpp"

#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace evenkeel {

// The box of some cells of a lattice through `whole`. Without cells, its corners are those of an
// empty box: lower above upper.
inline Box box_of_cells(const Box& whole, const Lattice& lattice, const LatticeBox& cells) {
  Box box = whole;
  for (int axis = 0; axis < lattice.dimensions(); ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    if (cells.last[d] < cells.first[d]) {
      std::swap(box.lower[d], box.upper[d]);
      continue;
    }
    // The box of all domains keeps its own faces, to the last bit.
    if (cells.first[d] > 0)
      box.lower[d] = lattice.face(axis, static_cast<std::uint32_t>(cells.first[d]));
    if (cells.last[d] < lattice.last_coordinate(axis))
      box.upper[d] = lattice.face(axis, static_cast<std::uint32_t>(cells.last[d]) + 1);
  }
  return box;
}

// The area of a square lattice cell, without the axes that have no extent.
inline double unit_of_area(const Lattice& lattice) {
  double unit = 1;
  bool is_first = true;
  for (int axis = 0; axis < lattice.dimensions(); ++axis) {
    if (!(lattice.cells_per_length(axis) > 0) || lattice.last_coordinate(axis) == 0) continue;
    if (!is_first) unit *= lattice.face(axis, 1) - lattice.face(axis, 0);
    is_first = false;
  }
  return unit;
}

// Finds the objects that are not in the domain of a part.
template <class Real, class PartOf>
struct IsOutsideCell {
  PartOf part_of;
  Places<Real> places;
  int dimensions, part;

  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    int its = 0;
    bool is_finite = true;
    for (int axis = 0; axis < dimensions; ++axis)
      is_finite = is_finite && exec::is_finite(places.at(i, axis));
    if (!is_finite) return true;
    part_of.template find<1>([&](int, int axis) { return places.at(i, axis); }, &its);
    return its != part;
  }
};

// `Reached` has the arrays of Shapes::cells() in memory that the space can access.
template <class Reached, class Shapes>
class InCell : public HomeTest {
 public:
  InCell(const Space& space, std::shared_ptr<const Shapes> shapes, int part)
      : shapes_(std::move(shapes)), cells_(space, parts_label, shapes_->cells()), part_(part) {}

  exec::Array<std::int64_t> suspects_among(const Space& space,
                                           const FieldLayout& at) const override {
    const Lattice& lattice = shapes_->lattice();
    const auto part_of = cells_.finder(lattice);
    return with_places(at, [&]<class Real>(const Places<Real>& places) {
      return exec::numbers_that(space, "evenkeel::domains::suspects", at.count,
                                IsOutsideCell<Real, std::decay_t<decltype(part_of)>>{
                                    part_of, places, lattice.dimensions(), part_});
    });
  }

 private:
  std::shared_ptr<const Shapes> shapes_;  // the arrays may be those of the host
  Reached cells_;
  int part_;
};

// The branches are ranges of parts, each with the box around their domains.
template <class Shapes>
class BranchesByPart {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
  };

  BranchesByPart(const Decomposition& domains, const Shapes& shapes)
      : domains_(domains), shapes_(shapes) {}

  Branch root() const { return branch_of(0, domains_.parts() - 1); }

  template <class Visit>
  void children(const Branch& branch, const Visit& visit) const {
    const int middle = (branch.first + branch.last + 1) / 2;
    visit(branch_of(middle, branch.last));
    visit(branch_of(branch.first, middle - 1));
  }

  int rank_of(int owner) const { return domains_.rank_of(owner); }

 private:
  Branch branch_of(int first, int last) const {
    constexpr double far = std::numeric_limits<double>::infinity();
    Branch branch{{{far, far, far}, {-far, -far, -far}}, first, last};
    for (int part = first; part <= last; ++part) {
      const LatticeBox box = shapes_.box_of(part);
      for (std::size_t d = 0; d < 3; ++d) {
        branch.box.lower[d] = std::min(branch.box.lower[d], box.first[d]);
        branch.box.upper[d] = std::max(branch.box.upper[d], box.last[d]);
      }
    }
    return branch;
  }

  const Decomposition& domains_;
  const Shapes& shapes_;
};

// The reaches of a box that is widened by `width`, one for each period. Unlike those of
// reaches_of(), they may overlap; they are the boxes that kernels search.
inline Reaches turns_within(const CellFrame& frame, int dimensions, const Box& box, double width) {
  Reaches reaches;
  for (int axis = 0; axis < dimensions; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const ImageInside first = frame.image(axis, box.lower[d] - width);
    const ImageInside last = frame.image(axis, box.upper[d] + width);
    const double turns = last.turn - first.turn, highest = frame.highest(axis);
    if (turns == 0)
      reaches[d] = {{first.at, last.at}};
    else if (turns == 1)
      reaches[d] = {{first.at, highest}, {0, last.at}};
    else
      reaches[d] = {{0, highest}};
  }
  return reaches;
}

// ranks_within() for these domains.
template <class Shapes>
std::vector<int> ranks_of_cells_within(const Decomposition& domains, const Shapes& shapes,
                                       const CellFrame& frame, const Box& box, double width) {
  using Branches = BranchesByPart<Shapes>;
  const int dimensions = domains.dimensions();
  const Reaches reaches = turns_within(frame, dimensions, box, width);
  const auto meets = shapes.meeting();
  const auto is_within = [&](const auto& self, const typename Branches::Branch& leaf,
                             std::array<double, 3>& lower, std::array<double, 3>& upper,
                             std::size_t d) -> bool {
    if (d >= 3 || d == static_cast<std::size_t>(dimensions))
      return meets(leaf.first, lower.data(), upper.data());
    for (const Reach& reach : reaches[d]) {
      lower[d] = reach.first;
      upper[d] = reach.last;
      const bool overlap = lower[d] <= leaf.box.upper[d] && leaf.box.lower[d] <= upper[d];
      if (overlap && self(self, leaf, lower, upper, d + 1)) return true;
    }
    return false;
  };
  std::array<double, 3> lower = {}, upper = {};
  return ranks_within_reach(Branches(domains, shapes), dimensions, reaches, [&](const auto& leaf) {
    return is_within(is_within, leaf, lower, upper, 0);
  });
}

}  // namespace evenkeel
