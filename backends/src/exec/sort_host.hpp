#pragma once

// Radix sort of pairs on host threads. The most significant digit splits a range over the whole
// array: pairs go through write-combining buffers, one pair of cache lines per bucket, so that
// memory sees whole lines alone. A bucket that fits the cache is sorted there by two passes over
// the digits below, and what these leave undecided is inserted. All that looks at the bits in which
// the keys of a range differ, so that common bits cost nothing; where keys crowd, the digit spans
// the crowd alone, and what is left is split again.
//
// A stable sort has one result. Therefore nothing here depends on the number of threads but speed.

#include <evenkeel/backends/exec/memory.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace evenkeel::exec::host_sort {

// The threads of a space. Bodies must not throw, nor wait for each other: a space may run them one
// after the other.
struct Workers {
  int count = 1;
  const void* instance = nullptr;
  void (*launch)(const void* instance, int count, void (*body)(void*, int),
                 void* context) = nullptr;

  // Calls body(worker) once for each worker, and returns when all are done.
  template <class Body>
  void run(Body&& body) const {
    using Plain = std::remove_reference_t<Body>;
    launch(
        instance, count, [](void* context, int worker) { (*static_cast<Plain*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

  // Calls body(worker, task) once for each task below `tasks`, in this order as threads get free.
  template <class Body>
  void share(std::int64_t tasks, const Body& body) const {
    std::atomic<std::int64_t> next{0};
    run([&](int worker) {
      for (std::int64_t task = next++; task < tasks; task = next++) body(worker, task);
    });
  }

  // At most as many as have `least` objects each.
  Workers for_objects(std::int64_t objects, std::int64_t least) const {
    Workers fewer = *this;
    fewer.count = static_cast<int>(
        std::clamp<std::int64_t>(objects / least, 1, static_cast<std::int64_t>(count)));
    return fewer;
  }

  // Where the share of `worker` of the objects [begin, end) begins; that of `count` is `end`.
  std::int64_t begin_of_share(int worker, std::int64_t begin, std::int64_t end) const {
    const std::int64_t objects = end - begin, rest = objects % count;
    return begin + objects / count * worker + std::min<std::int64_t>(worker, rest);
  }
};

// Scratch for `count` values of T. First use of a page costs as much as sorting it, hence the huge
// ones where the system has them.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const char* label, std::int64_t count)
      : buffer_(label, MemoryKind::host,
                count > most ? std::numeric_limits<std::int64_t>::max() : count * size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = 4096;
    constexpr std::int64_t worth_it = std::int64_t{4} << 20;
    if (buffer_.bytes() < worth_it) return;
    const auto address = reinterpret_cast<std::uintptr_t>(buffer_.data());
    const std::uintptr_t skipped = (page - address % page) % page;
    madvise(buffer_.data() + skipped, static_cast<std::size_t>(buffer_.bytes()) - skipped,
            MADV_HUGEPAGE);  // advice: a refusal changes nothing
#endif
  }
  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }

 private:
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / size;
  Buffer buffer_;
};

template <class Key, class Index>
struct Pairs {
  Key* keys;
  Index* indices;

  Pairs from(std::int64_t first) const { return {keys + first, indices + first}; }
};

template <class Key, class Index>
void copy(const Pairs<Key, Index>& from, const Pairs<Key, Index>& to, std::int64_t count) {
  std::copy_n(from.keys, count, to.keys);
  std::copy_n(from.indices, count, to.indices);
}

constexpr int digit_bits = 11;
constexpr std::int64_t digit_values = std::int64_t{1} << digit_bits;

// A few adjacent bits of a key.
template <class Key>
struct Digit {
  int shift;
  Key mask;

  Digit(int low, int high)
      : shift(low), mask(static_cast<Key>((std::uint64_t{1} << (high - low)) - 1)) {}
  std::size_t of(Key key) const { return static_cast<std::size_t>((key >> shift) & mask); }
  std::int64_t values() const { return static_cast<std::int64_t>(mask) + 1; }
};

// std::bit_width, which returns an int in some libraries and T in others.
template <class T>
int width_of(T bits) {
  return static_cast<int>(std::bit_width(bits));
}

// The bits of `mask` in which any of the keys differs from the first.
template <class Key>
Key differing_bits(const Key* keys, std::int64_t begin, std::int64_t end, Key first, Key mask) {
  Key differing = 0;
  for (std::int64_t i = begin; i < end; ++i)
    differing = static_cast<Key>(differing | (keys[i] ^ first));
  return static_cast<Key>(differing & mask);
}

// For a short range: quadratic in its length.
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

// --- Ranges that fit the cache -------------------------------------------------------------------

// Three copies of such a range (where it comes from, in between, where it goes) fit 1 MiB.
template <class Key, class Index>
constexpr std::int64_t cached_count = (std::int64_t{3} << 16) /
                                      static_cast<std::int64_t>(sizeof(Key) + sizeof(Index));
constexpr std::int64_t insertion_count = 24;

template <class Key>
void count_two_digits(const Key* keys, std::int64_t count, const Digit<Key>& low,
                      const Digit<Key>& high, std::uint32_t* in_low, std::uint32_t* in_high) {
  std::fill_n(in_low, low.values(), 0);
  std::fill_n(in_high, high.values(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    ++in_low[low.of(keys[i])];
    ++in_high[high.of(keys[i])];
  }
  std::uint32_t before_low = 0, before_high = 0;
  for (std::int64_t value = 0; value < low.values(); ++value)
    before_low += std::exchange(in_low[value], before_low);
  for (std::int64_t value = 0; value < high.values(); ++value)
    before_high += std::exchange(in_high[value], before_high);
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

// Pairs that are sorted by the bits from `decided` on become sorted by all. Only where a key
// exceeds its follower is there anything to do: among those that share the decided bits.
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

// `from` and `to` may be the same; `between` is another place.
template <class Key, class Index>
void sort_cached(const Pairs<Key, Index>& from, const Pairs<Key, Index>& to,
                 const Pairs<Key, Index>& between, std::int64_t count, Key mask) {
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
  // So many bits tell nearly all keys apart that are spread evenly.
  constexpr int spare_bits = 4;
  const int high = width_of(differing), low = std::countr_zero(differing);
  const int enough = width_of(static_cast<std::uint64_t>(count)) + spare_bits;
  const int decided = std::max(low, high - std::min(enough, 2 * digit_bits));
  const int middle = decided + (high - decided) / 2;
  std::array<std::uint32_t, digit_values> in_lower, in_upper;
  const Digit<Key> lower(decided, middle), upper(middle, high);
  count_two_digits(from.keys, count, lower, upper, in_lower.data(), in_upper.data());
  scatter_cached(from, between, count, lower, in_lower.data());
  scatter_cached(between, to, count, upper, in_upper.data());
  if (decided > low) sort_undecided(to, between, count, mask, decided);
}

// --- Splitting larger ranges ---------------------------------------------------------------------

// Equal intervals of keys, as many as a digit has values; what lies below or above them belongs to
// the first or the last.
template <class Key>
struct Window {
  Key mask, base;  // of the bits that count; the least key of the first interval
  int shift;
  Key last;  // interval

  std::size_t of(Key key) const {
    const Key place = key & mask;
    const Key interval = place > base ? static_cast<Key>((place - base) >> shift) : Key{0};
    return static_cast<std::size_t>(std::min(interval, last));
  }
  std::int64_t values() const { return static_cast<std::int64_t>(last) + 1; }
};

constexpr std::size_t line_bytes = 64;

// What is on its way to one bucket: at most one cache line of keys and one of indices.
template <class Key, class Index>
struct alignas(line_bytes) Lines {
  static constexpr Index keys_per_line = line_bytes / sizeof(Key);
  static constexpr Index indices_per_line = line_bytes / sizeof(Index);
  std::array<Key, keys_per_line> keys;
  std::array<Index, indices_per_line> indices;
};

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

// Writes a whole line to where a line begins. Streaming passes by the caches: right for more data
// than they hold, since nobody reads the old content and nobody soon reads the new.
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

// Streamed lines reach memory before anything that follows.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// One array of a split, keys or indices: from the lines of its buckets to its place.
template <class T>
class LineWriter {
 public:
  static constexpr std::size_t per_line = line_bytes / sizeof(T);

  explicit LineWriter(T* to)
      : to_(to), phase_(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % per_line) {}

  // The place in its line of the value that goes to `at`.
  std::size_t slot(std::size_t at) const { return (at + phase_) % per_line; }

  // Writes a line of which the slot of `at` is the last, and which may be shared with the bucket
  // before.
  template <bool streaming>
  void write(const T* line, std::size_t at, std::size_t begin) const {
    if (at - begin >= per_line - 1)
      write_line<streaming>(to_ + (at - (per_line - 1)), line);
    else
      write_part(line, at + 1, begin);
  }

  // Writes the values before `end` that still are in the line.
  void write_part(const T* line, std::size_t end, std::size_t begin) const {
    const std::size_t slots = slot(end);
    const std::size_t length = std::min(slots == 0 ? per_line : slots, end - begin);
    const std::size_t first = end - length;
    for (std::size_t at = first; at < end; ++at) to_[at] = line[slot(at)];
  }

  // The same for the last line of a bucket, which is empty when it was just written.
  void finish(const T* line, std::size_t end, std::size_t begin) const {
    if (end != begin && slot(end) != 0) write_part(line, end, begin);
  }

 private:
  T* to_;
  std::size_t phase_;  // of to_ within a line
};

template <class Key, class Index>
void count_buckets(const Key* keys, std::int64_t begin, std::int64_t end, const Window<Key>& window,
                   Index* counts) {
  std::fill_n(counts, window.values(), Index{0});
  for (std::int64_t i = begin; i < end; ++i) ++counts[window.of(keys[i])];
}

// --- Where to split ------------------------------------------------------------------------------

// Keys from all over a range, in order.
template <class Key>
using Sample = std::array<Key, 1024>;

template <class Key>
void take_sample(const Key* keys, std::int64_t count, Key mask, Sample<Key>& sample) {
  const auto size = static_cast<std::int64_t>(sample.size());
  for (std::int64_t i = 0; i < size; ++i)
    sample[static_cast<std::size_t>(i)] = keys[count / size * i] & mask;
  std::sort(sample.begin(), sample.end());
}

// How many of the sample fall into buckets with more than `most` of it, so that they must be split
// again; all of them when the window does not split the sample at all.
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

// All keys that the range can hold, in buckets of some thousand pairs when they are spread evenly.
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

// Keys crowd in a small part of their range as a rule. Of a few windows, between the quantiles of a
// sample, the one that leaves the fewest keys to be split again.
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
  for (std::size_t bucket = 0; bucket < static_cast<std::size_t>(window.values()); ++bucket) {
    const auto& lines = place.lines[bucket];
    keys.finish(lines.keys.data(), place.next[bucket], place.begin[bucket]);
    indices.finish(lines.indices.data(), place.next[bucket], place.begin[bucket]);
  }
  if constexpr (streaming) end_streaming();
}

template <class Key, class Index>
class RadixSort {
 public:
  // Allocates all that the sort needs.
  RadixSort(const Workers& workers, const Pairs<Key, Index>& pairs, std::int64_t count, Key mask)
      : workers_(workers.for_objects(count, cached_count<Key, Index>)),
        pairs_(pairs),
        count_(count),
        mask_(mask),
        places_("evenkeel::exec::sort_workplaces", workers_.count) {
    if (count <= cached_count<Key, Index>) return;
    other_keys_ = Scratch<Key>("evenkeel::exec::sort_keys", count);
    other_indices_ = Scratch<Index>("evenkeel::exec::sort_indices", count);
    if (workers_.count == 1) return;
    most_splits_ = std::min(4 * workers_.count, 64);
    differing_.resize(static_cast<std::size_t>(workers_.count));
    shared_.reserve(static_cast<std::size_t>(most_splits_ * digit_values));
    alone_.reserve(static_cast<std::size_t>(most_splits_ * digit_values));
  }

  void sort() {
    const Range all{0, count_, false};
    if (workers_.count == 1) return sort_alone(place(0), all);
    shared_.push_back(all);
    for (int splits = 0; !shared_.empty() && splits < most_splits_; ++splits) {
      const Range range = shared_.back();
      shared_.pop_back();
      split_together(range);
    }
    // The largest first, so that no thread starts one when the others are about to end.
    alone_.insert(alone_.end(), shared_.begin(), shared_.end());
    const auto large = std::partition(alone_.begin(), alone_.end(), [](const Range& range) {
      return range.count() > cached_count<Key, Index>;
    });
    std::sort(alone_.begin(), large,
              [](const Range& a, const Range& b) { return a.count() > b.count(); });
    workers_.share(static_cast<std::int64_t>(alone_.size()), [&](int worker, std::int64_t task) {
      sort_alone(place(worker), alone_[static_cast<std::size_t>(task)]);
    });
  }

 private:
  using Place = Workplace<Key, Index>;

  // Pairs that belong in [begin, end) and lie there, in the caller's arrays or in the others.
  struct Range {
    std::int64_t begin, end;
    bool in_other;
    std::int64_t count() const { return end - begin; }
  };
  using Bounds = std::array<std::int64_t, digit_values + 1>;

  Place& place(int worker) { return places_.data()[worker]; }

  Pairs<Key, Index> where(const Range& range, bool in_other) const {
    const Pairs<Key, Index> other{other_keys_.data(), other_indices_.data()};
    return (in_other ? other : pairs_).from(range.begin);
  }

  bool streams(std::int64_t count) const {
    constexpr std::int64_t bytes_of_caches = std::int64_t{16} << 20;
    return count * static_cast<std::int64_t>(sizeof(Key) + sizeof(Index)) > bytes_of_caches;
  }

  void scatter_share(const Range& range, std::int64_t begin, std::int64_t end,
                     const Window<Key>& window, Place& place) const {
    const auto from = where(range, range.in_other), to = where(range, !range.in_other);
    if (streams(range.count()))
      scatter<true>(from, begin, end, to, window, place);
    else
      scatter<false>(from, begin, end, to, window, place);
  }

  // Turns the counts in the places of `workers` into where each begins to write, bucket by bucket
  // and worker by worker, which keeps the order of equal digits.
  template <class PlaceOf>
  static void place_buckets(const Window<Key>& window, int workers, const PlaceOf& place_of,
                            std::int64_t first, Bounds& bounds) {
    Index before = 0;
    for (std::size_t bucket = 0; bucket < static_cast<std::size_t>(window.values()); ++bucket) {
      bounds[bucket] = first + static_cast<std::int64_t>(before);
      for (int worker = 0; worker < workers; ++worker) {
        Place& place = place_of(worker);
        const Index count = place.next[bucket];
        place.begin[bucket] = place.next[bucket] = before;
        before = static_cast<Index>(before + count);
      }
    }
    bounds[static_cast<std::size_t>(window.values())] = first + static_cast<std::int64_t>(before);
  }

  void bring_home(const Range& range) const {
    if (range.in_other) copy(where(range, true), where(range, false), range.count());
  }

  // One thread sorts the range, and leaves it in the caller's arrays.
  void sort_alone(Place& place, const Range& range) const {
    const auto from = where(range, range.in_other);
    if (range.count() <= cached_count<Key, Index>)
      return sort_cached(from, where(range, false), place.between(), range.count(), mask_);
    const Key differing = differing_bits(from.keys, 0, range.count(), from.keys[0], mask_);
    if (differing == 0) return bring_home(range);
    const Window<Key> window = best_window<Key, Index>(from.keys, range.count(), differing, mask_);
    count_buckets(from.keys, 0, range.count(), window, place.next.data());
    Bounds bounds;
    place_buckets(
        window, 1, [&](int) -> Place& { return place; }, range.begin, bounds);
    scatter_share(range, 0, range.count(), window, place);
    for (std::size_t bucket = 0; bucket < static_cast<std::size_t>(window.values()); ++bucket)
      if (bounds[bucket] != bounds[bucket + 1])
        sort_alone(place, {bounds[bucket], bounds[bucket + 1], !range.in_other});
  }

  // All threads split the range. Its buckets await their turn, the large ones to be split again.
  void split_together(const Range& range) {
    const auto from = where(range, range.in_other);
    const auto share = [&](int worker) {
      return workers_.begin_of_share(worker, 0, range.count());
    };
    workers_.run([&](int worker) {
      differing_[static_cast<std::size_t>(worker)] =
          differing_bits(from.keys, share(worker), share(worker + 1), from.keys[0], mask_);
    });
    Key differing = 0;
    for (const Key found : differing_) differing = static_cast<Key>(differing | found);
    if (differing == 0) return alone_.push_back(range);

    const Window<Key> window = best_window<Key, Index>(from.keys, range.count(), differing, mask_);
    workers_.run([&](int worker) {
      count_buckets(from.keys, share(worker), share(worker + 1), window, place(worker).next.data());
    });
    Bounds bounds;
    place_buckets(
        window, workers_.count, [&](int worker) -> Place& { return place(worker); }, range.begin,
        bounds);
    workers_.run([&](int worker) {
      scatter_share(range, share(worker), share(worker + 1), window, place(worker));
    });
    // What is more than an eighth of a thread's part would keep the others waiting.
    const std::int64_t most = std::max(8 * cached_count<Key, Index>, count_ / 8 / workers_.count);
    for (std::size_t bucket = 0; bucket < static_cast<std::size_t>(window.values()); ++bucket) {
      const Range part{bounds[bucket], bounds[bucket + 1], !range.in_other};
      if (part.count() > 0) (part.count() > most ? shared_ : alone_).push_back(part);
    }
  }

  Workers workers_;
  Pairs<Key, Index> pairs_;
  std::int64_t count_;
  Key mask_;
  Scratch<Place> places_;
  Scratch<Key> other_keys_;
  Scratch<Index> other_indices_;
  int most_splits_ = 0;         // by all threads; keeps the two lists below within their capacity
  std::vector<Range> shared_;   // to be split by all threads
  std::vector<Range> alone_;    // to be sorted by one thread each
  std::vector<Key> differing_;  // per worker
};

}  // namespace evenkeel::exec::host_sort
