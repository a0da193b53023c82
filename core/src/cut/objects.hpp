#pragma once

// The objects of this rank for a cut, of all sets together: keys and integer weights, on a host or
// a device. A search reads all objects once. After that it reads only objects near which a splitter
// may still be.

#include "cut/units.hpp"

#include <memory>

namespace evenkeel {

class CutObjects {
 public:
  // The division of an interval of the curve: it has 2^width keys, and 2^split bins.
  struct Division {
    int width, split;
    KOKKOS_FUNCTION int bin_width() const noexcept { return width - split; }
    KOKKOS_FUNCTION std::uint64_t bin_mask() const noexcept {
      return (std::uint64_t{1} << split) - 1;
    }
    // Returns the bin of a key in an interval. Bins are numbered over all intervals, interval by
    // interval.
    KOKKOS_FUNCTION std::size_t bin_of(std::int32_t interval, std::uint64_t key) const noexcept {
      return (static_cast<std::size_t>(interval) << split) | ((key >> bin_width()) & bin_mask());
    }
  };
  struct Item {
    std::uint64_t key;
    std::int64_t weight;
  };
  static constexpr std::int32_t dropped = -1;

  // The constructor allocates all memory, except for functions that return a vector. Only these
  // functions can fail.
  virtual ~CutObjects() = default;

  virtual void weigh(const Units& units) noexcept = 0;

  // Returns the weight in each bin of a single interval, which begins at `base` and must hold all
  // keys.
  virtual std::span<std::int64_t> count_all(std::uint64_t base, Division division) noexcept = 0;
  // One step of a search. Each bin is dropped or becomes a new interval, and the new intervals are
  // divided into new bins.
  struct NarrowingStep {
    Division division;
    std::span<const std::int32_t> interval_of_bin;
    std::int64_t intervals;
    Division next;
  };
  // Drops the objects whose bin is dropped, and keeps the others. Returns the weight in the new
  // bins, interval by interval.
  virtual std::span<std::int64_t> keep_of_all(std::uint64_t base,
                                              const NarrowingStep& step) noexcept = 0;
  // Does the same, but only with the objects that are kept already.
  virtual std::span<std::int64_t> keep_of_kept(const NarrowingStep& step) noexcept = 0;
  virtual std::int64_t kept() const noexcept = 0;
  virtual std::vector<Item> kept_items() const = 0;

  // Returns one key of every `every` keys, spread evenly over all objects.
  virtual std::vector<CurveKey> sample(std::int64_t every) const = 0;
  // `boundaries` are ascending keys, fewer than a histogram may have bins. Returns the weight below
  // the first boundary, from the first to the second, and so on, and from the last on. It costs
  // least if neighbours in memory are between the same boundaries.
  virtual std::span<std::int64_t> count_between(std::span<const CurveKey> boundaries) noexcept = 0;
  // Returns the weight of each part.
  std::span<std::int64_t> count_parts(std::span<const CurveKey> splitters) noexcept {
    return count_between(splitters.subspan(1, splitters.size() - 2));
  }

  // items_in() returns the objects whose keys are in one of the ranges. The ranges must be in
  // ascending order and must not overlap.
  struct KeyRange {
    std::uint64_t first, last;  // both keys are in the range
  };
  virtual std::vector<Item> items_in(std::span<const KeyRange> ranges) const = 0;

 protected:
  // Returns the ends of the ranges as boundaries. Every other interval between them is a range.
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

// Makes the objects of the sets, for a host or a device, by the memory that the sets are in. No
// histogram may have more than `most_bins` bins. The result refers to the sets.
EVENKEEL_API std::unique_ptr<CutObjects> objects_of(std::span<const WeightedKeys> sets,
                                                    std::int64_t most_bins);

void sort_keys(std::vector<CurveKey>& keys);
EVENKEEL_API void sort_items(std::vector<CutObjects::Item>& items);  // by key

}  // namespace evenkeel
