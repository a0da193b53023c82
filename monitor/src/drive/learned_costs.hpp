#pragma once

// What each object costs, as the load of the ranks that have held it tells. Travels with the
// objects.

#include "drive/agreement.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

class LearnedCosts {
 public:
  // By set, in nanoseconds per step; where nothing is known, 0 or no entry for any object.
  const std::vector<exec::Array<double>>& of_sets() const noexcept { return of_sets_; }

  void resize(std::size_t sets) { of_sets_.resize(sets); }

  // Makes the sets carry their costs. Where objects have come or gone since, these are forgotten.
  void travel_with(const Space& space, std::span<Set> sets);

  // The load of this rank by what is known.
  std::int64_t expected() const;

  // Remembers the mean, also where nothing is learned from it.
  void note(const Agreed& agreed) noexcept;

  // Adds what was measured since the last rebalance.
  void learn(const Space& space, std::span<const Set> sets, const Agreed& agreed);

 private:
  std::vector<exec::Array<double>> of_sets_;
  double mean_per_object_ = 0;  // over all ranks, when last measured
};

}  // namespace evenkeel
