#include "cut/narrowing.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace evenkeel {

Narrowing::Narrowing(std::int64_t most_wanted, std::int64_t most_bins)
    : interval_of_bin_(static_cast<std::size_t>(most_bins)) {
  const auto places = static_cast<std::size_t>(most_wanted);
  intervals_.reserve(places + 1);
  next_.reserve(places + 1);
  open_.reserve(places);
  still_open_.reserve(places);
  interval_of_place_.reserve(places);
  places_.reserve(places);
  ranges_.reserve(places);
}

void Narrowing::begin(const WantedPlaces& wanted) {
  wanted_ = wanted;
  places_.assign(wanted.before.size(), {});
  interval_of_place_.assign(wanted.before.size(), 0);
  open_.resize(wanted.before.size());
  std::iota(open_.begin(), open_.end(), 0U);
}

void Narrowing::begin(const WantedPlaces& wanted, std::uint64_t base, int width) {
  begin(wanted);
  width_ = width;
  intervals_.assign(1, {base, 0});
}

std::span<const CutObjects::KeyRange> Narrowing::begin_between(
    const WantedPlaces& wanted, std::span<const CurveKey> boundaries,
    std::span<const std::int64_t> weights) {
  begin(wanted);
  intervals_.clear();
  ranges_.clear();
  std::size_t bin = 0;
  std::int64_t before = 0;
  for (std::size_t place = 0; place < wanted.before.size(); ++place) {
    bool moved = place == 0;
    for (; before + weights[bin] < wanted.before[place]; moved = true) before += weights[bin++];
    if (moved) {
      constexpr std::uint64_t last_of_all = std::numeric_limits<std::uint64_t>::max() - 1;
      const std::uint64_t first = bin == 0 ? 0 : boundaries[bin - 1].value;
      intervals_.push_back({first, before});
      ranges_.push_back({first, bin < boundaries.size() ? boundaries[bin].value - 1 : last_of_all});
    }
    interval_of_place_[place] = static_cast<std::int32_t>(intervals_.size()) - 1;
  }
  return ranges_;
}

void Narrowing::narrow(std::span<const std::int64_t> bins, CutObjects::Division division) {
  const int width = division.bin_width();
  std::fill_n(interval_of_bin_.begin(), bins.size(), CutObjects::dropped);
  next_.clear();
  still_open_.clear();
  open_weight_ = 0;
  std::int32_t interval = -1;
  std::size_t bin = 0;
  std::int64_t before = 0;
  for (const std::uint32_t place : open_) {
    if (interval_of_place_[place] != interval) {
      interval = interval_of_place_[place];
      bin = static_cast<std::size_t>(interval) << division.split;
      before = intervals_[static_cast<std::size_t>(interval)].before;
    }
    while (before + bins[bin] < wanted_.before[place]) before += bins[bin++];
    const std::uint64_t first = intervals_[static_cast<std::size_t>(interval)].first +
                                ((bin & division.bin_mask()) << width);
    if (settle(place, first, before, before + bins[bin], width)) continue;
    std::int32_t& into = interval_of_bin_[bin];
    if (into == CutObjects::dropped) {
      into = static_cast<std::int32_t>(next_.size());
      next_.push_back({first, before});
      open_weight_ += bins[bin];
    }
    interval_of_place_[place] = into;
    still_open_.push_back(place);
  }
  std::swap(intervals_, next_);
  std::swap(open_, still_open_);
  width_ = width;
}

// The place is known to be in the range of 2^width keys from `first` on. If an end of this range is
// within the tolerance, or if the range is a single key, makes an end the place and returns true.
bool Narrowing::settle(std::size_t place, std::uint64_t first, std::int64_t before,
                       std::int64_t after, int width) {
  const std::int64_t below = wanted_.before[place] - before, above = after - wanted_.before[place];
  if (width > 0 && std::min(below, above) > wanted_.tolerance) return false;
  if (width > 0 && wanted_.tolerance == 0) return false;
  const bool down = wanted_.rounding == Rounding::down ||
                    (wanted_.rounding == Rounding::nearest && below <= above);
  places_[place] =
      down ? CurvePlace{first, before} : CurvePlace{first + (std::uint64_t{1} << width), after};
  return true;
}

void Narrowing::finish(std::span<const CutObjects::Item> items) {
  std::int32_t interval = -1;
  std::int64_t before = 0, weight = 0;  // before the key at `item`; of that key
  std::size_t item = 0, next = 0;
  const auto take_key = [&] {
    for (weight = 0; next < items.size() && items[next].key == items[item].key; ++next)
      weight += items[next].weight;
  };
  for (const std::uint32_t place : open_) {
    if (interval_of_place_[place] != interval) {
      interval = interval_of_place_[place];
      const KeyInterval& here = intervals_[static_cast<std::size_t>(interval)];
      before = here.before;
      while (item < items.size() && items[item].key < here.first) ++item;
      next = item;
      take_key();
    }
    while (before + weight < wanted_.before[place]) {
      before += weight;
      item = next;
      take_key();
    }
    settle(place, items[item].key, before, before + weight, 0);
  }
}

}  // namespace evenkeel
