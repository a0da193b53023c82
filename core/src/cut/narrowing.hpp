#pragma once

// Finds places on a curve by narrowing intervals of keys, each of which contains one or more of the
// places. One histogram narrows all intervals at once, until an end of each interval is accepted as
// a place. When few objects are left in the intervals, the objects themselves give the remaining
// places. Nothing here sends a message. All ranks give the same input, so all get the same result.

#include "cut/objects.hpp"

namespace evenkeel {

// The objects of one key stay together. So the place can be before or after the key at which the
// running weight reaches the sought weight. This chooses between these two places. If both are
// equally near, `nearest` takes the lower one.
enum class Rounding : int { nearest, down, up };

// A place on the curve: a splitter, and the weight of all objects below it.
struct CurvePlace {
  std::uint64_t splitter;
  std::int64_t before;
};

// The weight that is wanted before each place, in ascending order. A place is accepted if the
// weight before it differs from the wanted weight by at most `tolerance`.
struct WantedPlaces {
  std::span<const std::int64_t> before;
  Rounding rounding = Rounding::nearest;
  std::int64_t tolerance = 0;
};

class Narrowing {
 public:
  // Allocates all memory.
  Narrowing(std::int64_t most_wanted, std::int64_t most_bins);

  // Begins with one interval of 2^width keys from `base` on, which contains all places.
  void begin(const WantedPlaces& wanted, std::uint64_t base, int width);
  // Begins with the intervals between boundaries. `weights` has the weight below the first
  // boundary, then from the first to the second, and so on. Returns the ranges of keys that contain
  // a place. The result is valid until the next call.
  std::span<const CutObjects::KeyRange> begin_between(const WantedPlaces& wanted,
                                                      std::span<const CurveKey> boundaries,
                                                      std::span<const std::int64_t> weights);

  // `weights` is a histogram of the present intervals. Finds the bin of each open place. If an end
  // of the bin is accepted, the place is settled; otherwise the bin becomes an interval.
  void narrow(std::span<const std::int64_t> weights, CutObjects::Division division);
  // Settles all open places. `items` has the objects in the intervals, sorted by key.
  void finish(std::span<const CutObjects::Item> items);

  int width() const noexcept { return width_; }  // an interval has 2^width() keys
  std::int64_t intervals() const noexcept { return std::ssize(intervals_); }
  std::int64_t weight_in_intervals() const noexcept { return open_weight_; }
  std::size_t open() const noexcept { return open_.size(); }
  // For each bin: the interval that the last narrow() made of it, or CutObjects::dropped.
  std::span<const std::int32_t> interval_of_bin(std::size_t bins) const noexcept {
    return std::span(interval_of_bin_).first(bins);
  }
  std::span<const CurvePlace> places() const noexcept { return places_; }

 private:
  struct KeyInterval {
    std::uint64_t first;  // its first key
    std::int64_t before;  // weight before its first key
  };

  void begin(const WantedPlaces& wanted);
  bool settle(std::size_t place, std::uint64_t first, std::int64_t before, std::int64_t after,
              int width);

  WantedPlaces wanted_;
  int width_ = 0;
  std::int64_t open_weight_ = 0;
  std::vector<KeyInterval> intervals_, next_;
  std::vector<std::int32_t> interval_of_bin_;
  // The places that are not settled yet, and for each place the interval that contains it.
  std::vector<std::uint32_t> open_, still_open_;
  std::vector<std::int32_t> interval_of_place_;
  std::vector<CurvePlace> places_;
  std::vector<CutObjects::KeyRange> ranges_;
};

}  // namespace evenkeel
