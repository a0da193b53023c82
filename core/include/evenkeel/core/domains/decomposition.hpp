#pragma once

// All domains together, as a value: the base of every type of domains. Every rank holds the whole
// decomposition, so queries need no message. docs/howto/add_a_domain_type.md explains what a type
// adds.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/box.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel {

// The library's stages query domains that own places through these types (core/src/domains). A
// HomeTest finds objects that may have left a domain. A frame maps places to the coordinates in
// which domains are compared: those of the box, or of the cells of a curve's lattice. A Reach is an
// interval of such coordinates along one axis. An OwnerTree holds the owners within given reaches.
class EVENKEEL_API HomeTest;
struct BoxFrame;
struct CellFrame;
struct Reach;
struct OwnerTree;
namespace detail {
using Reaches = std::array<std::vector<Reach>, 3>;  // along each axis
}

// A generation, a box, and the ranks that own the parts.
class EVENKEEL_API Decomposition {
 public:
  // The number of the decomposition; it grows by one with every change. Compare it to see whether
  // data derived from a decomposition is stale.
  std::int64_t generation() const noexcept { return generation_; }
  int parts() const noexcept { return parts_; }  // 0 if there are no domains yet
  int dimensions() const noexcept { return dimensions_; }
  const Box& box() const noexcept { return box_; }
  const std::array<bool, 3>& periodic() const noexcept { return periodic_; }

  // The rank of each part. If empty, part p belongs to rank p.
  const std::vector<int>& rank_of_part() const noexcept { return rank_of_part_; }
  int rank_of(int part) const {
    return rank_of_part_.empty() ? part : rank_of_part_[static_cast<std::size_t>(part)];
  }
  // The part of a rank. Throws an Error if the rank has no part; has_part() says whether it has
  // one.
  int part_of(int rank) const;
  bool has_part(int rank) const noexcept;

  // The same domains, with another generation number.
  template <std::derived_from<Decomposition> D>
  friend D renumbered(D domains, std::int64_t generation) {
    static_cast<Decomposition&>(domains).generation_ = generation;
    return domains;
  }

 protected:
  // No domains yet: generation 0, without parts.
  Decomposition() = default;
  Decomposition(std::int64_t generation, int parts, int dimensions, const Box& box,
                const std::array<bool, 3>& periodic, std::vector<int> rank_of_part)
      : generation_(generation),
        parts_(parts),
        dimensions_(dimensions),
        box_(box),
        periodic_(periodic),
        rank_of_part_(std::move(rank_of_part)) {}
  Decomposition(const Decomposition&) = default;
  Decomposition(Decomposition&&) noexcept = default;
  Decomposition& operator=(const Decomposition&) = default;
  Decomposition& operator=(Decomposition&&) noexcept = default;
  ~Decomposition() = default;

 private:
  std::int64_t generation_ = 0;
  int parts_ = 0, dimensions_ = 0;
  Box box_;
  std::array<bool, 3> periodic_ = {};
  std::vector<int> rank_of_part_;
};

// The shape of a domain, or of a piece of it, for pictures: a polyhedron. Faces list corners in
// order around them. In two dimensions there is one face, the domain itself.
struct DomainShape {
  std::vector<std::array<double, 3>> corners;
  std::vector<std::vector<int>> faces;
};

}  // namespace evenkeel
