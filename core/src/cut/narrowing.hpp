#pragma once

// The places that are sought on a curve, and the intervals of keys that still hold such a place.
// Histograms make all intervals smaller at once, until one end of each settles its places. When few
// objects are left, they settle the remaining places. Nothing here sends a message: the input is
// the same on all ranks, so the result is the same too.

#include "cut/objects.hpp"

namespace evenkeel {

// The choice between the two places around the key at which the weight reaches the sought weight.
enum class Rounding : int { nearest, down, up };  // `nearest` takes the lower of equal ones

// A place on the curve, and the weight before it.
struct CurvePlace {
  std::uint64_t splitter;
  std::int64_t before;
};

// The wanted weights before the places; they never fall. A place within the tolerance is accepted.
struct WantedPlaces {
  std::span<const std::int64_t> before;
  Rounding rounding = Rounding::nearest;
  std::int64_t tolerance = 0;
};

class Narrowing {
 public:
  // Allocates all memory.
  Narrowing(std::int64_t most_wanted, std::int64_t most_bins);

  // All places are in one interval, of 2^width keys from `base` on.
  void begin(const WantedPlaces& wanted, std::uint64_t base, int width);
  // Each place is between two boundaries. `weights` are those below the first boundary, from it to
  // the second, ... Returns the ranges of keys that hold a place; they are valid until the next
  // call.
  std::span<const CutObjects::KeyRange> begin_between(const WantedPlaces& wanted,
                                                      std::span<const CurveKey> boundaries,
                                                      std::span<const std::int64_t> weights);

  // Finds the bin of each open place. Either an end of the bin settles the place, or the bin
  // becomes an interval.
  void narrow(std::span<const std::int64_t> weights, CutObjects::Division division);
  // Settles all places that are open by the objects in the intervals, sorted by key.
  void finish(std::span<const CutObjects::Item> items);

  int width() const noexcept { return width_; }  // the bits of a key that an interval spans
  std::int64_t intervals() const noexcept { return std::ssize(intervals_); }
  std::int64_t weight_in_intervals() const noexcept { return open_weight_; }
  std::size_t open() const noexcept { return open_.size(); }
  // The interval that the last narrow() made of each bin, or CutObjects::dropped.
  std::span<const std::int32_t> interval_of_bin(std::size_t bins) const noexcept {
    return std::span(interval_of_bin_).first(bins);
  }
  std::span<const CurvePlace> places() const noexcept { return places_; }

 private:
  struct KeyInterval {
    std::uint64_t first;  // key
    std::int64_t before;  // weight before it
  };

  void begin(const WantedPlaces& wanted);
  bool settle(std::size_t place, std::uint64_t first, std::int64_t before, std::int64_t after,
              int width);

  WantedPlaces wanted_;
  int width_ = 0;
  std::int64_t open_weight_ = 0;
  std::vector<KeyInterval> intervals_, next_;
  std::vector<std::int32_t> interval_of_bin_;
  // The places that are still sought, and the interval that holds each.
  std::vector<std::uint32_t> open_, still_open_;
  std::vector<std::int32_t> interval_of_place_;
  std::vector<CurvePlace> places_;
  std::vector<CutObjects::KeyRange> ranges_;
};

}  // namespace evenkeel
