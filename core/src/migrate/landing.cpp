#include "migrate/landing.hpp"

#include "field/ranges.hpp"
#include "migrate/merge.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace evenkeel {

namespace {

// Each of those that come from one rank, or stay, is in order among itself.
std::vector<std::int64_t> first_of_runs(const SetPlan& set, bool with_what_stays) {
  std::vector<std::int64_t> firsts;
  firsts.reserve(set.imports.size() + 1);
  for (const Parcel& parcel : set.imports) firsts.push_back(parcel.first);
  if (with_what_stays && set.staying > 0) firsts.push_back(set.first_kept);
  std::sort(firsts.begin(), firsts.end());
  return firsts;
}

// Ranges of what stays serve only when it also leaves its place in ranges.
bool may_be_ranges(const SetPlan& set) { return !set.leaving.empty() || set.staying == 0; }

// All that come from other ranks, by key.
struct Others {
  std::vector<CurveKey> keys;
  std::vector<std::int64_t> arrivals;
};

Others others_in_order(const SetPlan& set, std::span<const CurveKey> keys) {
  const auto kept = static_cast<std::size_t>(set.first_kept);
  const auto staying = static_cast<std::size_t>(set.staying);
  Others others;
  others.keys.reserve(keys.size() - staying);
  others.keys.assign(keys.begin(), keys.begin() + set.first_kept);
  others.keys.insert(others.keys.end(), keys.begin() + set.first_kept + set.staying, keys.end());
  others.arrivals.resize(others.keys.size());
  std::vector<std::int64_t> firsts = first_of_runs(set, false);
  for (std::int64_t& first : firsts) first -= first > set.first_kept ? set.staying : 0;
  merge_order(others.keys, firsts, others.arrivals);
  for (std::int64_t& arrival : others.arrivals)
    arrival += static_cast<std::size_t>(arrival) >= kept ? set.staying : 0;
  return others;
}

// No branch depends on the keys: which comes next is hard to foresee.
void merge_in(SetPlan& set, std::span<const CurveKey> keys, const Others& others) {
  std::int64_t kept = set.first_kept, place = 0;
  const std::int64_t end = set.first_kept + set.staying;
  std::size_t other = 0;
  std::int64_t* const places = set.places.data();
  while (kept < end && other < others.arrivals.size()) {
    const std::int64_t arrival = others.arrivals[other];
    const std::uint64_t theirs = keys[static_cast<std::size_t>(arrival)].value;
    const std::uint64_t ours = keys[static_cast<std::size_t>(kept)].value;
    const bool is_other = (theirs < ours) | ((theirs == ours) & (arrival < set.first_kept));
    places[is_other ? arrival : kept] = place++;
    other += is_other ? 1 : 0;
    kept += is_other ? 0 : 1;
  }
  for (; kept < end; ++kept) places[kept] = place++;
  for (; other < others.arrivals.size(); ++other) places[others.arrivals[other]] = place++;
}

}  // namespace

void land(SetPlan& set, std::span<const CurveKey> keys) {
  if (may_be_ranges(set)) {
    const std::vector<std::int64_t> firsts = first_of_runs(set, true);
    set.landing = merged_runs(keys, firsts, std::ssize(keys) / long_range + std::ssize(firsts));
    std::sort(set.landing.begin(), set.landing.end(),
              [](const ObjectRange& a, const ObjectRange& b) { return a.from < b.from; });
    if (!set.landing.empty()) return;
  }
  set.places.resize(keys.size());
  merge_in(set, keys, others_in_order(set, keys));
}

void land(SetPlan& set) {
  if (may_be_ranges(set)) {
    if (set.count_after > 0) set.landing = {{0, 0, set.count_after}};
    return;
  }
  set.places.resize(static_cast<std::size_t>(set.count_after));
  std::iota(set.places.begin(), set.places.end(), std::int64_t{0});
}

}  // namespace evenkeel
