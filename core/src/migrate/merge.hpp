#pragma once

// Finds the order of objects that arrive in several runs, each of which is in order.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/field.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Keys that the host reaches. Runs follow one another; the places of this run begin at `first`.
struct Run {
  std::span<const CurveKey> keys;
  std::int64_t first;
};

// The places of objects after all runs are merged; equal keys keep the order of the runs. Returns
// ranges from places in the runs to places in the result, in ascending order of the latter. Returns
// no ranges if there are, or would soon be, more than `most`.
std::vector<ObjectRange> merged_runs(std::span<const Run> runs, std::int64_t most);

// The same for objects that are not in long ranges: sorts `values` by their keys. Run r begins at
// firsts[r]. The keys may or may not be sorted too.
void merge_runs(const Space& space, std::span<CurveKey> keys, std::span<std::int64_t> values,
                std::span<const std::int64_t> firsts);

// Objects of this rank that stay, and other objects, both in the order of their keys, all in memory
// that the space reaches.
struct TwoRuns {
  const CurveKey* keys;         // of the objects that stay
  std::int64_t first, staying;  // objects that stay are the arrivals from `first` on
  const CurveKey* other_keys;
  const std::int64_t* other_arrivals;
  std::int64_t others;
};
// places[arrival] becomes the place of each arrival; equal keys keep the order of arrival.
void write_places(const Space& space, const TwoRuns& runs, std::int64_t* places);

}  // namespace evenkeel
