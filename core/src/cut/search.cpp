#include "cut/search.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include "cut/stage.hpp"

#include <algorithm>
#include <numeric>

namespace evenkeel {

namespace {

constexpr std::int64_t least_bins = std::int64_t{1} << 16;
constexpr std::int64_t bins_per_place = 4;
// Each histogram has to be copied from the device to the host, so on devices histograms are
// smaller, and a search takes more of them.
constexpr std::int64_t least_bins_on_device = std::int64_t{1} << 9;

constexpr std::int64_t sample_size = std::int64_t{1} << 15;
static_assert(sample_size < least_bins);

// Returns the greatest number of objects for which sending all of them to all ranks costs less than
// another histogram.
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
    : reductions_(communicator),
      objects_(objects),
      most_sought_(most_sought),
      most_bins_(most_bins(most_sought, most_objects)),
      narrowing_(most_sought, most_bins_) {
  first_.weights.resize(static_cast<std::size_t>(most_bins_));
}

// Makes the first histogram: one interval that contains all keys. Its begin is a multiple of its
// size.
std::int64_t Search::weigh(const Census& all) {
  const int width = static_cast<int>(std::bit_width(all.least_key ^ all.greatest_key));
  first_.base = all.least_key >> width << width;
  on_device_ = all.ranks_on_device > 0;
  bins_ = std::min(most_bins_, bins_for(all.objects));
  if (on_device_) bins_ = std::min(bins_, bins_of(most_sought_, least_bins_on_device));
  first_.division = next_division(width, 1);
  const std::span<std::int64_t> bins = objects_.count_all(first_.base, first_.division);
  reduce(bins);
  std::copy(bins.begin(), bins.end(), first_.weights.begin());
  first_.objects = static_cast<double>(all.objects);
  first_.total = std::accumulate(bins.begin(), bins.end(), std::int64_t{0});
  return first_.total;
}

std::span<const Search::Place> Search::run(const WantedPlaces& wanted) {
  narrowing_.begin(wanted, first_.base, first_.division.width);
  CutObjects::Division division = first_.division;
  std::size_t divided = std::size_t{1} << division.split;
  narrowing_.narrow(std::span<const std::int64_t>(first_.weights).first(divided), division);
  for (bool first = true; narrowing_.open() > 0; first = false) {
    const CutObjects::NarrowingStep step = {
        division, narrowing_.interval_of_bin(divided), narrowing_.intervals(),
        next_division(narrowing_.width(), narrowing_.intervals())};
    const std::span<std::int64_t> bins =
        first ? objects_.keep_of_all(first_.base, step) : objects_.keep_of_kept(step);
    if (few_are_kept()) return finish_with_all([this] { return objects_.kept_items(); });
    reduce(bins);
    division = step.next;
    divided = bins.size();
    narrowing_.narrow(bins, division);
  }
  return narrowing_.places();
}

// There are no more intervals than objects, so each interval gets at least two bins.
CutObjects::Division Search::next_division(int width, std::int64_t intervals) const noexcept {
  const auto per_interval = static_cast<std::uint64_t>(bins_ / intervals);
  return {width, std::min(width, static_cast<int>(std::bit_width(per_interval)) - 1)};
}

// Counting the kept objects of all ranks costs a reduction. Their share of the weight is known, so
// they are counted only if this share suggests that there are few.
bool Search::few_are_kept() {
  const auto limit = few(narrowing_.open(), on_device_);
  const double share =
      static_cast<double>(narrowing_.weight_in_intervals()) / static_cast<double>(first_.total);
  if (share * first_.objects > static_cast<double>(limit)) return false;
  std::int64_t kept = objects_.kept();
  reduce(std::span(&kept, 1));
  return kept <= limit;
}

// --- By a sample ---------------------------------------------------------------------------------

// If objects are nearly sorted along the curve, a sample of their keys, taken evenly from the
// arrays, shows where objects are dense. Neither the cost of a sample nor the number of objects
// that remain after it depends on the length of keys or on clusters of objects.

bool Search::suits_sample(const Census& all, std::int64_t sought) noexcept {
  constexpr std::int64_t keys_per_fall = 16;
  return all.falls * keys_per_fall <= all.objects && all.objects >= 8 * sample_size &&
         8 * sought <= sample_size;
}

std::int64_t Search::weigh_by_sample(const Census& all) {
  const Communicator& communicator = reductions_.communicator();
  std::vector<CurveKey>& sample = first_.sample;
  std::vector<CurveKey> mine;
  const Status taken =
      attempt(stage_name, [&] { mine = objects_.sample(all.objects / sample_size); });
  sample = all_gather(communicator, taken, std::span<const CurveKey>(mine)).values;
  reductions_.note(0, static_cast<std::int64_t>(sample.size() * sizeof(CurveKey)));
  vote(communicator, attempt(stage_name, [&] { sort_keys(sample); }));
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  // With very many ranks, the sample has more keys than were asked for; leave out some of them.
  const std::size_t room = static_cast<std::size_t>(most_bins_) - 1;
  const std::size_t step = sample.size() / room + 1;
  for (std::size_t i = 0; i * step < sample.size(); ++i) sample[i] = sample[i * step];
  sample.resize((sample.size() + step - 1) / step);

  const std::span<std::int64_t> bins = objects_.count_between(sample);
  reduce(bins);
  std::copy(bins.begin(), bins.end(), first_.weights.begin());
  return std::accumulate(bins.begin(), bins.end(), std::int64_t{0});
}

std::span<const Search::Place> Search::run_by_sample(std::span<const std::int64_t> sought) {
  const std::span<const CutObjects::KeyRange> ranges =
      narrowing_.begin_between({sought}, first_.sample, first_.weights);
  return finish_with_all([&] { return objects_.items_in(ranges); });
}

// Gathers the remaining objects on all ranks. Then each rank finishes by itself, with the same
// result.
std::span<const Search::Place> Search::finish_with_all(
    const std::function<std::vector<CutObjects::Item>()>& mine) {
  const Communicator& communicator = reductions_.communicator();
  std::vector<CutObjects::Item> items;
  const Status taken = attempt(stage_name, [&] { items = mine(); });
  items = all_gather(communicator, taken, std::span<const CutObjects::Item>(items)).values;
  reductions_.note(0, static_cast<std::int64_t>(items.size() * sizeof(CutObjects::Item)));
  vote(communicator, attempt(stage_name, [&] { sort_items(items); }));
  narrowing_.finish(items);
  return narrowing_.places();
}

}  // namespace evenkeel
