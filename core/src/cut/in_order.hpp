#pragma once

// The cut of objects that are sorted along the curve already, within each rank and from rank to
// rank, as after a rebalance. One scan over the ranks gives each rank the weight of the objects on
// lower ranks; then each rank finds the splitters that are among its own objects.

#include "cut/search.hpp"

namespace evenkeel {

class InOrder {
 public:
  // Allocates all memory. Refers to the sets.
  InOrder(std::span<const WeightedKeys> sets, std::int64_t most_sought);

  // Collective. Returns true if keys never fall within a rank, and all keys of a rank are above
  // those of lower ranks.
  static bool holds(const Communicator& communicator, const Census& mine, const Census& all);

  // Collective. Returns the weight of all objects. Call it before find().
  std::int64_t weigh(const Communicator& communicator, const Units& units);

  // Collective. Returns the same places as Search::run with Rounding::nearest and tolerance 0.
  // `search` counts its reduction.
  std::span<const Search::Place> find(std::span<const std::int64_t> sought, Search& search);

 private:
  static constexpr std::int64_t block = 128;             // number of objects
  static constexpr std::int64_t worth_threads = 16'384;  // number of objects

  // Returns true if all objects weigh the same.
  bool alike() const noexcept { return set_.weights.empty() || units_.weightless(); }
  std::int64_t weight_of(std::int64_t object) const noexcept;
  void sum_blocks() noexcept;
  std::int64_t weight_before(std::int64_t object) const noexcept;
  Search::Place nearest(std::int64_t sought) const noexcept;

  WeightedKeys set_;
  Units units_;
  std::vector<std::int64_t> before_block_;  // weight of this rank's objects before each block
  std::int64_t before_ = 0;                 // weight of the objects on lower ranks
  std::vector<std::int64_t> found_;         // first the splitters, then the weights before them
  std::vector<Search::Place> places_;
};

}  // namespace evenkeel
