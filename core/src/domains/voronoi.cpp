#include "domains/checks.hpp"
#include "domains/overlapping.hpp"
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
  return box_of_cells(box(), shapes_->lattice(), shapes_->box_of(part));
}

std::vector<Box> VoronoiDomains::boxes_of(int part) const {
  check_part(stage_name, parts(), part);
  const LatticeBox cells = shapes_->box_of(part);
  if (cells.last[0] < cells.first[0]) return {};
  return {box_of(part)};
}

std::vector<std::pair<int, double>> VoronoiDomains::touching(int part) const {
  check_part(stage_name, parts(), part);
  const double unit = unit_of_area(shapes_->lattice());
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

std::vector<DomainShape> VoronoiDomains::shapes_of(int part) const {
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
  std::vector<DomainShape> shapes;
  const auto p = static_cast<std::size_t>(part);
  for (int piece = all.first_piece[p]; piece < all.first_piece[p + 1]; ++piece) {
    const PowerPolyhedron cell = shapes_->polyhedron_of(piece);
    DomainShape shape;
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
      tree_within_reach(BranchesByPart(*this, *shapes_), parts(), dimensions(), reaches);
  tree.power = shapes_;
  return tree;
}

std::unique_ptr<HomeTest> VoronoiDomains::home_test(const Space& space, int part,
                                                    std::int64_t) const {
  return std::make_unique<InCell<ReachedCells, PowerShapes>>(space, shapes_, part);
}

std::vector<int> VoronoiDomains::ranks_within(const Box& box, double width) const {
  check_halo(stage_name, *this, box, width);
  return ranks_of_cells_within(*this, *shapes_, frame(), box, width);
}

}  // namespace evenkeel
