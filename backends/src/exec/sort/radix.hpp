#pragma once

// Radix sort of pairs on host threads. A range of pairs is split into buckets by the most
// significant digit. First all threads together split a range; then each thread splits ranges
// alone. A bucket that fits the cache is sorted in the cache, and a larger bucket is split again.
//
// A stable sort has only one result, so the number of threads affects only the speed.

#include "exec/sort/scatter.hpp"
#include "exec/sort/scratch.hpp"
#include "exec/sort/workers.hpp"

#include <vector>

namespace evenkeel::exec::host_sort {

template <class Key, class Index>
class RadixSort {
 public:
  // Allocates all memory of the sort.
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
    shared_.reserve(static_cast<std::size_t>(most_splits_) * digit_values);
    alone_.reserve(static_cast<std::size_t>(most_splits_) * digit_values);
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
    alone_.insert(alone_.end(), shared_.begin(), shared_.end());
    put_largest_first();
    workers_.share(static_cast<std::int64_t>(alone_.size()), [&](int worker, std::int64_t task) {
      sort_alone(place(worker), alone_[static_cast<std::size_t>(task)]);
    });
  }

 private:
  using Place = Workplace<Key, Index>;

  // The pairs that will be at [begin, end) in the sorted order. They are at these places already,
  // but not yet sorted. They are in the second copy if `in_other` is set, otherwise in the caller's
  // arrays.
  struct Range {
    std::int64_t begin, end;
    bool in_other;
    std::int64_t count() const { return end - begin; }
  };

  Place& place(int worker) { return places_.data()[worker]; }

  Pairs<Key, Index> where(const Range& range, bool in_other) const {
    const Pairs<Key, Index> other{other_keys_.data(), other_indices_.data()};
    return (in_other ? other : pairs_).from(range.begin);
  }

  static bool streams(std::int64_t count) {
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

  // Calls use(part) for each bucket of a range that is not empty. The pairs must be in their
  // buckets.
  template <class Use>
  static void for_each_bucket(const Range& range, const Window<Key>& window,
                              const BucketBounds& bounds, const Use& use) {
    for (std::size_t bucket = 0; bucket < window.values(); ++bucket)
      if (bounds[bucket] != bounds[bucket + 1])
        use(Range{bounds[bucket], bounds[bucket + 1], !range.in_other});
  }

  // --- One thread --------------------------------------------------------------------------------

  void bring_home(const Range& range) const {
    if (range.in_other) copy(where(range, true), where(range, false), range.count());
  }

  // Sorts the range, and leaves it in the caller's arrays.
  void sort_alone(Place& place, const Range& range) const {
    const auto from = where(range, range.in_other);
    if (range.count() <= cached_count<Key, Index>)
      return sort_cached(from, where(range, false), place.between(), range.count(), mask_);
    const Key differing = differing_bits(from.keys, 0, range.count(), from.keys[0], mask_);
    if (differing == 0) return bring_home(range);
    const Window<Key> window = best_window<Key, Index>(from.keys, range.count(), differing, mask_);
    count_buckets(from.keys, 0, range.count(), window, place);
    const BucketBounds bounds = place_buckets(window, std::span<Place>(&place, 1), range.begin);
    scatter_share(range, 0, range.count(), window, place);
    for_each_bucket(range, window, bounds, [&](const Range& part) { sort_alone(place, part); });
  }

  // --- All threads -------------------------------------------------------------------------------

  std::int64_t begin_of_share(const Range& range, int worker) const {
    return workers_.begin_of_share(worker, range.count());
  }

  Key differing_bits_together(const Range& range) {
    const Key* const keys = where(range, range.in_other).keys;
    workers_.run([&](int worker) {
      differing_[static_cast<std::size_t>(worker)] = differing_bits(
          keys, begin_of_share(range, worker), begin_of_share(range, worker + 1), keys[0], mask_);
    });
    Key differing = 0;
    for (const Key found : differing_) differing = static_cast<Key>(differing | found);
    return differing;
  }

  // Moves the pairs of a range to their buckets, by all threads. Returns the bounds of the buckets.
  BucketBounds scatter_together(const Range& range, const Window<Key>& window) {
    const Key* const keys = where(range, range.in_other).keys;
    workers_.run([&](int worker) {
      count_buckets(keys, begin_of_share(range, worker), begin_of_share(range, worker + 1), window,
                    place(worker));
    });
    const std::span<Place> places(places_.data(), static_cast<std::size_t>(workers_.count));
    const BucketBounds bounds = place_buckets(window, places, range.begin);
    workers_.run([&](int worker) {
      scatter_share(range, begin_of_share(range, worker), begin_of_share(range, worker + 1), window,
                    place(worker));
    });
    return bounds;
  }

  // Splits a range by all threads. Large buckets are queued to be split again by all threads, and
  // the others to be sorted by one thread each.
  void split_together(const Range& range) {
    const Key differing = differing_bits_together(range);
    if (differing == 0) return alone_.push_back(range);
    const Key* const keys = where(range, range.in_other).keys;
    const Window<Key> window = best_window<Key, Index>(keys, range.count(), differing, mask_);
    const BucketBounds bounds = scatter_together(range, window);
    // If one thread sorted a bucket larger than an eighth of a thread's share, the other threads
    // would wait for it at the end.
    const std::int64_t most = std::max(8 * cached_count<Key, Index>, count_ / 8 / workers_.count);
    for_each_bucket(range, window, bounds, [&](const Range& part) {
      (part.count() > most ? shared_ : alone_).push_back(part);
    });
  }

  // Large ranges come first; otherwise a thread might start one when the other threads have nearly
  // finished.
  void put_largest_first() {
    const auto large = std::partition(alone_.begin(), alone_.end(), [](const Range& range) {
      return range.count() > cached_count<Key, Index>;
    });
    std::sort(alone_.begin(), large,
              [](const Range& a, const Range& b) { return a.count() > b.count(); });
  }

  Workers workers_;
  Pairs<Key, Index> pairs_;
  std::int64_t count_;
  Key mask_;
  Scratch<Place> places_;
  Scratch<Key> other_keys_;
  Scratch<Index> other_indices_;
  // limits splits by all threads, so that the next two lists stay within their capacity
  int most_splits_ = 0;
  std::vector<Range> shared_;   // ranges that all threads split
  std::vector<Range> alone_;    // ranges that one thread each sorts
  std::vector<Key> differing_;  // by worker
};

}  // namespace evenkeel::exec::host_sort
