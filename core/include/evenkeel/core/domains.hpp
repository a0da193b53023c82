#pragma once

// The owners of places and objects. One type holds the domains of any method.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/domains/graph.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/mesh.hpp>
#include <evenkeel/core/domains/tree.hpp>
#include <evenkeel/core/domains/voronoi.hpp>

#include <variant>

namespace evenkeel {

// The list of all types. docs/howto/add_a_domain_type.md explains the queries that each answers.
using Domains =
    std::variant<CurveDomains, GridDomains, TreeDomains, GraphDomains, VoronoiDomains, MeshDomains>;

// --- Queries to all domains ----------------------------------------------------------------------

// The base class of the domains, whatever their type.
inline const Decomposition& decomposition_of(const Domains& domains) noexcept {
  return std::visit([](const Decomposition& all) -> const Decomposition& { return all; }, domains);
}
// The number of the decomposition; it grows by one with every change.
inline std::int64_t generation_of(const Domains& domains) noexcept {
  return decomposition_of(domains).generation();
}
// The number of parts, or 0 if there are no domains yet.
inline int parts_of(const Domains& domains) noexcept { return decomposition_of(domains).parts(); }
// The number of coordinates of a place.
inline int dimensions_of(const Domains& domains) noexcept {
  return decomposition_of(domains).dimensions();
}
// The box that is divided.
inline const Box& box_of(const Domains& domains) noexcept {
  return decomposition_of(domains).box();
}
// The rank of each part. If empty, part p belongs to rank p.
inline const std::vector<int>& rank_of_part(const Domains& domains) noexcept {
  return decomposition_of(domains).rank_of_part();
}
// The same domains, with another generation number.
EVENKEEL_API Domains renumbered(const Domains& domains, std::int64_t generation);
// Returns true if both divide the same box in the same way among the same ranks. Their generations
// may differ.
EVENKEEL_API bool is_same_division(const Domains& a, const Domains& b);

// --- Queries to domains that own places ----------------------------------------------------------
// Domains that are parts of a graph own objects, and no places; these queries throw an Error for
// them.

// own_places() returns true if places have owners. owner_of() and ranks_within() are explained at
// CurveDomains.
EVENKEEL_API bool own_places(const Domains& domains) noexcept;
EVENKEEL_API int owner_of(const Domains& domains, std::span<const double> point);
EVENKEEL_API std::vector<int> ranks_within(const Domains& domains, const Box& box, double width);
// write_parts() writes the part of each object of a set to parts[0], parts[1] and so on;
// write_ranks() writes the rank that owns it. `space` must reach the positions and the result, and
// there must be parts. Local. Blocks.
EVENKEEL_API void write_parts(const Space& space, const Domains& domains, const Set& set,
                              int* parts);
EVENKEEL_API void write_ranks(const Space& space, const Domains& domains, const Set& set,
                              int* ranks);
// Returns the ranks of write_ranks() as an array, in the memory that `space` works on.
EVENKEEL_API exec::Array<int> owners_of(const Space& space, const Domains& domains, const Set& set);

// --- Neighbours ----------------------------------------------------------------------------------
// The shape of a domain and its neighbours, for all domains that own places.

// Returns boxes that do not overlap and together are the domain of a rank. This is one box if the
// domain is a box. For a range of a curve it is up to a few hundred cubes, which the curve fills.
// For a cell of a power diagram or a hexahedron it is one box around it, which does overlap others.
// The list is empty for a rank that owns no place. In two dimensions the third axis has no meaning.
// Local.
EVENKEEL_API std::vector<Box> boxes_of(const Domains& domains, int rank);

// The box around the domain of a rank; throws an Error for a rank that owns no place.
EVENKEEL_API Box box_of_rank(const Domains& domains, int rank);

// A rank whose domain touches a given domain.
struct Neighbour {
  int rank;
  // The area of the faces that both domains share, their length in two dimensions, or their number
  // in one. It is 0 if the domains touch only at edges or corners.
  double shared_face;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// The ranks whose domains touch the domain of a rank, in ascending order, without the rank itself.
// Periodic axes wrap around. Local.
EVENKEEL_API std::vector<Neighbour> neighbours_of(const Domains& domains, int rank);

// --- Cells of a mesh -----------------------------------------------------------------------------

// The cells of a mesh that a part owns, and those that move between ranks. These are explained in
// core/domains/grid.hpp; here domains may also be boxes of bisection, cells of a power diagram, or
// hexahedra of a mesh. They throw an Error for other domains.
//
// Domains that are not boxes do not own boxes of cells. For these, cells_in() and the members
// before and after are ranges around the cells. The other members of CellMoves are rows of cells
// along the last axis, so a rank may have several parcels for another rank. The cells of a rank are
// then those that stay and those that enter.
EVENKEEL_API CellRange cells_in(const CellMesh& mesh, const Domains& domains, int part);
EVENKEEL_API CellMoves cells_between(const CellMesh& mesh, const Domains& from, const Domains& to,
                                     int rank);

// --- Derived data --------------------------------------------------------------------------------
// Holds data that an application derives from its domains: halos, maps, neighbour lists. The next
// rebalance makes such data stale. In a build with assertions, such as a debug build, of() throws
// an Error if it gets domains of another generation; other builds do not check.
//
//   ek::Derived<Halo> halo;
//   const ek::Domains& now = balancer.domains();
//   if (!halo.is_of(now)) halo = {now, find_halo(now)};
//   exchange(halo.of(now));

// Data of type T, and the generation of the domains that it was made from.
template <class T>
class Derived {
 public:
  // Holds no data yet: is_of() returns false for any domains.
  Derived() = default;
  Derived(const Domains& domains, T value)
      : generation_(generation_of(domains)), value_(std::move(value)) {}

  // Returns true if the data was made from domains of this generation.
  bool is_of(const Domains& domains) const noexcept {
    return generation_of(domains) == generation_;
  }

  // Returns the data, which must have been made from these domains.
  const T& of(const Domains& domains) const {
    EVENKEEL_ASSERT(is_of(domains),
                    "The derived data were made from these domains (make them again after a "
                    "rebalance)");
    return value_;
  }
  T& of(const Domains& domains) {
    EVENKEEL_ASSERT(is_of(domains),
                    "The derived data were made from these domains (make them again after a "
                    "rebalance)");
    return value_;
  }

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t generation_ = none;
  T value_{};
};

}  // namespace evenkeel
