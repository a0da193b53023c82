#pragma once

// Write-combining: values bound for many places are held back until they fill a cache line, so that
// only whole lines are written to memory.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace evenkeel::exec::host_sort {

constexpr std::size_t line_bytes = 64;

// Pairs not yet written to their bucket: at most one cache line of keys and one of indices.
template <class Key, class Index>
struct alignas(line_bytes) Lines {
  std::array<Key, line_bytes / sizeof(Key)> keys;
  std::array<Index, line_bytes / sizeof(Index)> indices;
};

// Writes a whole line to the beginning of a line. Streaming bypasses the caches, which is right for
// more data than they hold: the old content is not read, and the new content is not read soon.
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

// Makes streamed lines reach memory before any later store.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// Writes one array of a split, keys or indices, from the lines of its buckets to their places.
template <class T>
class LineWriter {
 public:
  static constexpr std::size_t per_line = line_bytes / sizeof(T);

  explicit LineWriter(T* to)
      : to_(to), phase_(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % per_line) {}

  // The position within its line of the value bound for `at`.
  std::size_t slot(std::size_t at) const { return (at + phase_) % per_line; }

  // Writes the line whose last slot is that of `at`. The previous bucket may share this line.
  template <bool streaming>
  void write(const T* line, std::size_t at, std::size_t begin) const {
    if (at - begin >= per_line - 1)
      write_line<streaming>(to_ + (at - (per_line - 1)), line);
    else
      write_part(line, at + 1, begin);
  }

  // Writes the values before `end` that are still in the line.
  void write_part(const T* line, std::size_t end, std::size_t begin) const {
    const std::size_t slots = slot(end);
    const std::size_t length = std::min(slots == 0 ? per_line : slots, end - begin);
    const std::size_t first = end - length;
    for (std::size_t at = first; at < end; ++at) to_[at] = line[slot(at)];
  }

  // The same for the last line of a bucket, which is empty if it has just been written.
  void finish(const T* line, std::size_t end, std::size_t begin) const {
    if (end != begin && slot(end) != 0) write_part(line, end, begin);
  }

 private:
  T* to_;
  std::size_t phase_;  // of to_ within a line
};

}  // namespace evenkeel::exec::host_sort
