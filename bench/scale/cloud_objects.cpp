#include "cloud_objects.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>

namespace evenkeel::scale {

using Item = CutObjects::Item;

CloudObjects::CloudObjects(const Cloud& cloud, std::int64_t most_bins) : cloud_(cloud) {
  bins_.resize(static_cast<std::size_t>(most_bins));
  intervals_.reserve(bins_.size());
  next_.reserve(bins_.size());
}

std::span<std::int64_t> CloudObjects::weighed(std::size_t bins) noexcept {
  for (std::size_t bin = 0; bin < bins; ++bin) bins_[bin] *= one_;
  return std::span(bins_).first(bins);
}

// The search begins with an interval around all keys, which is the whole curve here.
std::span<std::int64_t> CloudObjects::count_all(std::uint64_t, Division division) noexcept {
  intervals_.assign(1, cloud_.whole());
  cloud_.divide(intervals_.front(), division.split, bins_.data());
  return weighed(std::size_t{1} << division.split);
}

std::span<std::int64_t> CloudObjects::keep_of_all(std::uint64_t,
                                                  const NarrowingStep& step) noexcept {
  return keep(step);
}
std::span<std::int64_t> CloudObjects::keep_of_kept(const NarrowingStep& step) noexcept {
  return keep(step);
}

// The bins that are not dropped become the intervals, in their order.
std::span<std::int64_t> CloudObjects::keep(const NarrowingStep& step) noexcept {
  next_.clear();
  const std::int64_t pieces = std::int64_t{1} << step.division.split;
  const int width = step.division.bin_width();
  for (std::size_t interval = 0; interval < intervals_.size(); ++interval) {
    const CloudStretch& here = intervals_[interval];
    const std::size_t first_bin = interval << step.division.split;
    const auto is_kept = [&](std::int64_t piece) {
      return step.interval_of_bin[first_bin + static_cast<std::size_t>(piece)] != dropped;
    };
    // Descends to the bins that are kept, only into halves that contain such bins.
    const auto descend = [&](const auto& self, const CloudStretch& at, std::int64_t piece,
                             std::int64_t count) -> void {
      bool any = false;
      for (std::int64_t i = piece; i < piece + count && !any; ++i) any = is_kept(i);
      if (!any) return;
      if (at.width == width) return next_.push_back(at);
      const auto [lower, upper] = cloud_.halves_of(at);
      self(self, lower, piece, count / 2);
      self(self, upper, piece + count / 2, count / 2);
    };
    descend(descend, here, 0, pieces);
  }
  std::swap(intervals_, next_);
  std::int64_t* bins = bins_.data();
  for (const CloudStretch& interval : intervals_) {
    cloud_.divide(interval, step.next.split, bins);
    bins += std::int64_t{1} << step.next.split;
  }
  return weighed(static_cast<std::size_t>(bins - bins_.data()));
}

std::int64_t CloudObjects::kept() const noexcept {
  std::int64_t objects = 0;
  for (const CloudStretch& interval : intervals_) objects += interval.objects;
  return objects;
}

std::vector<Item> CloudObjects::kept_items() const {
  std::vector<std::uint64_t> keys;
  for (const CloudStretch& interval : intervals_) cloud_.write_keys(interval, keys);
  std::vector<Item> items;
  items.reserve(keys.size());
  for (const std::uint64_t key : keys) items.push_back({key, one_});
  return items;
}

// A cloud provides only histograms, since the library takes samples only on few ranks.
std::vector<CurveKey> CloudObjects::sample(std::int64_t) const {
  throw Error(ErrorKind::internal, Where{"bench/scale"}, "A cloud was asked for a sample.",
              "Search it by histograms.");
}
std::vector<Item> CloudObjects::items_in(std::span<const KeyRange>) const {
  throw Error(ErrorKind::internal, Where{"bench/scale"}, "A cloud was asked for its items.",
              "Search it by histograms.");
}

std::span<std::int64_t> CloudObjects::count_between(std::span<const CurveKey> boundaries) noexcept {
  std::int64_t before = 0;
  std::size_t bin = 0;
  for (const CurveKey boundary : boundaries) {
    const std::int64_t now = cloud_.objects_before(boundary.value);
    bins_[bin++] = now - before;
    before = now;
  }
  bins_[bin++] = cloud_.objects() - before;
  return weighed(bin);
}

}  // namespace evenkeel::scale
