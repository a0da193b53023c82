#pragma once

// The loads that ranks would have now under other domains. Looks compute them from the present
// objects and the cost of each; docs/triggers.md describes their use.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel {

// Each number except `guessed` and `moved` is the greatest load of a rank under some domains, in
// nanoseconds over an epoch, scaled so that the mean load is the measured one. It is negative if it
// is not known. The same on all ranks.
struct Counterfactual {
  static constexpr std::int64_t unknown = -1;
  static constexpr std::size_t earlier_cuts = 12;

  // `first` and `previous`: if the domains of the start, or those before the last rebalance, had
  // been kept. `first_again` and `previous_again`: if these domains were taken again now.
  std::int64_t first = unknown, previous = unknown;
  std::int64_t first_again = unknown, previous_again = unknown;
  std::int64_t fresh = unknown;  // under a new cut made now
  // Under the present domains, if each object costs as much as its weight says. A comparison with
  // the measured load shows how far these weights can be trusted.
  std::int64_t as_weighed = unknown;
  std::int64_t advised = unknown;  // under the last cut to which advice would have led
  // The mean load of objects that were made during the run: `first` can only guess their rank.
  std::int64_t guessed = 0;
  // Not a load: the bytes that a new cut made now would move, summed over all ranks. For cuts of a
  // graph, only the bytes that have to leave ranks with more than the mean load.
  std::int64_t moved = unknown;
  // If the loads were predicted before the epoch, the mean load of this prediction; otherwise 0.
  std::int64_t of_mean = 0;
  // earlier: under cuts that were made at earlier looks, whether used or not. age: the ages of
  // these cuts in steps; 0 means that there is no such cut.
  std::array<std::int64_t, earlier_cuts> earlier{}, age{};
};

// Keeps a fixed number of cuts made at looks. From each kept cut to the next older one, the age
// grows by about the same factor. If all ranks add cuts after the same steps, they keep the same
// cuts.
template <class Cut>
class EarlierCuts {
 public:
  // A cut, and the step after which it was made.
  struct EarlierCut {
    std::int64_t step;
    Cut cut;
  };

  EarlierCuts() { entries_.reserve(Counterfactual::earlier_cuts + 1); }

  // Allocates nothing, so it cannot fail on some ranks only.
  void add(std::int64_t step, Cut cut) {
    entries_.insert(entries_.begin(), {step, std::move(cut)});
    if (entries_.size() > Counterfactual::earlier_cuts)
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(most_superfluous()));
  }
  const std::vector<EarlierCut>& entries() const noexcept { return entries_; }  // the newest first
  void clear() noexcept { entries_.clear(); }

 private:
  // Returns the cut to remove: the one for which the age of its older neighbour divided by the age
  // of its newer neighbour is least. It is never the newest or the oldest cut.
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
  // This rank's own load under the first domains or, while the first domains are in use, under the
  // domains to which advice would have led. It is negative if it is not known.
  std::int64_t mine_otherwise = -1;
  std::int64_t took = 0;  // the time that this survey took
};

}  // namespace evenkeel
