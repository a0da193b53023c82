#pragma once

// The problem of a cut: the sums of the items, the parts, and the least number of items in a part.
// It also has the even cut and the lengths of the parts of this cut, at which searches start. Both
// follow from the sums, the parts and the least number alone. A problem never changes. A Trial is
// one trial of a limit on the loads.

#include "chain/sums.hpp"

#include <evenkeel/core/chain.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace evenkeel::chain_search {

// The share p * total / parts in integers. The exact share may be between two integers.
struct IntegerShare {
  std::int64_t whole, up;  // the share, rounded down and rounded up
  std::int64_t twice;      // twice the fraction of the exact share, rounded up
};

// Returns total * before / all. Computes the product first, if it does not overflow or underflow,
// because the result is then exact for integers.
inline double share_of(double total, double before, double all) noexcept {
  const double product = total * before;
  return std::isnormal(product) ? product / all : total * (before / all);
}

inline bool reached(double share, double prefix) noexcept { return prefix >= share; }
inline bool reached(const IntegerShare& share, std::int64_t prefix) noexcept {
  return prefix >= share.up;
}

// `below` is less than the share, and `above` is not. Returns true if `below` is at least as near
// to the share as `above`.
inline bool lower_is_nearer(double share, double below, double above) noexcept {
  return share - below <= above - share;
}
inline bool lower_is_nearer(const IntegerShare& share, std::int64_t below,
                            std::int64_t above) noexcept {
  return (above - share.whole) - (share.whole - below) >= share.twice;
}

// Parts of the same speed; their loads are weights. Here and in BySpeed, the load of a part never
// falls when its weight grows.
template <class Number>
class Alike {
 public:
  using Load = Number;
  static constexpr bool alike = true;

  explicit Alike(const ChainOptions& options) : parts_(options.parts) {}

  int parts() const noexcept { return parts_; }
  static Load load(int, Number weight) noexcept { return weight; }
  double speed() const noexcept { return parts_; }
  static double fastest() noexcept { return 1; }

  // Returns a lower bound for the load of the heaviest part. It is rounded in the same way as
  // loads, so it is never above the bottleneck of a cut.
  Load least_bottleneck(Number total, Number heaviest) const noexcept {
    Load average = total / static_cast<Number>(parts_);
    if constexpr (std::is_integral_v<Number>) average += total % parts_ != 0 ? 1 : 0;
    return std::max(average, heaviest);
  }

  auto share(int p, Number total) const noexcept {
    if constexpr (std::is_integral_v<Number>) {
      const std::int64_t rest = p * (total % parts_), fraction = rest % parts_;
      const std::int64_t whole = p * (total / parts_) + rest / parts_;
      return IntegerShare{whole, whole + (fraction != 0 ? 1 : 0),
                          (2 * fraction + parts_ - 1) / parts_};
    } else {
      return share_of(total, p, parts_);
    }
  }

 private:
  int parts_;
};

// Parts of different speeds; their loads are times.
template <class Number>
class BySpeed {
 public:
  using Load = double;
  static constexpr bool alike = false;

  explicit BySpeed(const ChainOptions& options) : speeds_(options.speeds), before_(1, 0.0) {
    before_.reserve(speeds_.size() + 1);
    for (const double speed : speeds_) before_.push_back(before_.back() + speed);
    const auto [slowest, fastest] = std::minmax_element(speeds_.begin(), speeds_.end());
    slowest_ = *slowest;
    fastest_ = *fastest;
  }

  int parts() const noexcept { return static_cast<int>(speeds_.size()); }
  Load load(int p, Number weight) const noexcept {
    return static_cast<double>(weight) / speeds_[index_of(p)];
  }
  double speed() const noexcept { return before_.back(); }
  double slowest() const noexcept { return slowest_; }
  double fastest() const noexcept { return fastest_; }

  // The sum of speeds has a rounding error. The average is lowered by a bound of that error.
  Load least_bottleneck(Number total, Number heaviest) const noexcept {
    const double rounding = (parts() + 4.0) * std::numeric_limits<double>::epsilon();
    return std::max(static_cast<double>(total) / speed() * (1 - rounding),
                    static_cast<double>(heaviest) / fastest_);
  }

  double share(int p, Number total) const noexcept {
    return share_of(static_cast<double>(total), before_[index_of(p)], speed());
  }

 private:
  std::span<const double> speeds_;
  std::vector<double> before_;  // by part: the sum of the speeds of all parts before it
  double slowest_ = 1, fastest_ = 1;
};

// The weights of all windows. A window is `min_items` consecutive items, the shortest possible
// part. If the weight of a window exceeds the bottleneck, no part can end at the end of the window,
// because each part that ends there contains the window.
template <class Number>
class Windows {
 public:
  Windows() = default;

  template <class Source>
  Windows(const Sums<Source>& sums, std::int64_t items)
      : items_(items), weights_(index_of(sums.items() - items + 1)) {
    std::vector<Number> prefix(index_of(sums.items()) + 1);
    for (std::int64_t i = 0; i <= sums.items(); ++i) prefix[index_of(i)] = sums.at(i);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i] = prefix[i + index_of(items)] - prefix[i];
    for_each_chunk(std::ssize(weights_), [this](std::int64_t begin, std::int64_t end) {
      const auto first = weights_.begin();
      const auto [least, most] = std::minmax_element(first + begin, first + end);
      extremes_.emplace_back(*least, *most);
      heaviest_ = std::max(heaviest_, *most);
    });
  }

  bool empty() const noexcept { return weights_.empty(); }
  Number from(std::int64_t item) const noexcept { return weights_[index_of(item)]; }
  Number heaviest() const noexcept { return heaviest_; }

  // Returns the first end, in [end, last], of a window that fits if `fitting` is true, or that does
  // not fit if it is false. Returns last + 1 if there is no such window. Calls `seen` with lower
  // bounds of the weights of the windows that it skips.
  template <class Fits, class Seen>
  std::int64_t next(std::int64_t end, std::int64_t last, bool fitting, const Fits& fits,
                    const Seen& seen) const {
    for (std::int64_t i = end - items_; i <= last - items_;) {
      if (i % chunk == 0) {
        const auto& [least, most] = extremes_[index_of(i / chunk)];
        if (fits(fitting ? least : most) != fitting) {
          seen(least);
          i += chunk;
          continue;
        }
      }
      if (fits(weights_[index_of(i)]) == fitting) return i + items_;
      seen(weights_[index_of(i++)]);
    }
    return last + 1;
  }

 private:
  std::int64_t items_ = 0;
  std::vector<Number> weights_;
  // least and greatest weight, by chunk of windows
  std::vector<std::pair<Number, Number>> extremes_;
  Number heaviest_ = 0;
};

// A trial of a limit on the load of each part. `refused` is the least load above the limit that the
// trial has computed. If no cut is within the limit, no cut has a bottleneck below `refused`.
template <class Load>
struct Trial {
  Load limit, refused;
  bool allows(Load load) const noexcept { return !(load > limit); }
  void refuse(Load load) noexcept { refused = std::min(refused, load); }
};

// Cut p is before part p, and cut p + 1 is after it. The offset of a cut is the number of items
// before it.
template <class Source, class Parts>
class Problem {
 public:
  using Number = typename Source::Number;
  using Load = typename Parts::Load;
  using Offsets = std::vector<std::int64_t>;
  using Place = typename Sums<Source>::Place;

  // An offset, and the sum of all items before it.
  struct Spot {
    std::int64_t at;
    Number sum;
  };

  // Refers to the sums and the parts.
  Problem(const Sums<Source>& sums, const Parts& parts, std::int64_t min_items)
      : sums_(sums), parts_(parts), min_items_(min_items) {
    // If all parts have the same speed and need at most one item each, each window fits into each
    // part. Otherwise some windows may not fit.
    if (min_items > 0 && !(Parts::alike && min_items == 1))
      windows_ = Windows<Number>(sums, min_items);
    cut_evenly();
  }

  const Sums<Source>& sums() const noexcept { return sums_; }
  int parts() const noexcept { return parts_.parts(); }
  Load load(int p, Number weight) const noexcept { return parts_.load(p, weight); }
  std::int64_t min_items() const noexcept { return min_items_; }
  // The weights of all windows of `min_items` items; empty if all windows fit into all parts.
  const Windows<Number>& windows() const noexcept { return windows_; }

  // The even cut: each offset is as near to its share as the least number of items allows.
  const Offsets& even() const noexcept { return even_; }
  std::int64_t even_length(int p) const noexcept { return even_lengths_[index_of(p)]; }

  // Returns the last offset of a cut that leaves enough items for the parts after it.
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

  // Returns true if `min_items` items fit into part p wherever it begins.
  bool is_gapless(int p, const Trial<Load>& trial) const noexcept {
    return trial.allows(load(p, windows_.heaviest()));
  }
  // Returns true if `min_items` items fit into each part wherever it begins. Then two sets of
  // offsets of a cut have no gaps: the offsets that can be reached from the left, and the offsets
  // from which the remaining parts suffice. The reason is that a part with the least number of
  // items fits at any place.
  bool is_gapless(const Trial<Load>& trial) const noexcept {
    for (int p = 0; p < parts(); ++p) {
      if (!is_gapless(p, trial)) return false;
      if (Parts::alike) break;
    }
    return true;
  }

  auto share(int cut) const noexcept { return parts_.share(cut, sums_.total()); }
  // Converts a prefix sum to the type of shares: integers stay integers only if parts have the same
  // speed.
  static auto as_share(Number prefix) noexcept {
    if constexpr (Parts::alike)
      return prefix;
    else
      return static_cast<double>(prefix);
  }

  // Returns the offset in a range whose prefix sum is nearest to a share. If several have the same
  // prefix sum, returns the first of them.
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
