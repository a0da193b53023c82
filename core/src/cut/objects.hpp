#pragma once

// The objects of this rank for a cut: keys and integer weights, of all sets together, on hosts or
// on devices. A search reads all objects once, and after that only those near which a splitter may
// still be.

#include "cut/units.hpp"

#include <memory>

namespace evenkeel {

class CutObjects {
 public:
  // An interval of the curve has 2^width keys and is divided into 2^split bins.
  struct Division {
    int width, split;
    KOKKOS_FUNCTION int bin_width() const noexcept { return width - split; }
    KOKKOS_FUNCTION std::uint64_t bin_mask() const noexcept {
      return (std::uint64_t{1} << split) - 1;
    }
    // The bin of a key in one of several intervals; the bins of the first interval come first.
    KOKKOS_FUNCTION std::size_t bin_of(std::int32_t interval, std::uint64_t key) const noexcept {
      return (static_cast<std::size_t>(interval) << split) | ((key >> bin_width()) & bin_mask());
    }
  };
  struct Item {
    std::uint64_t key;
    std::int64_t weight;
  };
  static constexpr std::int32_t dropped = -1;

  // All memory is allocated by the constructor, except for functions that return a vector; the
  // others cannot fail.
  virtual ~CutObjects() = default;

  virtual void weigh(const Units& units) noexcept = 0;

  // The weight in each bin of a single interval, which begins at `base` and holds all keys.
  virtual std::span<std::int64_t> count_all(std::uint64_t base, Division division) noexcept = 0;
  // One step of a search. Each bin is dropped, or becomes one of the new intervals, which are then
  // divided again.
  struct NarrowingStep {
    Division division;
    std::span<const std::int32_t> interval_of_bin;
    std::int64_t intervals;
    Division next;
  };
  // Keeps the objects whose bin is not dropped. Returns the weight in the new bins: first those of
  // interval 0, then those of interval 1, ...
  virtual std::span<std::int64_t> keep_of_all(std::uint64_t base,
                                              const NarrowingStep& step) noexcept = 0;
  // The same with the objects kept so far.
  virtual std::span<std::int64_t> keep_of_kept(const NarrowingStep& step) noexcept = 0;
  virtual std::int64_t kept() const noexcept = 0;
  virtual std::vector<Item> kept_items() const = 0;

  // One key out of every `every`, spread over all objects.
  virtual std::vector<CurveKey> sample(std::int64_t every) const = 0;
  // `boundaries` are keys that never fall. Returns the weight below the first, from it to the
  // second, ..., and from the last on; at most as many numbers as there are bins. It costs least
  // if neighbours in memory are between the same two boundaries.
  virtual std::span<std::int64_t> count_between(std::span<const CurveKey> boundaries) noexcept = 0;
  // The weight of each part.
  std::span<std::int64_t> count_parts(std::span<const CurveKey> splitters) noexcept {
    return count_between(splitters.subspan(1, splitters.size() - 2));
  }

  // The objects whose keys are in one of the ranges, which are in order and do not overlap.
  struct KeyRange {
    std::uint64_t first, last;  // keys, both inside
  };
  virtual std::vector<Item> items_in(std::span<const KeyRange> ranges) const = 0;

 protected:
  // The ends of the ranges as boundaries: every other interval between them is inside a range.
  static std::vector<CurveKey> boundaries_of(std::span<const KeyRange> ranges) {
    std::vector<CurveKey> boundaries;
    boundaries.reserve(2 * ranges.size());
    for (const KeyRange& range : ranges) {
      boundaries.push_back({range.first});
      boundaries.push_back({range.last + 1});
    }
    return boundaries;
  }
};

// The objects are in the memory of the sets. No histogram has more than `most_bins` bins. The
// result refers to the sets.
EVENKEEL_API std::unique_ptr<CutObjects> objects_of(std::span<const WeightedKeys> sets,
                                                    std::int64_t most_bins);

void sort_keys(std::vector<CurveKey>& keys);
EVENKEEL_API void sort_items(std::vector<CutObjects::Item>& items);  // by key

}  // namespace evenkeel
