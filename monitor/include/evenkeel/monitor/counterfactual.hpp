#pragma once

// What would have been: the load that ranks would carry now under other domains than those they
// have. Evaluated at looks, from the objects as they are and from what each costs; docs/triggers.md
// tells what it is used for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel {

// Nanoseconds over an epoch, on the rank that would have most; below 0: not known. The mean is that
// of the measured load. The same on all ranks.
struct Counterfactual {
  static constexpr std::int64_t unknown = -1;
  static constexpr std::size_t earlier_cuts = 12;

  // Had the domains stayed what they were when the run began, and before the last rebalance; and if
  // those were taken again now.
  std::int64_t first = unknown, previous = unknown;
  std::int64_t first_again = unknown, previous_again = unknown;
  std::int64_t fresh = unknown;  // under a cut made now
  // Under the domains that there are, if objects cost what their weights say. What was measured
  // beside it shows how far given weights are to be believed.
  std::int64_t as_weighed = unknown;
  std::int64_t advised = unknown;  // under the cut that advice would have led to last
  // Under cuts that were made at earlier looks, used or not, and the steps since then; an age of 0:
  // there is none.
  std::array<std::int64_t, earlier_cuts> earlier{}, age{};
};

// Cuts that were made at looks, as many as fit; of older ones fewer and fewer are kept, so that
// their ages are spread by factors. The same steps give the same cuts on all ranks.
template <class Cut>
class EarlierCuts {
 public:
  struct Entry {
    std::int64_t step;  // after which it was made
    Cut cut;
  };

  EarlierCuts() { entries_.reserve(Counterfactual::earlier_cuts + 1); }

  // Allocates nothing: ranks that have agreed on a cut all keep it.
  void add(std::int64_t step, Cut cut) {
    entries_.insert(entries_.begin(), {step, std::move(cut)});
    if (entries_.size() > Counterfactual::earlier_cuts)
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(most_superfluous()));
  }
  const std::vector<Entry>& entries() const noexcept { return entries_; }  // the newest first
  void clear() noexcept { entries_.clear(); }

 private:
  // Without which the ages to both sides of the gap differ by the least factor. Neither the newest
  // nor the oldest.
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

  std::vector<Entry> entries_;
};

}  // namespace evenkeel
