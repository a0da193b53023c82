#pragma once

// The parts of a chain, alike or of different speeds: the load that a weight is for them, and the
// share of the total that is due before each. The load of a part never falls when its weight grows.

#include "common.hpp"

#include <evenkeel/core/chain.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace evenkeel::chain_search {

// p * total / parts in integers; the exact share may lie between two of them.
struct IntegerShare {
  std::int64_t whole, up;  // rounded down and up
  std::int64_t twice;      // twice the fraction, rounded up
};

// The share of the total that is due to `before` out of `all`. The product is formed first if it
// does not overflow or underflow: then the result is exact for integers.
inline double share_of(double total, double before, double all) noexcept {
  const double product = total * before;
  return std::isnormal(product) ? product / all : total * (before / all);
}

inline bool reached(double share, double prefix) noexcept { return prefix >= share; }
inline bool reached(const IntegerShare& share, std::int64_t prefix) noexcept {
  return prefix >= share.up;
}

// Of two prefixes, one below the share and one not: whether the lower is at least as near.
inline bool lower_is_nearer(double share, double below, double above) noexcept {
  return share - below <= above - share;
}
inline bool lower_is_nearer(const IntegerShare& share, std::int64_t below,
                            std::int64_t above) noexcept {
  return (above - share.whole) - (share.whole - below) >= share.twice;
}

// Parts of the same speed: loads are weights.
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

  // A lower bound for the load of the heaviest part, rounded as loads are: never above what a cut
  // can reach.
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

// Parts of different speeds: loads are times.
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

  // The sum of speeds is rounded, so the average is lowered by that rounding error.
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
  std::vector<double> before_;  // the speeds of the parts before each
  double slowest_ = 1, fastest_ = 1;
};

}  // namespace evenkeel::chain_search
