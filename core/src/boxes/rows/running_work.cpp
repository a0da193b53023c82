#include "boxes/rows/running_work.hpp"

#include <algorithm>

namespace evenkeel {

RunningWork::RunningWork(std::span<const RowPiece> pieces) {
  struct Change {
    double place, rate;
  };
  std::vector<Change> changes;
  changes.reserve(2 * pieces.size());
  for (const RowPiece& piece : pieces) {
    const double rate = piece.work / (piece.upper - piece.lower);
    changes.push_back({piece.lower, rate});
    changes.push_back({piece.upper, -rate});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.place < b.place; });
  double rate = 0;
  for (const Change& change : changes) {
    if (change.place > places_.back()) {
      // By rounding, a rate that should be 0 may be slightly off.
      below_.push_back(below_.back() + std::max(rate, 0.0) * (change.place - places_.back()));
      places_.push_back(change.place);
    }
    rate += change.rate;
  }
  if (places_.back() < 1) {
    places_.push_back(1);
    below_.push_back(below_.back());
  }
}

double RunningWork::below(double place) const noexcept {
  const auto above = std::upper_bound(places_.begin(), places_.end(), place);
  if (above == places_.begin()) return 0;
  if (above == places_.end()) return total();
  const auto i = static_cast<std::size_t>(above - places_.begin());
  const double along = (place - places_[i - 1]) / (places_[i] - places_[i - 1]);
  return below_[i - 1] + along * (below_[i] - below_[i - 1]);
}

double RunningWork::place_of(double work) const noexcept {
  const auto enough = std::lower_bound(below_.begin(), below_.end(), work);
  if (enough == below_.begin()) return 0;
  if (enough == below_.end()) return 1;
  const auto i = static_cast<std::size_t>(enough - below_.begin());
  const double along = (work - below_[i - 1]) / (below_[i] - below_[i - 1]);
  return places_[i - 1] + along * (places_[i] - places_[i - 1]);
}

}  // namespace evenkeel
