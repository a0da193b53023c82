#pragma once

// A window divides a range of keys into equal intervals, one for each bucket. Bits that are the
// same in all keys of the range cost nothing. If a sample shows that most keys are in a small part
// of the range, the window covers only that part. The window depends only on the keys, not on the
// number of threads.

#include "exec/sort/cached.hpp"

namespace evenkeel::exec::host_sort {

// At most digit_values intervals. Keys below all intervals belong to the first one, keys above all
// to the last one.
template <class Key>
struct Window {
  Key mask, base;  // the bits that are compared; the least key of the first interval
  int shift;
  Key last;  // index of the last interval

  std::size_t of(Key key) const {
    const Key place = key & mask;
    const Key interval = place > base ? static_cast<Key>((place - base) >> shift) : Key{0};
    return static_cast<std::size_t>(std::min(interval, last));
  }
  std::size_t values() const { return static_cast<std::size_t>(last) + 1; }
};

// Sampled keys from all parts of a range, sorted.
template <class Key>
using Sample = std::array<Key, 1024>;

template <class Key>
void take_sample(const Key* keys, std::int64_t count, Key mask, Sample<Key>& sample) {
  const auto size = static_cast<std::int64_t>(sample.size());
  for (std::int64_t i = 0; i < size; ++i)
    sample[static_cast<std::size_t>(i)] = keys[count / size * i] & mask;
  std::sort(sample.begin(), sample.end());
}

// Returns how many sampled keys are in buckets with more than `most` sampled keys; such buckets
// must be split again. If all sampled keys are in one bucket, returns the size of the sample.
template <class Key>
std::size_t crowded(const Sample<Key>& sample, const Window<Key>& window, std::size_t most) {
  std::size_t sum = 0;
  for (std::size_t begin = 0, end; begin < sample.size(); begin = end) {
    const std::size_t bucket = window.of(sample[begin]);
    for (end = begin; end < sample.size() && window.of(sample[end]) == bucket;) ++end;
    if (end - begin > most) sum += end - begin;
  }
  return window.of(sample.front()) == window.of(sample.back()) ? sample.size() : sum;
}

// Returns a window over all keys that the range can contain. If keys are spread evenly, a bucket
// gets some thousand pairs.
template <class Key>
Window<Key> whole_window(Key differing, Key first, std::int64_t count, Key mask) {
  constexpr std::uint64_t pairs_per_bucket = 4096;
  const int wanted = width_of(static_cast<std::uint64_t>(count) / pairs_per_bucket);
  const int high = width_of(differing), low = std::countr_zero(differing);
  const int shift = std::max(low, high - std::clamp(wanted, 4, digit_bits));
  const auto inside = static_cast<Key>((std::uint64_t{2} << (high - 1)) - 1);
  return {mask, static_cast<Key>(first & mask & ~inside), shift,
          static_cast<Key>((std::uint64_t{1} << (high - shift)) - 1)};
}

// In most cases keys are concentrated in a small part of their range. So this tries a few windows
// between quantiles of a sample, and returns the one with the fewest keys in buckets that must be
// split again. `differing` has the bits in which keys differ; there must be at least one.
template <class Key, class Index>
Window<Key> best_window(const Key* keys, std::int64_t count, Key differing, Key mask) {
  Window<Key> best = whole_window(differing, keys[0], count, mask);
  constexpr std::int64_t worth_it = 8 * cached_count<Key, Index>;
  if (count < worth_it) return best;
  Sample<Key> sample;
  take_sample(keys, count, mask, sample);
  const auto size = static_cast<std::int64_t>(sample.size());
  const auto most = static_cast<std::size_t>(size * cached_count<Key, Index> / count);
  std::size_t least = crowded(sample, best, most);
  for (const std::size_t below : {0U, 32U, 256U})
    for (const std::size_t above : {8U, 96U, 256U, 512U}) {
      const Key low = sample[below], high = sample[sample.size() - 1 - above];
      if (low >= high) continue;
      Window<Key> window = best;
      window.base = low;
      window.last = static_cast<Key>(digit_values - 1);
      window.shift = std::max(0, width_of(static_cast<Key>(high - low)) - digit_bits);
      const std::size_t left = crowded(sample, window, most);
      if (left + sample.size() / 16 >= least) continue;
      least = left;
      best = window;
    }
  return best;
}

}  // namespace evenkeel::exec::host_sort
