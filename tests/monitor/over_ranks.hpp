#pragma once

// Totals of ranks that are not there.

#include <evenkeel/monitor/epoch.hpp>

#include <cstddef>

namespace evenkeel::test {

// `totals_of_rank(rank)` is what each of them brings to the reduction; there is at least one.
template <class TotalsOfRank>
Totals over_ranks(std::size_t ranks, TotalsOfRank&& totals_of_rank) {
  Totals all = totals_of_rank(std::size_t{0});
  for (std::size_t rank = 1; rank < ranks; ++rank) combine(all, totals_of_rank(rank));
  return all;
}

}  // namespace evenkeel::test
