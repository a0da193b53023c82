#pragma once

// Merges runs of arriving objects. Each run is sorted by key.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/field.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Sorted keys that the host can access. Runs follow one another; `first` is the index of this run's
// first object, counted over all runs.
struct Run {
  std::span<const CurveKey> keys;
  std::int64_t first;
};

// Returns the places of objects after all runs are merged; objects with equal keys keep the order
// of the runs. Each range maps indices in the runs to places in the result; ranges are sorted by
// place. Returns no ranges if there are more than `most`, or if more are to be expected.
std::vector<ObjectRange> merged_runs(std::span<const Run> runs, std::int64_t most);

// Merges runs whose objects would not form long ranges: sorts `values` by their keys. Run r begins
// at firsts[r]. Do not rely on the order of `keys` afterwards.
void merge_runs(const Space& space, std::span<CurveKey> keys, std::span<std::int64_t> values,
                std::span<const std::int64_t> firsts);

// The objects of this rank that stay, and other objects. Both are sorted by key, and are in memory
// that the space can access.
struct TwoRuns {
  const CurveKey* keys;         // keys of the objects that stay
  std::int64_t first, staying;  // these objects are arrivals [first, first + staying)
  const CurveKey* other_keys;
  const std::int64_t* other_arrivals;
  std::int64_t others;
};
// Writes the place of each arrival to places[arrival]. Objects with equal keys keep the order of
// arrival.
void write_places(const Space& space, const TwoRuns& runs, std::int64_t* places);

}  // namespace evenkeel
