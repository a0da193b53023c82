#pragma once

// Which objects of a rank are not in its domain: a question that many codes ask after every step,
// and to which the answer is nearly always "very few". So it is made quick: what surely is at home
// is told from its position alone, by the domain's box or, along a curve, by a table of cells that
// belong to this rank as a whole. Only the rest is looked up.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace evenkeel {

// The objects of a set that other ranks own, in ascending order, and the owner of each.
struct Strays {
  exec::Array<std::int64_t> objects;
  exec::Array<int> owners;
};

// The domain of one rank, made ready for this question. Refers to the domains.
class EVENKEEL_API OwnDomain {
 public:
  // `space` reaches the positions of the sets to come, which have about so many objects. Blocks.
  OwnDomain(const Space& space, const Domains& domains, int rank, std::int64_t objects);

  // Pinned objects are nobody's strays. Throws an Error for positions that are not finite, and for
  // sets of other dimensions. Local. Blocks.
  Strays strays_of(const Set& set) const;

 private:
  // Of the cells of a coarser lattice within a box of cells.
  struct Table {
    int coarser = 0;  // levels less than the lattice of the domains
    std::array<std::uint32_t, 3> first = {0, 0, 0}, extent = {0, 0, 0};
    exec::Array<unsigned char> is_own;
    Box inner;  // all places in it belong to this rank
  };
  std::optional<Table> table_for(const CurveDomains& curve, std::int64_t objects) const;
  static Box inner_box(const CurveDomains& curve, int part, const Table& table);
  exec::Array<std::int64_t> suspects_in(const FieldLayout& at) const;

  Space space_;
  const Domains& domains_;
  int rank_;
  std::optional<Box> box_;  // boxes; none: this rank owns no place
  std::optional<Table> table_;
};

}  // namespace evenkeel
