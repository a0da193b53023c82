#pragma once

// Finds strays: objects of a rank that are not in its domain. Many codes ask for them after every
// step, and nearly always there are few. So a quick test comes first. It finds objects that are
// surely in the domain, by the domain's box or, along a curve, by a table of cells that belong
// entirely to this rank. Owners are looked up only for the other objects.

#include <evenkeel/core/domains.hpp>

namespace evenkeel::stages {

// The objects of a set that other ranks own, in ascending order, and the owner of each.
struct Strays {
  exec::Array<std::int64_t> objects;
  exec::Array<int> owners;
};

// The domain of one rank, prepared for the quick test. Refers to the domains.
class EVENKEEL_API StrayFinder {
 public:
  // `space` must reach the positions of the sets to test, which have about `objects` objects.
  // Blocks.
  StrayFinder(const Space& space, const Domains& domains, int rank, std::int64_t objects);
  StrayFinder(StrayFinder&&) noexcept;
  StrayFinder& operator=(StrayFinder&&) noexcept = delete;
  ~StrayFinder();

  // Pinned objects are never strays. Throws an Error for positions that are not finite, and for
  // sets of other dimensions. Local. Blocks.
  Strays strays_of(const Set& set) const;

 private:
  Space space_;
  const Domains& domains_;
  int rank_;
  std::unique_ptr<HomeTest> home_;  // if null, all objects are looked up
};

}  // namespace evenkeel::stages
