#pragma once

// Sorts pairs that fit the cache, by one thread. Two passes sort by the two digits at and below the
// highest bit in which keys differ. This separates nearly all keys. Groups of pairs whose digits
// are equal are then sorted in the same way, small groups by insertion. The sort is stable, and
// allocates nothing.

#include "exec/sort/bits.hpp"
#include "exec/sort/pairs.hpp"

#include <array>
#include <utility>

namespace evenkeel::exec::host_sort {

// The number of pairs of which three copies (source, intermediate, target) fit into 1 MiB.
template <class Key, class Index>
constexpr std::int64_t cached_count = (std::int64_t{3} << 16) /
                                      static_cast<std::int64_t>(sizeof(Key) + sizeof(Index));

// The time is quadratic in `count`.
template <class Key, class Index>
void sort_by_insertion(const Pairs<Key, Index>& pairs, std::int64_t count, Key mask) {
  for (std::int64_t i = 1; i < count; ++i) {
    const Key key = pairs.keys[i];
    const Index index = pairs.indices[i];
    std::int64_t at = i;
    for (; at > 0 && (pairs.keys[at - 1] & mask) > (key & mask); --at) {
      pairs.keys[at] = pairs.keys[at - 1];
      pairs.indices[at] = pairs.indices[at - 1];
    }
    pairs.keys[at] = key;
    pairs.indices[at] = index;
  }
}

// Turns the count of each digit value into the index of its first pair.
inline void place_values(std::uint32_t* counts, std::size_t values) {
  std::uint32_t before = 0;
  for (std::size_t value = 0; value < values; ++value)
    before += std::exchange(counts[value], before);
}

// Computes the index of the first pair of each value, for both digits.
template <class Key>
void place_two_digits(const Key* keys, std::int64_t count, const Digit<Key>& low,
                      const Digit<Key>& high, std::uint32_t* in_low, std::uint32_t* in_high) {
  std::fill_n(in_low, low.values(), 0);
  std::fill_n(in_high, high.values(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    ++in_low[low.of(keys[i])];
    ++in_high[high.of(keys[i])];
  }
  place_values(in_low, low.values());
  place_values(in_high, high.values());
}

template <class Key, class Index>
void scatter_cached(const Pairs<Key, Index>& from, const Pairs<Key, Index>& to, std::int64_t count,
                    const Digit<Key>& digit, std::uint32_t* next) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Key key = from.keys[i];
    const std::uint32_t at = next[digit.of(key)]++;
    to.keys[at] = key;
    to.indices[at] = from.indices[i];
  }
}

template <class Key, class Index>
void sort_cached(const Pairs<Key, Index>& from, const Pairs<Key, Index>& to,
                 const Pairs<Key, Index>& between, std::int64_t count, Key mask);

// The pairs are sorted by the bits from `decided` on; this sorts them by all bits. Wherever a key
// is greater than the next key, sorts the group of pairs that have the same decided bits.
template <class Key, class Index>
void sort_undecided(const Pairs<Key, Index>& pairs, const Pairs<Key, Index>& between,
                    std::int64_t count, Key mask, int decided) {
  const Key above = static_cast<Key>(mask >> decided);
  const auto prefix = [&](std::int64_t i) {
    return static_cast<Key>((pairs.keys[i] >> decided) & above);
  };
  for (std::int64_t i = 1; i < count; ++i) {
    if ((pairs.keys[i - 1] & mask) <= (pairs.keys[i] & mask)) continue;
    std::int64_t begin = i - 1, end = i + 1;
    while (begin > 0 && prefix(begin - 1) == prefix(i)) --begin;
    while (end < count && prefix(end) == prefix(i)) ++end;
    sort_cached(pairs.from(begin), pairs.from(begin), between, end - begin, mask);
    i = end - 1;
  }
}

// Sorts at most cached_count pairs of `from` into `to`, which may be the same memory. `between`
// must be other memory.
template <class Key, class Index>
void sort_cached(const Pairs<Key, Index>& from, const Pairs<Key, Index>& to,
                 const Pairs<Key, Index>& between, std::int64_t count, Key mask) {
  constexpr std::int64_t insertion_count = 24;
  const bool in_place = from.keys == to.keys;
  if (count <= insertion_count) {
    if (!in_place) copy(from, to, count);
    return sort_by_insertion(to, count, mask);
  }
  const Key differing = differing_bits(from.keys, 0, count, from.keys[0], mask);
  if (differing == 0) {
    if (!in_place) copy(from, to, count);
    return;
  }
  // If keys are spread evenly, log2(count) bits and this many more separate nearly all of them.
  constexpr int spare_bits = 4;
  const int high = width_of(differing), low = std::countr_zero(differing);
  const int enough = width_of(static_cast<std::uint64_t>(count)) + spare_bits;
  const int decided = std::max(low, high - std::min(enough, 2 * digit_bits));
  const int middle = decided + (high - decided) / 2;
  std::array<std::uint32_t, digit_values> in_lower, in_upper;
  const Digit<Key> lower(decided, middle), upper(middle, high);
  place_two_digits(from.keys, count, lower, upper, in_lower.data(), in_upper.data());
  scatter_cached(from, between, count, lower, in_lower.data());
  scatter_cached(between, to, count, upper, in_upper.data());
  if (decided > low) sort_undecided(to, between, count, mask, decided);
}

}  // namespace evenkeel::exec::host_sort
