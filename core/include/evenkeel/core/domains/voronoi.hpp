#pragma once

// Domains that are the cells of a power diagram, as a value. Each rank can find the owner of any
// place. This header does not include Kokkos.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/domains/decomposition.hpp>
#include <evenkeel/core/domains/power.hpp>
#include <evenkeel/core/field/set.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace evenkeel {

class PowerShapes;

// Domains that are the cells of a power diagram: convex polyhedra with flat faces, in 2 or 3
// dimensions. Part p is the cell of site p.
class EVENKEEL_API VoronoiDomains : public Decomposition {
 public:
  static constexpr bool owns_places = true;

  // No domains yet: generation 0, without parts.
  VoronoiDomains() = default;
  // Throws an Error if the box, the sites or the ranks are invalid.
  VoronoiDomains(std::int64_t generation, int dimensions, const Box& box,
                 const std::array<bool, 3>& periodic, std::vector<stages::PowerSite> sites,
                 std::vector<int> rank_of_part = {});

  const std::vector<stages::PowerSite>& sites() const noexcept { return sites_; }

  // A box around the cell of a part, which other cells overlap. If the cell has no place, its
  // corners are those of an empty box: lower above upper.
  Box box_of(int part) const;
  // That box, or nothing if the cell has no place.
  std::vector<Box> boxes_of(int part) const;

  // The parts whose cells touch the cell of a part, and the area of the faces that both share
  // (their length in two dimensions). It is 0 if cells touch only at edges or corners. Periodic
  // axes wrap around.
  std::vector<std::pair<int, double>> touching(int part) const;

  // The cell of a part as convex polyhedra. On periodic axes a cell may have several pieces in the
  // box.
  std::vector<DomainShape> shapes_of(int part) const;

  // GridDomains explains these.
  int owner_of(std::span<const double> point) const;
  void write_parts(const Space& space, const Set& set, int* parts) const;
  std::vector<int> ranks_within(const Box& box, double width) const;

  // Returns true if the other domains have the same sites.
  bool divides_as(const VoronoiDomains& other) const;

  // See decomposition.hpp.
  CellFrame frame() const;
  OwnerTree owner_tree(const detail::Reaches& reaches) const;
  std::unique_ptr<HomeTest> home_test(const Space& space, int part, std::int64_t objects) const;

 private:
  std::vector<stages::PowerSite> sites_;
  std::shared_ptr<const PowerShapes> shapes_;  // the same for all copies
};

}  // namespace evenkeel
