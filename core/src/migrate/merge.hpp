#pragma once

// The order of objects that come in several runs, each of which is in order.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/key.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Keys that the host reaches. Runs follow one another; the places of this run begin at `first`.
struct Run {
  std::span<const CurveKey> keys;
  std::int64_t first;
};

// The places of objects when all runs are merged, with equal keys in the order of the runs: ranges
// from places in the runs to places in the result, rising in the latter. Empty if there are, or
// would soon be, more than `most` ranges.
std::vector<ObjectRange> merged_runs(std::span<const Run> runs, std::int64_t most);

// The same if objects do not lie in long ranges: sorts `values` by their keys. Run r begins at
// firsts[r]. The keys may or may not be sorted too.
void merge_runs(const Space& space, std::span<CurveKey> keys, std::span<std::int64_t> values,
                std::span<const std::int64_t> firsts);

// Objects of this rank that stay, and other objects, both in the order of their keys, all in memory
// that the space reaches.
struct TwoRuns {
  const CurveKey* keys;         // of the objects that stay
  std::int64_t first, staying;  // those that stay are arrivals from `first` on
  const CurveKey* other_keys;
  const std::int64_t* other_arrivals;
  std::int64_t others;
};
// places[arrival]: the place of each arrival; equal keys in the order of arrival.
void write_places(const Space& space, const TwoRuns& runs, std::int64_t* places);

}  // namespace evenkeel
