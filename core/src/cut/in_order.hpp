#pragma once

// The cut of objects that are already in the order of the curve, within each rank and from rank to
// rank, as they are after a rebalance. One scan over the ranks gives each rank the weight before
// its objects; the rank then finds the splitters among its own objects.

#include "cut/search.hpp"

namespace evenkeel {

class InOrder {
 public:
  // Reserves all memory that will be needed. Refers to the sets.
  InOrder(std::span<const WeightedKeys> sets, std::int64_t most_sought);

  // Collective. Returns true if the keys never fall within a rank, and rise from rank to rank.
  static bool holds(const Communicator& communicator, const Census& mine, const Census& all);

  // Collective. The weight of all objects.
  std::int64_t weigh(const Communicator& communicator, const Units& units);

  // Collective. Returns the places that Search::run finds with Rounding::nearest and tolerance 0.
  // Its reduction counts as one of `search`.
  std::span<const Search::Place> find(std::span<const std::int64_t> sought, Search& search);

 private:
  static constexpr std::int64_t block = 128;             // objects
  static constexpr std::int64_t worth_threads = 16'384;  // objects

  // Returns true if all objects weigh the same.
  bool alike() const noexcept { return set_.weights.empty() || units_.weightless(); }
  std::int64_t weight_of(std::int64_t object) const noexcept;
  void sum_blocks() noexcept;
  std::int64_t weight_before(std::int64_t object) const noexcept;
  Search::Place nearest(std::int64_t sought) const noexcept;

  WeightedKeys set_;
  Units units_;
  std::vector<std::int64_t> before_block_;  // weight before each block, on this rank
  std::int64_t before_ = 0;                 // the weight of lower ranks
  std::vector<std::int64_t> found_;         // the splitters, then the weights before them
  std::vector<Search::Place> places_;
};

}  // namespace evenkeel
