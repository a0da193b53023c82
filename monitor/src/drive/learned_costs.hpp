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

  void resize(std::size_t sets) {
    of_sets_.resize(sets);
    keys_.resize(sets);
    is_new_.assign(sets, 0);
  }

  bool has_keys() const noexcept;

  // Finds out whose costs are known after the application may have made, removed or sorted objects:
  // by their keys or, in sets without keys, those of all objects if there are as many as before.
  // Returns the number of objects whose costs are forgotten.
  std::int64_t follow(const Space& space, std::span<const Set> sets);

  // Makes the sets carry their costs, which follow() has brought up to date.
  void travel_with(std::span<Set> sets);

  // After objects have moved with their costs.
  void note_keys(const Space& space, std::span<const Set> sets);

  // The memory that the present rebalance has made, unless it is kept.
  void give_back() noexcept;
  void keep() noexcept { is_new_.clear(); }

  // The load of this rank by what is known.
  std::int64_t expected() const;

  // Remembers the mean, also where nothing is learned from it.
  void note(const Agreed& agreed) noexcept;

  // Adds what was measured since the last rebalance.
  void learn(const Space& space, std::span<const Set> sets, const Agreed& agreed);

 private:
  std::int64_t follow(const Space& space, const Set& set, std::size_t index);

  std::vector<exec::Array<double>> of_sets_;
  std::vector<exec::Array<std::int64_t>> keys_;  // of each set that has keys
  std::vector<char> is_new_;                     // by set: made by the rebalance under way
  double mean_per_object_ = 0;                   // over all ranks, when last measured
};

}  // namespace evenkeel
