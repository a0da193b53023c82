#pragma once

// Shifts the offsets of ranks along a curve by what the ranks have measured, as Niemoeller et al.
// do (Computers and Fluids 199, 2020, 104437): for what varies along the curve and no weight tells.
//
// With l_i the load of rank i over the average, s_j = sum over i < j of (l_i - 1) is what the ranks
// before offset j have too much. Offset j walks along the curve, to the left if s_j > 0. An object
// k that it passes on rank i takes f l_i w_k / W_i off s_j, where W_i is the weight of that rank's
// objects and f >= 1 the penalty; the walk ends where the rest is nearest to 0. It goes on beyond
// the neighbouring domain, at that rank's own price.
//
// In terms of L(x), the load before a place x on the curve as the weights spread what was measured,
// L(offset j) = j + s_j, and the walk ends where L is nearest to t_j = j + (1 - 1/f) s_j. Since
// t_(j+1) - t_j = 1/f + (1 - 1/f) l_j > 0, two offsets never cross, and an end is found by prefix
// sums and a binary search.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// s_0, s_1, ..., one for each offset: one more than ranks; the first and the last are 0. All are 0
// where nothing was measured. Throws an Error for loads that are negative, NaN or infinite.
EVENKEEL_API std::vector<double> cumulative_imbalances(std::span<const double> loads);

// The objects that an offset passes. `shares`: w_k / W of the objects in the order of the walk, all
// of one rank; `load`: l of that rank; `imbalance`: what is to be taken off, |s_j|. Of two places
// that are equally near, the first. Throws an Error for a penalty below 1.
EVENKEEL_API std::int64_t objects_to_pass(double imbalance, double load,
                                          std::span<const double> shares, double penalty);

// What a shift makes of the offsets of this rank.
struct ShiftedOffset {
  // The numbers, along the curve and over all ranks, of the objects that this rank should have: the
  // first, and one past the last.
  std::int64_t first = 0, end = 0;
  std::int64_t was_first = 0, was_end = 0;
  double imbalance = 0;  // s of this rank's offset
  int hops = 0;          // from rank to rank, of the longest walk
};

// Collective. `weights`: of the objects of this rank, finite and not negative, in the order of the
// curve; all objects of a rank stand before those of the next. `load`: of this rank, measured, in
// one unit on all ranks. A rank without objects counts as one without load; where all weights of a
// rank are 0, its objects weigh the same. Without any load nothing is shifted. Takes two scans,
// and messages between neighbours along the curve, as often as the longest walk crosses domains.
EVENKEEL_API ShiftedOffset shift_offsets(const Communicator& communicator, const Status& status,
                                         const exec::Array<double>& weights, double load,
                                         double penalty);

}  // namespace evenkeel
