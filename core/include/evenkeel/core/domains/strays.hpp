#pragma once

// Which objects of a rank are not in its domain: a question that many codes ask after every step,
// and to which the answer is nearly always "very few". So it is made quick: what surely is at home
// is told from its position alone, by the domain's box or, along a curve, by a table of cells that
// belong to this rank as a whole. Only the rest is looked up.

#include <evenkeel/core/domains.hpp>

namespace evenkeel {

// The objects of a set that other ranks own, in ascending order, and the owner of each.
struct Strays {
  exec::Array<std::int64_t> objects;
  exec::Array<int> owners;
};

// The domain of one rank, made ready for this question. Refers to the domains.
class EVENKEEL_API StrayFinder {
 public:
  // `space` reaches the positions of the sets to come, which have about so many objects. Blocks.
  StrayFinder(const Space& space, const Domains& domains, int rank, std::int64_t objects);
  StrayFinder(StrayFinder&&) noexcept;
  StrayFinder& operator=(StrayFinder&&) noexcept = delete;
  ~StrayFinder();

  // Pinned objects are nobody's strays. Throws an Error for positions that are not finite, and for
  // sets of other dimensions. Local. Blocks.
  Strays strays_of(const Set& set) const;

 private:
  Space space_;
  const Domains& domains_;
  int rank_;
  std::unique_ptr<HomeTest> home_;  // null: nothing is known to be at home
};

}  // namespace evenkeel
