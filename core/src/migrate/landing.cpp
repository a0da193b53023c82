#include "migrate/landing.hpp"

#include "field/ranges.hpp"
#include "migrate/merge.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* landing_label = "evenkeel::migrate::landing";

// Returns true if places may be ranges. This needs lists on the host and, if objects stay, ranges
// of their old places.
bool may_be_ranges(const SetPlan& set) {
  return set.objects.is_on_host() && (!set.leaving.empty() || set.staying == 0);
}

// Returns the index that an arrival from another rank has if objects that stay are not counted.
std::int64_t among_others(const SetPlan& set, std::int64_t arrival) {
  return arrival > set.first_kept ? arrival - set.staying : arrival;
}

// Returns runs in the order of arrival: one for the arrivals from each rank, and one for the
// objects that stay. The keys of each run are sorted.
std::vector<Run> runs_of(const SetPlan& set, const exec::Array<CurveKey>& leaving,
                         const exec::Array<CurveKey>& arriving) {
  std::vector<Run> runs;
  runs.reserve(set.imports.size() + 1);
  for (const Parcel& parcel : set.imports)
    runs.push_back(
        {arriving.span().subspan(static_cast<std::size_t>(among_others(set, parcel.first)),
                                 static_cast<std::size_t>(parcel.objects)),
         parcel.first});
  if (set.staying > 0)
    runs.push_back({leaving.span().subspan(static_cast<std::size_t>(set.first_staying),
                                           static_cast<std::size_t>(set.staying)),
                    set.first_kept});
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  return runs;
}

struct WriteArrivals {
  std::int64_t first_kept, staying;
  std::int64_t* arrivals;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    arrivals[i] = i < first_kept ? i : i + staying;
  }
};

// Lists the place of each arrival.
void land_each(SetPlan& set, const exec::Array<CurveKey>& leaving,
               const exec::Array<CurveKey>& arriving) {
  const Space space = set.objects.space();
  const exec::Array<std::int64_t> arrivals(space, "evenkeel::migrate::arrivals", arriving.size());
  const WriteArrivals write{set.first_kept, set.staying, arrivals.data()};
  exec::for_each(space, landing_label, arrivals.size(), write);
  std::vector<std::int64_t> firsts;
  for (const Parcel& parcel : set.imports) firsts.push_back(among_others(set, parcel.first));
  space.fence(landing_label);
  merge_runs(space, arriving.span(), arrivals.span(), firsts);
  set.places = {space, "evenkeel::migrate::places", set.count_after};
  write_places(space,
               {leaving.data() + set.first_staying, set.first_kept, set.staying, arriving.data(),
                arrivals.data(), arriving.size()},
               set.places.data());
}

}  // namespace

void land(SetPlan& set, const exec::Array<CurveKey>& leaving,
          const exec::Array<CurveKey>& arriving) {
  if (set.count_after == 0) return;
  if (may_be_ranges(set)) {
    const std::vector<Run> runs = runs_of(set, leaving, arriving);
    set.landing = merged_runs(runs, set.count_after / long_range + std::ssize(runs));
    std::sort(set.landing.begin(), set.landing.end(),
              [](const ObjectRange& a, const ObjectRange& b) { return a.from < b.from; });
    if (!set.landing.empty()) return;
  }
  land_each(set, leaving, arriving);
}

void land(SetPlan& set) {
  if (set.count_after == 0) return;
  if (may_be_ranges(set)) {
    set.landing = {{0, 0, set.count_after}};
    return;
  }
  const Space space = set.objects.space();
  set.places = exec::counted_up<std::int64_t>(space, "evenkeel::migrate::places", set.count_after);
  space.fence(landing_label);
}

}  // namespace evenkeel
