#pragma once

// Splits a range into the buckets of a window in three steps. Each worker counts the keys of its
// share by bucket. The counts of all workers determine the places at which each worker writes. Then
// each worker moves the pairs of its share to these places. The pairs of a bucket keep their order.
// Whole cache lines are written; only at the ends of a worker's part of a bucket may a line belong
// to two workers.

#include "exec/sort/window.hpp"

#include <cstring>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace evenkeel::exec::host_sort {

// --- Write-combining: values are held back until they fill a cache line --------------------------

constexpr std::size_t line_bytes = 64;

// Pairs that are not written to their bucket yet: at most one cache line of keys and one of
// indices.
template <class Key, class Index>
struct alignas(line_bytes) Lines {
  std::array<Key, line_bytes / sizeof(Key)> keys;
  std::array<Index, line_bytes / sizeof(Index)> indices;
};

// Writes a whole cache line. If `streaming` is set, the write bypasses the caches. This is faster
// if the caches cannot hold all data: the old content of the line is not read, and the new content
// will not be read soon.
template <bool streaming>
void write_line(void* to, const void* from) {
#if defined(__SSE2__)
  if constexpr (streaming) {
    auto* const target = static_cast<__m128i*>(to);
    const auto* const source = static_cast<const __m128i*>(from);
    _mm_stream_si128(target, _mm_load_si128(source));
    _mm_stream_si128(target + 1, _mm_load_si128(source + 1));
    _mm_stream_si128(target + 2, _mm_load_si128(source + 2));
    _mm_stream_si128(target + 3, _mm_load_si128(source + 3));
    return;
  }
#endif
  std::memcpy(to, from, line_bytes);
}

// Makes streamed lines visible in memory before any later store.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// Writes one array of a split, keys or indices, from the held-back lines of its buckets to memory.
template <class T>
class LineWriter {
 public:
  static constexpr std::size_t per_line = line_bytes / sizeof(T);

  explicit LineWriter(T* to)
      : to_(to), phase_(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % per_line) {}

  // The slot, within its line, of the value that goes to index `at` of the array.
  std::size_t slot(std::size_t at) const { return (at + phase_) % per_line; }

  // Writes the line whose last slot is that of index `at`. The bucket begins at `begin`; the
  // previous bucket may have a part of the same line.
  template <bool streaming>
  void write(const T* line, std::size_t at, std::size_t begin) const {
    if (at - begin >= per_line - 1)
      write_line<streaming>(to_ + (at - (per_line - 1)), line);
    else
      write_part(line, at + 1, begin);
  }

  // Writes the values before index `end` that are still held back.
  void write_part(const T* line, std::size_t end, std::size_t begin) const {
    const std::size_t slots = slot(end);
    const std::size_t length = std::min(slots == 0 ? per_line : slots, end - begin);
    const std::size_t first = end - length;
    for (std::size_t at = first; at < end; ++at) to_[at] = line[slot(at)];
  }

  // Writes the last line of a bucket, unless it has just been written.
  void finish(const T* line, std::size_t end, std::size_t begin) const {
    if (end != begin && slot(end) != 0) write_part(line, end, begin);
  }

 private:
  T* to_;
  std::size_t phase_;  // the slot of to_[0] within its cache line
};

// --- Splitting -----------------------------------------------------------------------------------

// The memory of one worker.
template <class Key, class Index>
struct alignas(line_bytes) Workplace {
  std::array<Lines<Key, Index>, digit_values> lines;
  std::array<Index, digit_values> begin;  // by bucket: the begin of this worker's part
  std::array<Index, digit_values> next;   // by bucket: where its next pair goes
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

// The begin of each bucket, then the end of the last one. A bucket ends where the next one begins.
using BucketBounds = std::array<std::int64_t, digit_values + 1>;

// Turns the counts of all workers into the positions at which each worker begins to write. The
// order is bucket by bucket and, within a bucket, worker by worker, so that pairs of a bucket keep
// their order. `first` is the begin of the range.
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

// Moves the pairs [begin, end) of `from` to their buckets in `to`.
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
