#include "domains/branches.hpp"
#include "domains/checks.hpp"
#include "domains/home/home_test.hpp"
#include "domains/power/on_space.hpp"
#include "domains/power/shapes.hpp"
#include "domains/stage.hpp"
#include "domains/write_parts.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/domains/voronoi.hpp>

#include <limits>
#include <string>

namespace evenkeel {

namespace {

// Tells which objects are not in the cell of a part.
template <class Real>
struct IsOutsideCell {
  CellOfPlace cell_of;
  Places<Real> places;
  int part;

  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    int its = 0;
    bool is_finite = true;
    for (int axis = 0; axis < cell_of.owner.dimensions; ++axis)
      is_finite = is_finite && exec::is_finite(places.at(i, axis));
    if (!is_finite) return true;
    cell_of.template find<1>([&](int, int axis) { return places.at(i, axis); }, &its);
    return its != part;
  }
};

class InPowerCell : public HomeTest {
 public:
  InPowerCell(const Space& space, std::shared_ptr<const PowerShapes> shapes, int part)
      : shapes_(std::move(shapes)), cells_(space, parts_label, shapes_->cells()), part_(part) {}

  exec::Array<std::int64_t> suspects_among(const Space& space,
                                           const FieldLayout& at) const override {
    return with_places(at, [&]<class Real>(const Places<Real>& places) {
      return exec::numbers_that(
          space, "evenkeel::domains::suspects", at.count,
          IsOutsideCell<Real>{cells_.finder(shapes_->lattice()), places, part_});
    });
  }

 private:
  std::shared_ptr<const PowerShapes> shapes_;  // the arrays may be those of the host
  ReachedCells cells_;
  int part_;
};

// The branches are ranges of parts, each with the box around their cells.
class VoronoiBranches {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
  };

  VoronoiBranches(const VoronoiDomains& domains, const PowerShapes& shapes)
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

  const VoronoiDomains& domains_;
  const PowerShapes& shapes_;
};

// The reaches of a box that is widened by `width`, one for each period. Unlike those of
// reaches_of(), they may overlap; they are the boxes that kernels search.
Reaches turns_within(const CellFrame& frame, int dimensions, const Box& box, double width) {
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

// The index of a corner in a list, which gets it if it has no corner at this place.
int index_among(std::vector<PowerPolyhedron::Corner>& known,
                const PowerPolyhedron::Corner& corner) {
  constexpr double rounding = 1e-6;  // lattice cells
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& other) {
    return std::abs(other[0] - corner[0]) < rounding && std::abs(other[1] - corner[1]) < rounding &&
           std::abs(other[2] - corner[2]) < rounding;
  });
  const auto index = static_cast<int>(found - known.begin());
  if (found == known.end()) known.push_back(corner);
  return index;
}

void check_sites(const std::vector<PowerSite>& sites, const Lattice& lattice) {
  if (sites.empty()) refuse("A power diagram without sites was asked for.", "Give one or more.");
  if (std::ssize(sites) > std::numeric_limits<int>::max())
    refuse("The diagram has more parts than can be counted.", "Use at most 2147483647 parts.");
  for (std::size_t part = 0; part < sites.size(); ++part) {
    const PowerSite& site = sites[part];
    const std::string name = "Site " + std::to_string(part);
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t last =
          axis < lattice.dimensions() ? std::int64_t{lattice.last_coordinate(axis)} : 0;
      const std::int32_t at = site.anchor[static_cast<std::size_t>(axis)];
      if (at < 0 || at > last)
        refuse(name + " has coordinate " + std::to_string(at) + " along axis " +
                   std::to_string(axis) + ", but the cells of the box are 0 to " +
                   std::to_string(last) + '.',
               "Give a cell of the lattice; axes beyond the dimensions have only cell 0.");
    }
    if (site.weight < -most_power_weight || site.weight > most_power_weight)
      refuse(name + " has weight " + std::to_string(site.weight) + '.',
             "Give a weight between -2^50 and 2^50.");
  }
}

}  // namespace

VoronoiDomains::VoronoiDomains(std::int64_t generation, int dimensions, const Box& box,
                               const std::array<bool, 3>& periodic, std::vector<PowerSite> sites,
                               std::vector<int> rank_of_part)
    : Decomposition(generation, static_cast<int>(sites.size()), dimensions, box, periodic,
                    std::move(rank_of_part)),
      sites_(std::move(sites)) {
  if (dimensions != 2 && dimensions != 3)
    refuse("A power diagram in " + std::to_string(dimensions) + " dimensions was asked for.",
           "Use 2 or 3 dimensions.");
  check_axes(dimensions, box, periodic);
  const Lattice lattice = power_lattice(dimensions, box, periodic);
  check_sites(sites_, lattice);
  check_ranks(stage_name, parts(), this->rank_of_part());
  shapes_ = std::make_shared<PowerShapes>(lattice, sites_);
}

Box VoronoiDomains::box_of(int part) const {
  check_part(stage_name, parts(), part);
  const LatticeBox cells = shapes_->box_of(part);
  const Lattice& lattice = shapes_->lattice();
  Box box = this->box();
  for (int axis = 0; axis < dimensions(); ++axis) {
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

std::vector<Box> VoronoiDomains::boxes_of(int part) const {
  check_part(stage_name, parts(), part);
  const LatticeBox cells = shapes_->box_of(part);
  if (cells.last[0] < cells.first[0]) return {};
  return {box_of(part)};
}

std::vector<std::pair<int, double>> VoronoiDomains::touching(int part) const {
  check_part(stage_name, parts(), part);
  const Lattice& lattice = shapes_->lattice();
  double unit = 1;  // the area of a square lattice cell, without the axes that have no extent
  bool is_first = true;
  for (int axis = 0; axis < dimensions(); ++axis) {
    if (!(lattice.cells_per_length(axis) > 0) || lattice.last_coordinate(axis) == 0) continue;
    if (!is_first) unit *= lattice.face(axis, 1) - lattice.face(axis, 0);
    is_first = false;
  }
  std::vector<std::pair<int, double>> found = shapes_->touching(part);
  std::sort(found.begin(), found.end());
  std::vector<std::pair<int, double>> sums;
  for (const auto& [other, area] : found) {
    if (other == part || shapes_->box_of(other).last[0] < 0) continue;
    if (sums.empty() || sums.back().first != other) sums.emplace_back(other, 0);
    if (area > 0) sums.back().second += area * unit;  // the unit may be infinite
  }
  return sums;
}

std::vector<VoronoiDomains::Shape> VoronoiDomains::shapes_of(int part) const {
  check_part(stage_name, parts(), part);
  const PowerShapes::Pieces& all = shapes_->pieces();
  const Lattice& lattice = shapes_->lattice();
  const auto place_of = [&](const PowerPolyhedron::Corner& corner) {
    std::array<double, 3> place = {};
    for (int axis = 0; axis < dimensions(); ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      const double whole = lattice.last_coordinate(axis) + 1.0, lower = box().lower[d] / 2;
      place[d] = (lower + (box().upper[d] / 2 - lower) * (corner[d] / whole)) * 2;
    }
    return place;
  };
  std::vector<Shape> shapes;
  const auto p = static_cast<std::size_t>(part);
  for (int piece = all.first_piece[p]; piece < all.first_piece[p + 1]; ++piece) {
    const PowerPolyhedron cell = shapes_->polyhedron_of(piece);
    Shape shape;
    std::vector<PowerPolyhedron::Corner> known;
    for (const PowerPolyhedron::Face& face : cell.faces()) {
      const bool is_bottom = std::all_of(face.corners.begin(), face.corners.end(),
                                         [](const auto& corner) { return corner[2] == 0; });
      if (dimensions() == 2 && !is_bottom) continue;
      std::vector<int>& corners = shape.faces.emplace_back();
      for (const PowerPolyhedron::Corner& corner : face.corners) {
        const int index = index_among(known, corner);
        if (index == std::ssize(shape.corners)) shape.corners.push_back(place_of(corner));
        if (corners.empty() || (corners.back() != index && corners.front() != index))
          corners.push_back(index);
      }
      if (corners.size() < 3) shape.faces.pop_back();
    }
    if (!shape.faces.empty()) shapes.push_back(std::move(shape));
  }
  return shapes;
}

int VoronoiDomains::owner_of(std::span<const double> point) const {
  check_point(stage_name, *this, point);
  double cell[3] = {};
  for (int axis = 0; axis < dimensions(); ++axis)
    cell[axis] = shapes_->lattice().coordinate(axis, point[static_cast<std::size_t>(axis)]);
  const PowerCells& cells = shapes_->cells();
  return rank_of(cells.rivals()[static_cast<std::size_t>(cells.owner()(cell))].part);
}

bool VoronoiDomains::divides_as(const VoronoiDomains& other) const {
  return sites_ == other.sites_;
}

void VoronoiDomains::write_parts(const Space& space, const Set& set, int* parts) const {
  if (!has_objects(stage_name, space, *this, set)) return;
  const ReachedCells cells(space, parts_label, shapes_->cells());
  write_parts_by(space, cells.finder(shapes_->lattice()), set, parts);
}

CellFrame VoronoiDomains::frame() const { return CellFrame(shapes_->lattice(), box()); }

OwnerTree VoronoiDomains::owner_tree(const Reaches& reaches) const {
  OwnerTree tree =
      tree_within_reach(VoronoiBranches(*this, *shapes_), parts(), dimensions(), reaches);
  tree.shapes = shapes_;
  return tree;
}

std::unique_ptr<HomeTest> VoronoiDomains::home_test(const Space& space, int part,
                                                    std::int64_t) const {
  return std::make_unique<InPowerCell>(space, shapes_, part);
}

std::vector<int> VoronoiDomains::ranks_within(const Box& box, double width) const {
  check_halo(stage_name, *this, box, width);
  const Reaches reaches = turns_within(frame(), dimensions(), box, width);
  const CellsMeeting meets = shapes_->meeting();
  const auto is_within = [&](const auto& self, const VoronoiBranches::Branch& leaf,
                             std::array<double, 3>& lower, std::array<double, 3>& upper,
                             std::size_t d) -> bool {
    if (d >= 3 || d == static_cast<std::size_t>(dimensions()))
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
  return ranks_within_reach(
      VoronoiBranches(*this, *shapes_), dimensions(), reaches,
      [&](const auto& leaf) { return is_within(is_within, leaf, lower, upper, 0); });
}

}  // namespace evenkeel
