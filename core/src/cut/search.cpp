#include "search.hpp"

#include <evenkeel/backends/comm/vote.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/cut";

constexpr std::int64_t least_bins = std::int64_t{1} << 16;
constexpr std::int64_t bins_per_place = 4;
// Each histogram has to leave the device, so histograms on devices are smaller, and there are more
// of them.
constexpr std::int64_t least_bins_on_device = std::int64_t{1} << 9;

constexpr std::int64_t sample_size = std::int64_t{1} << 15;
static_assert(sample_size < least_bins);

// If there are no more objects than this, it costs less to send them to all ranks than to go on
// counting.
std::int64_t few(std::size_t places, bool on_device) {
  return std::max<std::int64_t>(on_device ? 256 : 4096, 2 * static_cast<std::int64_t>(places));
}

std::int64_t bins_of(std::int64_t places, std::int64_t least) {
  const auto wanted = static_cast<std::uint64_t>(bins_per_place * places);
  return std::max(least, static_cast<std::int64_t>(std::bit_ceil(wanted)));
}

}  // namespace

std::int64_t Search::bins_for(std::int64_t objects) noexcept {
  return static_cast<std::int64_t>(std::bit_ceil(4 * static_cast<std::uint64_t>(objects)));
}

std::int64_t Search::most_bins(std::int64_t most_sought, std::int64_t most_objects) noexcept {
  const std::int64_t bins = bins_of(most_sought, least_bins);
  return most_objects > 0 ? std::min(bins, bins_for(most_objects)) : bins;
}

Search::Search(const Communicator& communicator, CutObjects& objects, std::int64_t most_sought,
               std::int64_t most_objects)
    : communicator_(communicator),
      objects_(objects),
      most_sought_(most_sought),
      most_bins_(most_bins(most_sought, most_objects)) {
  const auto places = static_cast<std::size_t>(most_sought);
  intervals_.reserve(places + 1);
  next_.reserve(places + 1);
  interval_of_bin_.resize(static_cast<std::size_t>(most_bins_));
  open_.reserve(places);
  still_open_.reserve(places);
  interval_of_place_.reserve(places);
  places_.reserve(places);
  ranges_.reserve(places);
  ranges_.reserve(places);
  weight_of_bin_.resize(static_cast<std::size_t>(most_bins_));
}

void Search::reduce(std::span<std::int64_t> values) {
  communicator_.all_reduce(values, Reduction::sum);
  ++reductions_;
  bytes_reduced_ += static_cast<std::int64_t>(values.size_bytes());
}

// One interval, aligned to its size, around all keys.
std::int64_t Search::weigh(const Census& all) {
  width_ = static_cast<int>(std::bit_width(all.least_key ^ all.greatest_key));
  base_ = all.least_key >> width_ << width_;
  intervals_.assign(1, {base_, 0});
  on_device_ = all.ranks_on_device > 0;
  bins_ = std::min(most_bins_, bins_for(all.objects));
  if (on_device_) bins_ = std::min(bins_, bins_of(most_sought_, least_bins_on_device));
  whole_ = next_division();
  const std::span<std::int64_t> bins = objects_.count_all(base_, whole_);
  reduce(bins);
  std::copy(bins.begin(), bins.end(), weight_of_bin_.begin());
  objects_everywhere_ = static_cast<double>(all.objects);
  total_ = std::accumulate(bins.begin(), bins.end(), std::int64_t{0});
  return total_;
}

std::span<const Search::Place> Search::run(std::span<const std::int64_t> sought, Rounding rounding,
                                           std::int64_t tolerance) {
  sought_ = sought;
  rounding_ = rounding;
  tolerance_ = tolerance;
  begin(sought.size());
  const auto first_bins =
      std::span<const std::int64_t>(weight_of_bin_).first(std::size_t{1} << whole_.split);
  narrow(first_bins, whole_);
  CutObjects::Division division = whole_;
  std::size_t divided = first_bins.size();
  for (bool first = true; !open_.empty(); first = false) {
    const CutObjects::Step step = {division, std::span(interval_of_bin_).first(divided),
                                   std::ssize(intervals_), next_division()};
    const std::span<std::int64_t> bins =
        first ? objects_.keep_of_all(base_, step) : objects_.keep_of_kept(step);
    if (few_are_kept()) return finish_with_all([this] { return objects_.kept_items(); });
    reduce(bins);
    division = step.next;
    divided = bins.size();
    narrow(bins, division);
  }
  return places_;
}

void Search::begin(std::size_t sought) {
  width_ = whole_.width;
  intervals_.assign(1, {base_, 0});
  places_.assign(sought, {});
  interval_of_place_.assign(sought, 0);
  open_.resize(sought);
  std::iota(open_.begin(), open_.end(), 0U);
}

CutObjects::Division Search::next_division() const noexcept {
  // At least two bins each, because there are no more intervals than objects.
  const auto per_interval = static_cast<std::uint64_t>(bins_ / std::ssize(intervals_));
  return {width_, std::min(width_, static_cast<int>(std::bit_width(per_interval)) - 1)};
}

// Finds the bin of each open place. Either an end of the bin settles the place, or the bin becomes
// an interval.
void Search::narrow(std::span<const std::int64_t> bins, CutObjects::Division division) {
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
    while (before + bins[bin] < sought_[place]) before += bins[bin++];
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

// The place lies in the 2^width keys from `first` on. Returns true if one end of this range settles
// it: when there is only one key, or when an end is near enough.
bool Search::settle(std::size_t place, std::uint64_t first, std::int64_t before, std::int64_t after,
                    int width) {
  const std::int64_t below = sought_[place] - before, above = after - sought_[place];
  if (width > 0 && std::min(below, above) > tolerance_) return false;
  if (width > 0 && tolerance_ == 0) return false;
  const bool down =
      rounding_ == Rounding::down || (rounding_ == Rounding::nearest && below <= above);
  places_[place] = down ? Place{first, before} : Place{first + (std::uint64_t{1} << width), after};
  return true;
}

// The weight of the kept objects is known. Counting them costs a reduction, so it is done only when
// they may be few.
bool Search::few_are_kept() {
  const auto limit = few(open_.size(), on_device_);
  const double share = static_cast<double>(open_weight_) / static_cast<double>(total_);
  if (share * objects_everywhere_ > static_cast<double>(limit)) return false;
  std::int64_t kept = objects_.kept();
  reduce(std::span(&kept, 1));
  return kept <= limit;
}

// --- By a sample ---------------------------------------------------------------------------------

// If objects are nearly in the order of the curve, a few keys from all over them show where they
// are dense. The cost of a sample, and the number of objects it leaves, depend neither on the bits
// of keys nor on clusters.

bool Search::suits_sample(const Census& all, std::int64_t sought) noexcept {
  constexpr std::int64_t keys_per_fall = 16;
  return all.falls * keys_per_fall <= all.objects && all.objects >= 8 * sample_size &&
         8 * sought <= sample_size;
}

std::int64_t Search::weigh_by_sample(const Census& all) {
  std::vector<CurveKey> mine;
  const Status taken =
      attempt(stage_name, [&] { mine = objects_.sample(all.objects / sample_size); });
  sample_ = all_gather(communicator_, taken, std::span<const CurveKey>(mine)).values;
  bytes_reduced_ += static_cast<std::int64_t>(sample_.size() * sizeof(CurveKey));
  vote(communicator_, attempt(stage_name, [&] { sort_keys(sample_); }));
  sample_.erase(std::unique(sample_.begin(), sample_.end()), sample_.end());
  // Very many ranks return more keys than were asked for.
  const std::size_t room = static_cast<std::size_t>(most_bins_) - 1;
  const std::size_t step = sample_.size() / room + 1;
  for (std::size_t i = 0; i * step < sample_.size(); ++i) sample_[i] = sample_[i * step];
  sample_.resize((sample_.size() + step - 1) / step);

  const std::span<std::int64_t> bins = objects_.count_between(sample_);
  reduce(bins);
  std::copy(bins.begin(), bins.end(), weight_of_bin_.begin());
  return std::accumulate(bins.begin(), bins.end(), std::int64_t{0});
}

std::span<const Search::Place> Search::run_by_sample(std::span<const std::int64_t> sought) {
  sought_ = sought;
  rounding_ = Rounding::nearest;
  tolerance_ = 0;
  begin(sought.size());
  intervals_.clear();
  ranges_.clear();
  std::size_t bin = 0;
  std::int64_t before = 0;
  for (std::size_t place = 0; place < sought.size(); ++place) {
    bool moved = place == 0;
    for (; before + weight_of_bin_[bin] < sought[place]; moved = true)
      before += weight_of_bin_[bin++];
    if (moved) {
      constexpr std::uint64_t last_of_all = std::numeric_limits<std::uint64_t>::max() - 1;
      const std::uint64_t first = bin == 0 ? 0 : sample_[bin - 1].value;
      intervals_.push_back({first, before});
      ranges_.push_back({first, bin < sample_.size() ? sample_[bin].value - 1 : last_of_all});
    }
    interval_of_place_[place] = static_cast<std::int32_t>(intervals_.size()) - 1;
  }
  return finish_with_all([this] { return objects_.items_in(ranges_); });
}

// --- The end -------------------------------------------------------------------------------------

// Each rank computes the same result by itself.
std::span<const Search::Place> Search::finish_with_all(
    const std::function<std::vector<CutObjects::Item>()>& mine) {
  std::vector<CutObjects::Item> items;
  const Status taken = attempt(stage_name, [&] { items = mine(); });
  items = all_gather(communicator_, taken, std::span<const CutObjects::Item>(items)).values;
  bytes_reduced_ += static_cast<std::int64_t>(items.size() * sizeof(CutObjects::Item));
  vote(communicator_, attempt(stage_name, [&] { sort_items(items); }));
  std::int32_t interval = -1;
  std::int64_t before = 0, weight = 0;  // of the key at `item`
  std::size_t item = 0, next = 0;
  const auto take_key = [&] {
    for (weight = 0; next < items.size() && items[next].key == items[item].key; ++next)
      weight += items[next].weight;
  };
  for (const std::uint32_t place : open_) {
    if (interval_of_place_[place] != interval) {
      interval = interval_of_place_[place];
      const Interval& here = intervals_[static_cast<std::size_t>(interval)];
      before = here.before;
      while (item < items.size() && items[item].key < here.first) ++item;
      next = item;
      take_key();
    }
    while (before + weight < sought_[place]) {
      before += weight;
      item = next;
      take_key();
    }
    settle(place, items[item].key, before, before + weight, 0);
  }
  return places_;
}

}  // namespace evenkeel
