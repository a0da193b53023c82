#pragma once

// The objects of this rank as a cut sees them: keys and integer weights, of all sets together. A
// search goes over all of them once, and from then on over those alone that lie where a splitter
// may still come to stand.

#include "units.hpp"

#include <evenkeel/core/cut.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace evenkeel {

class CutObjects {
 public:
  // An interval of the curve has 2^width keys and is divided into 2^split bins.
  struct Division {
    int width, split;
    int bin_width() const noexcept { return width - split; }
    std::uint64_t bin_mask() const noexcept { return (std::uint64_t{1} << split) - 1; }
    // Of a key in one of several intervals; the bins of the first come first.
    std::size_t bin_of(std::int32_t interval, std::uint64_t key) const noexcept {
      return (static_cast<std::size_t>(interval) << split) | ((key >> bin_width()) & bin_mask());
    }
  };
  struct Item {
    std::uint64_t key;
    std::int64_t weight;
  };
  static constexpr std::int32_t dropped = -1;

  // Reserves all memory that will be needed: `most_bins` per histogram. Nothing below fails. Refers
  // to the sets.
  CutObjects(std::span<const WeightedKeys> sets, std::int64_t most_bins);

  void weigh(const Units& units) noexcept { units_ = units; }

  // The weight in each bin of the one interval that begins at `base` and holds all keys.
  std::span<std::int64_t> count_all(std::uint64_t base, Division division) noexcept;
  // What becomes of bins: an interval each, of so many, which are then divided in their turn, or
  // they are dropped.
  struct Step {
    Division division;
    std::span<const std::int32_t> interval_of_bin;
    std::int64_t intervals;
    Division next;
  };
  // Keeps the objects whose bin is not dropped. The weight in the new bins: those of interval 0, of
  // interval 1, ...
  std::span<std::int64_t> keep_of_all(std::uint64_t base, const Step& step) noexcept;
  // The same with the objects kept so far.
  std::span<std::int64_t> keep_of_kept(const Step& step) noexcept;
  std::int64_t kept() const noexcept;
  std::vector<Item> kept_items() const;

  // One key in `every`, from all over the objects.
  std::vector<CurveKey> sample(std::int64_t every) const;
  // The weight below the first of keys that never fall, from it to the second, ..., from the last
  // on. As many as bins at most. Costs least where neighbours in memory lie between the same two.
  std::span<std::int64_t> count_between(std::span<const CurveKey> boundaries) noexcept;
  // The weight of each part.
  std::span<std::int64_t> count_parts(std::span<const CurveKey> splitters) noexcept {
    return count_between(splitters.subspan(1, splitters.size() - 2));
  }

  // The objects whose keys lie in one of the ranges, which are in order and do not overlap.
  struct Range {
    std::uint64_t first, last;  // keys, both inside
  };
  std::vector<Item> items_in(std::span<const Range> ranges) const;

 private:
  // Objects that one thread looks after, of one set; what is kept of them lies from `offset` on.
  struct Block {
    std::size_t set;
    std::int64_t begin, end, offset;
    std::int64_t kept = 0;
  };
  // An object that is kept, counted from the begin of its block, and the interval that it is in.
  struct Kept {
    std::uint32_t object;
    std::int32_t interval;
  };
  static constexpr std::int64_t most_objects_of_a_block = std::int64_t{1} << 32;

  template <class Body>
  void for_each_thread(const Body& body) const noexcept;
  template <class Add>
  std::span<std::int64_t> histogram(std::int64_t bins, const Add& add) noexcept;
  template <class Visit>
  void visit(const Block& block, std::int64_t begin, std::int64_t end,
             const Visit& visit) const noexcept;
  template <class Visit>
  void visit_kept(const Block& block, std::int64_t begin, std::int64_t end,
                  const Visit& visit) const noexcept;
  void count_kept(const Block& block, std::int64_t begin, std::int64_t end, Division division,
                  std::int64_t* bins) const noexcept;

  const double* weights_of(const WeightedKeys& set) const noexcept;

  std::span<const WeightedKeys> sets_;
  Units units_;
  int threads_;
  std::vector<std::vector<Block>> blocks_;  // of each thread
  std::vector<std::vector<std::int64_t>> bins_;
  std::unique_ptr<Kept[]> kept_;
};

void sort_keys(std::vector<CurveKey>& keys);
void sort_items(std::vector<CutObjects::Item>& items);  // by key

}  // namespace evenkeel
