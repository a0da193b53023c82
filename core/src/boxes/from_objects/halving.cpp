#include "boxes/from_objects/halving.hpp"

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

// An axis that is not the longest, unequal numbers of parts, and a border that is not that of the
// earlier tree must lower the cost by this much. It is small, because errors of successive levels
// multiply.
constexpr double worth_a_change = 0.02;

}  // namespace

bool HalvingSearch::tries(std::size_t nth) const noexcept {
  if (nth >= terms_.axes.size()) return false;
  if (!best_) return true;
  const double least = terms_.enough + worth_a_change * static_cast<double>(nth);
  return !terms_.is_in_turn && least < least_score_;
}

void HalvingSearch::add_places(std::size_t nth, double near, std::vector<double>& places) const {
  const int along = axis(nth);
  const auto a = static_cast<std::size_t>(along);
  const auto first = std::ssize(places);
  const double at = room_.at(along, near);
  const auto fallback =
      halves_of(room_.capacity(), terms_.box, along, parts(), terms_.wanted, false);
  if (room_.has_cells(along)) {
    const double width = room_.capacity().width[a];
    const double least = terms_.box.lower[a] + width, most = terms_.box.upper[a] - width;
    const double from = std::clamp(std::floor(at) - 1, least, std::max(least, most - 3));
    for (int i = 0; i < 4 && from + i <= most; ++i) places.push_back(from + i);
    if (fallback) places.push_back(std::clamp(std::round(at), fallback->least, fallback->most));
  } else if (fallback) {
    places.push_back(std::clamp(at, fallback->least, fallback->most));
  }
  if (terms_.earlier && terms_.earlier->axis == along) places.push_back(terms_.earlier->at);
  const auto begin = places.begin() + first;
  std::sort(begin, places.end());
  places.erase(std::unique(begin, places.end()), places.end());
}

double HalvingSearch::room_share(std::size_t nth, double at) const noexcept {
  const auto a = static_cast<std::size_t>(axis(nth));
  const double length = terms_.box.upper[a] - terms_.box.lower[a];
  return length > 0 ? (at - terms_.box.lower[a]) / length : 0;
}

void HalvingSearch::judge(std::size_t nth, double at, double share_below) noexcept {
  const int along = axis(nth);
  const auto a = static_cast<std::size_t>(along);
  Box lower = terms_.box, upper = terms_.box;
  lower.upper[a] = upper.lower[a] = at;
  const auto room_for = [&](const Box& half) {
    return static_cast<int>(std::min<double>(room_.capacity().of(half), parts()));
  };
  const int least = std::max(1, parts() - room_for(upper));
  const int most = std::min(parts() - 1, room_for(lower));
  if (least > most) return;
  const std::span<const double> speeds = terms_.speed_below;
  const auto by_work = static_cast<int>(
      std::upper_bound(speeds.begin(), speeds.end(),
                       speeds.front() + share_below * (speeds.back() - speeds.front())) -
      speeds.begin());
  for (const int below : {terms_.wanted, by_work - 1, by_work}) {
    const Halving next = {along, std::clamp(below, least, most), at};
    const double its_score = score(nth, next, share_below);
    if (best_ && !(its_score < least_score_)) continue;
    best_ = next;
    least_score_ = its_score;
  }
}

double HalvingSearch::speed_share(int below) const noexcept {
  const std::span<const double> speeds = terms_.speed_below;
  return (speeds[static_cast<std::size_t>(below)] - speeds.front()) /
         (speeds.back() - speeds.front());
}

double HalvingSearch::score(std::size_t nth, const Halving& halving,
                            double share_below) const noexcept {
  const double share = speed_share(halving.below);
  // If speeds differ extremely, a share may be 0; fmax ignores the quotient 0 / 0.
  const double cost = std::fmax(share_below / share, (1 - share_below) / (1 - share));
  double score = std::max(cost, terms_.enough) + worth_a_change * static_cast<double>(nth);
  if (halving.below != terms_.wanted)
    score += worth_a_change * (std::abs(2 * halving.below - parts()) - parts() % 2) / parts();
  if (terms_.earlier && !(halving == *terms_.earlier)) score += worth_a_change;
  return score + 1e-6 * cost;  // among equally good ones, the least cost
}

}  // namespace evenkeel
