#pragma once

// A shortcut for nearly sorted pairs, on host threads. It finds the pairs that are out of order,
// sorts them separately, and merges them with the other pairs, in place. It moves nothing before it
// is certain that few pairs are out of order and that all memory is allocated.
//
// The `strays` are the pairs that are out of order. All other pairs are `kept`: they form sorted
// runs, and are in order over all runs.

#include "exec/sort/merge.hpp"
#include "exec/sort/radix.hpp"

namespace evenkeel::exec::host_sort {

// If few pairs are out of order, sorts the pairs and returns true. Otherwise changes nothing and
// returns false.
template <class Key, class Index>
bool sort_nearly_sorted(const Workers& all_workers, const Pairs<Key, Index>& pairs,
                        std::int64_t count, Key mask) {
  constexpr std::int64_t least_share = std::int64_t{1} << 14;
  const Workers workers = all_workers.for_objects(count, least_share);
  RunSearch<Key> search(workers, pairs.keys, count, mask);
  if (!search.find()) return false;
  const Runs runs = search.found();
  const std::int64_t stray_count = count - runs.kept;
  if (stray_count == 0) return true;
  const Scratch<Key> keys("evenkeel::exec::stray_keys", stray_count);
  const Scratch<Index> positions("evenkeel::exec::stray_positions", stray_count);
  const Scratch<Index> indices("evenkeel::exec::stray_indices", stray_count);
  const StrayPairs<Key, Index> strays{keys.data(), positions.data(), indices.data(), stray_count};
  pull_out_strays(workers, pairs.keys, runs, strays);
  RadixSort<Key, Index>(workers, {strays.keys, strays.positions}, stray_count, mask).sort();
  Merge<Key, Index>(workers, pairs, mask, runs, strays).merge();
  return true;
}

}  // namespace evenkeel::exec::host_sort
