#pragma once

// Who owns what, for any method: one type that can hold the domains of each.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/domains/graph.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/tree.hpp>

#include <variant>

namespace evenkeel {

// The list of all types. docs/howto/add_a_domain_type.md says what each of them answers.
using Domains = std::variant<CurveDomains, GridDomains, TreeDomains, GraphDomains>;

// --- What all domains answer ---------------------------------------------------------------------

// What domains of all types have in common.
inline const Decomposition& decomposition_of(const Domains& domains) noexcept {
  return std::visit([](const Decomposition& all) -> const Decomposition& { return all; }, domains);
}
// Grows by one with every change.
inline std::int64_t generation_of(const Domains& domains) noexcept {
  return decomposition_of(domains).generation();
}
// 0: nothing has been divided yet.
inline int parts_of(const Domains& domains) noexcept { return decomposition_of(domains).parts(); }
// 2 or 3.
inline int dimensions_of(const Domains& domains) noexcept {
  return decomposition_of(domains).dimensions();
}
// The box that is divided.
inline const Box& box_of(const Domains& domains) noexcept {
  return decomposition_of(domains).box();
}
// The rank of each part; empty: part p is rank p.
inline const std::vector<int>& rank_of_part(const Domains& domains) noexcept {
  return decomposition_of(domains).rank_of_part();
}
// The same domains, with another generation number.
EVENKEEL_API Domains renumbered(const Domains& domains, std::int64_t generation);
// Whether both divide the same box alike, whatever their generations.
EVENKEEL_API bool is_same_division(const Domains& a, const Domains& b);

// --- What those answer that own places -----------------------------------------------------------
// The parts of a graph own objects and no places: they refuse these questions with an Error.

// Whether places have owners.
EVENKEEL_API bool own_places(const Domains& domains) noexcept;
EVENKEEL_API int owner_of(const Domains& domains, std::span<const double> point);
EVENKEEL_API std::vector<int> ranks_within(const Domains& domains, const Box& box, double width);
// Writes the part of each object of a set to parts[0] ..., or the rank that owns it to ranks[0] ...
// `space` must reach the positions and what is written; the domains must have parts. Local. Blocks.
EVENKEEL_API void write_parts(const Space& space, const Domains& domains, const Set& set,
                              int* parts);
EVENKEEL_API void write_ranks(const Space& space, const Domains& domains, const Set& set,
                              int* ranks);
// The same as an array, in the memory that `space` works on.
EVENKEEL_API exec::Array<int> owners_of(const Space& space, const Domains& domains, const Set& set);

// --- Neighbours ----------------------------------------------------------------------------------
// The shape of one domain, and who is next to it: the same questions for domains of any kind.

// Boxes that together are the domain of a rank, and share no place: one for domains that are boxes;
// for a range of a curve up to a few hundred, the cubes that the curve fills. None for a rank that
// owns no place. Along axes beyond the dimensions they have no meaning. Local.
EVENKEEL_API std::vector<Box> boxes_of(const Domains& domains, int rank);

// The box around the domain of a rank; throws an Error for a rank that owns no place.
EVENKEEL_API Box box_of(const Domains& domains, int rank);

// A rank whose domain touches another one.
struct Neighbour {
  int rank;
  // The area that both domains have in common, in two dimensions its length; 0 where they only
  // touch at an edge or a corner.
  double shared_face;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// The ranks whose domains touch that of a rank, in ascending order and without itself; periodic
// axes wrap around. Local.
EVENKEEL_API std::vector<Neighbour> neighbours_of(const Domains& domains, int rank);

// --- Derived data --------------------------------------------------------------------------------
// Holds data that an application derives from its domains: halos, maps, neighbour lists. The next
// rebalance makes such data stale. In a build with assertions, which debug builds have, it is an
// Error to ask for the data with other domains than it was made from; other builds do not check.
//
//   ek::Derived<Halo> halo;
//   const ek::Domains& now = balancer.domains();
//   if (!halo.is_of(now)) halo = {now, find_halo(now)};
//   exchange(halo.of(now));

// Data of type T, and the generation of the domains that it was made from.
template <class T>
class Derived {
 public:
  // Belongs to no domains at all.
  Derived() = default;
  Derived(const Domains& domains, T value)
      : generation_(generation_of(domains)), value_(std::move(value)) {}

  // Whether the data was made from domains of this generation.
  bool is_of(const Domains& domains) const noexcept {
    return generation_of(domains) == generation_;
  }

  // The data, which must be of these domains.
  const T& of(const Domains& domains) const {
    EVENKEEL_ASSERT(is_of(domains), "What is derived from domains is of their generation");
    return value_;
  }
  T& of(const Domains& domains) {
    EVENKEEL_ASSERT(is_of(domains), "What is derived from domains is of their generation");
    return value_;
  }

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t generation_ = none;
  T value_{};
};

}  // namespace evenkeel
