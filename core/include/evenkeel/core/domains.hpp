#pragma once

// The owners of places and objects, for any method: one type that can hold the domains of each.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/domains/graph.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/tree.hpp>

#include <variant>

namespace evenkeel {

// The list of all types. docs/howto/add_a_domain_type.md explains the queries that each answers.
using Domains = std::variant<CurveDomains, GridDomains, TreeDomains, GraphDomains>;

// --- Queries to all domains ----------------------------------------------------------------------

// The base that domains of all types have in common.
inline const Decomposition& decomposition_of(const Domains& domains) noexcept {
  return std::visit([](const Decomposition& all) -> const Decomposition& { return all; }, domains);
}
// Grows by one with every change.
inline std::int64_t generation_of(const Domains& domains) noexcept {
  return decomposition_of(domains).generation();
}
// It is 0 if there are no domains yet.
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
// Returns true if both divide the same box in the same way among the same ranks, whatever their
// generations.
EVENKEEL_API bool is_same_division(const Domains& a, const Domains& b);

// --- Queries to domains that own places ----------------------------------------------------------
// The parts of a graph own objects and no places: for them these queries are an Error.

// Returns true if places have owners. Then owner_of() and ranks_within() are as for CurveDomains.
EVENKEEL_API bool own_places(const Domains& domains) noexcept;
EVENKEEL_API int owner_of(const Domains& domains, std::span<const double> point);
EVENKEEL_API std::vector<int> ranks_within(const Domains& domains, const Box& box, double width);
// Writes the part of each object of a set to parts[0] ..., or the rank that owns it to ranks[0] ...
// `space` must reach the positions and the result; the domains must have parts. Local. Blocks.
EVENKEEL_API void write_parts(const Space& space, const Domains& domains, const Set& set,
                              int* parts);
EVENKEEL_API void write_ranks(const Space& space, const Domains& domains, const Set& set,
                              int* ranks);
// The same as an array, in the memory that `space` works on.
EVENKEEL_API exec::Array<int> owners_of(const Space& space, const Domains& domains, const Set& set);

// --- Neighbours ----------------------------------------------------------------------------------
// The shape of a domain and its neighbours, for all domains that own places.

// Boxes that together are the domain of a rank, and share no place. A domain that is a box is one
// box; a range of a curve is up to a few hundred, the cubes that the curve fills. The list is empty
// for a rank that owns no place. Along axes beyond the dimensions boxes have no meaning. Local.
EVENKEEL_API std::vector<Box> boxes_of(const Domains& domains, int rank);

// The box around the domain of a rank; throws an Error for a rank that owns no place.
EVENKEEL_API Box box_of(const Domains& domains, int rank);

// A rank whose domain touches another one.
struct Neighbour {
  int rank;
  // The area of the face that both domains share, in two dimensions its length. It is 0 if they
  // touch only at an edge or a corner.
  double shared_face;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// The ranks whose domains touch that of a rank, in ascending order, without the rank itself;
// periodic axes wrap around. Local.
EVENKEEL_API std::vector<Neighbour> neighbours_of(const Domains& domains, int rank);

// --- Derived data --------------------------------------------------------------------------------
// Holds data that an application derives from its domains: halos, maps, neighbour lists. The next
// rebalance makes such data stale. In a build with assertions, such as a debug build, access with
// domains of another generation is an Error; other builds do not check.
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

  // The data, which must be of these domains.
  const T& of(const Domains& domains) const {
    EVENKEEL_ASSERT(is_of(domains), "Derived data belong to the generation of these domains");
    return value_;
  }
  T& of(const Domains& domains) {
    EVENKEEL_ASSERT(is_of(domains), "Derived data belong to the generation of these domains");
    return value_;
  }

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t generation_ = none;
  T value_{};
};

}  // namespace evenkeel
