#pragma once

// The problem of a cut: items by their sums, the parts, and the least number of items of each; and
// what depends on these alone: the even cut, and how long its parts are, which is where searches
// start. It never changes; a trial of one limit on the loads is an object of its own.

#include "common.hpp"
#include "parts.hpp"
#include "sums.hpp"
#include "windows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evenkeel::chain_search {

// A limit on the load of each part, and the least load beyond it that was met: if there is no cut
// within the limit, there is none below that refused load either.
template <class Load>
struct Trial {
  Load limit, refused;
  bool allows(Load load) const noexcept { return !(load > limit); }
  void refuse(Load load) noexcept { refused = std::min(refused, load); }
};

// Part p lies between cut p and cut p + 1; an offset of a cut is the number of items before it.
template <class Source, class Parts>
class Problem {
 public:
  using Number = typename Source::Number;
  using Load = typename Parts::Load;
  using Offsets = std::vector<std::int64_t>;
  using Place = typename Sums<Source>::Place;

  // An offset and the prefix there.
  struct Spot {
    std::int64_t at;
    Number sum;
  };

  // Refers to the sums and the parts.
  Problem(const Sums<Source>& sums, const Parts& parts, std::int64_t min_items)
      : sums_(sums), parts_(parts), min_items_(min_items) {
    // If parts are alike and have at least one item each, any item fits the bottleneck. With
    // different speeds, or with a larger least number of items, it may not.
    if (min_items > 0 && !(Parts::alike && min_items == 1))
      windows_ = Windows<Number>(sums, min_items);
    cut_evenly();
  }

  const Sums<Source>& sums() const noexcept { return sums_; }
  int parts() const noexcept { return parts_.parts(); }
  Load load(int p, Number weight) const noexcept { return parts_.load(p, weight); }
  std::int64_t min_items() const noexcept { return min_items_; }
  // The weights of `min_items` items in a row; empty if they do not matter.
  const Windows<Number>& windows() const noexcept { return windows_; }

  // Each cut nearest to its share, where the number of items allows it.
  const Offsets& even() const noexcept { return even_; }
  std::int64_t even_length(int p) const noexcept { return even_lengths_[index_of(p)]; }

  // The last offset that leaves enough items for the parts after a cut.
  std::int64_t last_offset(int cut) const noexcept {
    return sums_.items() - (parts() - cut) * min_items_;
  }

  Load least_bottleneck(Number heaviest) const noexcept {
    return parts_.least_bottleneck(sums_.total(), heaviest);
  }
  Load greatest_load(const Offsets& offsets) const noexcept {
    Load greatest = 0;
    Number before = 0;
    for (int p = 0; p < parts(); ++p) {
      const Number prefix = sums_.at(offsets[index_of(p) + 1]);
      greatest = std::max(greatest, load(p, prefix - before));
      before = prefix;
    }
    return greatest;
  }

  // Whether `min_items` items fit into part p wherever it lies.
  bool is_gapless(int p, const Trial<Load>& trial) const noexcept {
    return trial.allows(load(p, windows_.heaviest()));
  }
  // The same for all parts. Then the offsets of a cut that can be reached from the left are all
  // those up to the greatest, and the offsets from which the rest can be finished are all those
  // from the least on: a part still fits where its least number of items pushes it to the right.
  // Otherwise both have gaps.
  bool is_gapless(const Trial<Load>& trial) const noexcept {
    for (int p = 0; p < parts(); ++p) {
      if (!is_gapless(p, trial)) return false;
      if (Parts::alike) break;
    }
    return true;
  }

  auto share(int cut) const noexcept { return parts_.share(cut, sums_.total()); }
  // The number type that is compared with shares: integers only if parts are alike.
  static auto as_share(Number prefix) noexcept {
    if constexpr (Parts::alike)
      return prefix;
    else
      return static_cast<double>(prefix);
  }

  // The offset in a range whose prefix is nearest to a share, the first of several.
  template <class Share>
  Spot nearest(const Share& share, std::int64_t first, std::int64_t last,
               std::int64_t guess) const noexcept {
    const Place place =
        sums_.first(first, last, guess, [&](Number sum) { return reached(share, as_share(sum)); });
    if (place.at == first) return {first, place.above};
    const Number below = place.below.value();
    if (place.at <= last && !lower_is_nearer(share, as_share(below), as_share(place.above)))
      return {place.at, place.above};
    if (!place.run) return {place.at - 1, below};
    const auto as_much = [&](Number sum) { return sum >= below; };
    return {sums_.first(first, place.at - 1, place.at - 1, as_much).at, below};
  }

 private:
  void cut_evenly() {
    even_.assign(index_of(parts()) + 1, 0);
    const std::int64_t length = sums_.items() / parts();
    for (int cut = 1; cut < parts(); ++cut) {
      const std::int64_t before = even_[index_of(cut) - 1];
      even_[index_of(cut)] =
          nearest(share(cut), before + min_items_, last_offset(cut), before + length).at;
    }
    even_.back() = sums_.items();
    even_lengths_.resize(even_.size() - 1);
    for (std::size_t p = 0; p < even_lengths_.size(); ++p)
      even_lengths_[p] = even_[p + 1] - even_[p];
  }

  const Sums<Source>& sums_;
  const Parts& parts_;
  std::int64_t min_items_;
  Windows<Number> windows_;
  Offsets even_, even_lengths_;
};

}  // namespace evenkeel::chain_search
