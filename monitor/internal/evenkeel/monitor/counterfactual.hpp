#pragma once

// The load that ranks would carry now under other domains. It is computed at looks, from the
// present objects and the cost of each; docs/triggers.md describes its use.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel {

// Each number is the load of the rank that would have most, in nanoseconds over an epoch; it is
// negative if it is not known. The mean load would be the measured one. The same on all ranks.
struct Counterfactual {
  static constexpr std::int64_t unknown = -1;
  static constexpr std::size_t earlier_cuts = 12;

  // Under the domains of the start and those before the last rebalance, if they had been kept; and
  // if they were taken again now.
  std::int64_t first = unknown, previous = unknown;
  std::int64_t first_again = unknown, previous_again = unknown;
  std::int64_t fresh = unknown;  // under a cut made now
  // Under the present domains, if objects cost what their weights say. Comparison with the measured
  // load shows how far these weights can be trusted.
  std::int64_t as_weighed = unknown;
  std::int64_t advised = unknown;  // under the last cut that advice would have led to
  // Under cuts made at earlier looks, used or not, and the ages of these cuts in steps. An age of 0
  // means that there is no such cut.
  std::array<std::int64_t, earlier_cuts> earlier{}, age{};
};

// Keeps a fixed number of cuts made at looks: the older, the fewer, so that their ages grow by
// factors. If cuts are added after the same steps, all ranks keep the same cuts.
template <class Cut>
class EarlierCuts {
 public:
  // A cut, and the step after which it was made.
  struct EarlierCut {
    std::int64_t step;
    Cut cut;
  };

  EarlierCuts() { entries_.reserve(Counterfactual::earlier_cuts + 1); }

  // Allocates nothing, so that all ranks keep a cut that they have agreed on.
  void add(std::int64_t step, Cut cut) {
    entries_.insert(entries_.begin(), {step, std::move(cut)});
    if (entries_.size() > Counterfactual::earlier_cuts)
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(most_superfluous()));
  }
  const std::vector<EarlierCut>& entries() const noexcept { return entries_; }  // the newest first
  void clear() noexcept { entries_.clear(); }

 private:
  // The cut whose removal leaves the gap with the least factor between the ages at its ends; never
  // the newest or the oldest cut.
  std::size_t most_superfluous() const noexcept {
    const auto age = [&](std::size_t i) {
      return static_cast<double>(entries_.front().step - entries_[i].step + 1);
    };
    std::size_t best = 1;
    double least = age(2) / age(0);
    for (std::size_t i = 2; i + 1 < entries_.size(); ++i) {
      const double factor = age(i + 1) / age(i - 1);
      if (factor < least) {
        least = factor;
        best = i;
      }
    }
    return best;
  }

  std::vector<EarlierCut> entries_;
};

// The result of a survey on one rank, in nanoseconds over an epoch.
struct Survey {
  Counterfactual would_be = {};  // the same on all ranks
  // This rank's own load under the first domains or, while those are in use, under the domains that
  // advice would have led to; negative if it is not known.
  std::int64_t mine_otherwise = -1;
  std::int64_t took = 0;  // the time that this survey took
};

}  // namespace evenkeel
