#pragma once

// All domains together, as a value: the base of every type of domains. Every rank can ask it,
// without a message. docs/howto/add_a_domain_type.md says what a type adds.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/box.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel {

// What the library's own stages ask of domains that own places (core/src/domains): which objects
// may have left a domain; places in a frame, among boxes or in the cells of a curve; intervals in
// it along each axis; who owns what within reach of these.
class EVENKEEL_API HomeTest;
struct BoxFrame;
struct CellFrame;
struct Reach;
// Along each axis.
using Reaches = std::array<std::vector<Reach>, 3>;
struct OwnerTree;

// A number, a box, and the ranks that own the parts.
class EVENKEEL_API Decomposition {
 public:
  // Grows by one with every change; compare it to see whether data derived from a decomposition is
  // stale.
  std::int64_t generation() const noexcept { return generation_; }
  int parts() const noexcept { return parts_; }  // 0: nobody owns anything yet
  int dimensions() const noexcept { return dimensions_; }
  const Box& box() const noexcept { return box_; }
  const std::array<bool, 3>& periodic() const noexcept { return periodic_; }

  // Of each part; empty: part p is rank p.
  const std::vector<int>& rank_of_part() const noexcept { return rank_of_part_; }
  int rank_of(int part) const {
    return rank_of_part_.empty() ? part : rank_of_part_[static_cast<std::size_t>(part)];
  }
  // The part of a rank; throws an Error for a rank that has none.
  int part_of(int rank) const;
  bool has_part(int rank) const noexcept;

  // The same domains, with another generation number.
  template <std::derived_from<Decomposition> D>
  friend D renumbered(D domains, std::int64_t generation) {
    static_cast<Decomposition&>(domains).generation_ = generation;
    return domains;
  }

 protected:
  // Nobody owns anything yet: no parts, generation 0.
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

}  // namespace evenkeel
