#pragma once

// The three steps that split a range into the buckets of a window: each worker counts its share,
// the counts of all determine where each worker writes, and each worker moves its share there.
// Pairs of a bucket keep their order. Only whole cache lines are written, and workers share lines
// only at the ends of their parts of a bucket.

#include "exec/sort/bits.hpp"
#include "exec/sort/cached.hpp"
#include "exec/sort/lines.hpp"
#include "exec/sort/pairs.hpp"
#include "exec/sort/window.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace evenkeel::exec::host_sort {

// The memory of one worker.
template <class Key, class Index>
struct alignas(line_bytes) Workplace {
  std::array<Lines<Key, Index>, digit_values> lines;
  std::array<Index, digit_values> begin;  // where a bucket begins, within the range that is split
  std::array<Index, digit_values> next;   // where its next pair goes
  alignas(line_bytes) std::array<Key, cached_count<Key, Index>> keys;
  alignas(line_bytes) std::array<Index, cached_count<Key, Index>> indices;

  Pairs<Key, Index> between() { return {keys.data(), indices.data()}; }
};

template <class Key, class Index>
void count_buckets(const Key* keys, std::int64_t begin, std::int64_t end, const Window<Key>& window,
                   Workplace<Key, Index>& place) {
  Index* const counts = place.next.data();
  std::fill_n(counts, window.values(), Index{0});
  for (std::int64_t i = begin; i < end; ++i) ++counts[window.of(keys[i])];
}

// Where the buckets begin; each ends where the next begins.
using BucketBounds = std::array<std::int64_t, digit_values + 1>;

// Turns the counts of all workers into the positions where each begins to write, bucket by bucket
// and worker by worker, which keeps the order of equal digits. `first` is where the range begins.
template <class Key, class Index>
BucketBounds place_buckets(const Window<Key>& window, std::span<Workplace<Key, Index>> places,
                           std::int64_t first) {
  BucketBounds bounds;
  Index before = 0;
  for (std::size_t bucket = 0; bucket < window.values(); ++bucket) {
    bounds[bucket] = first + static_cast<std::int64_t>(before);
    for (Workplace<Key, Index>& place : places) {
      const Index count = place.next[bucket];
      place.begin[bucket] = place.next[bucket] = before;
      before = static_cast<Index>(before + count);
    }
  }
  bounds[window.values()] = first + static_cast<std::int64_t>(before);
  return bounds;
}

// Moves [begin, end) of `from` to their buckets in `to`.
template <bool streaming, class Key, class Index>
void scatter(const Pairs<Key, Index>& from, std::int64_t begin, std::int64_t end,
             const Pairs<Key, Index>& to, const Window<Key>& window, Workplace<Key, Index>& place) {
  const LineWriter<Key> keys(to.keys);
  const LineWriter<Index> indices(to.indices);
  for (std::int64_t i = begin; i < end; ++i) {
    const Key key = from.keys[i];
    const std::size_t bucket = window.of(key);
    const std::size_t at = place.next[bucket]++;
    auto& lines = place.lines[bucket];
    const std::size_t key_slot = keys.slot(at), index_slot = indices.slot(at);
    lines.keys[key_slot] = key;
    lines.indices[index_slot] = from.indices[i];
    if (key_slot == keys.per_line - 1)
      keys.template write<streaming>(lines.keys.data(), at, place.begin[bucket]);
    if (index_slot == indices.per_line - 1)
      indices.template write<streaming>(lines.indices.data(), at, place.begin[bucket]);
  }
  for (std::size_t bucket = 0; bucket < window.values(); ++bucket) {
    const auto& lines = place.lines[bucket];
    keys.finish(lines.keys.data(), place.next[bucket], place.begin[bucket]);
    indices.finish(lines.indices.data(), place.next[bucket], place.begin[bucket]);
  }
  if constexpr (streaming) end_streaming();
}

}  // namespace evenkeel::exec::host_sort
