#include "boxes/from_objects/ruler.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/measured_box.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/box";
constexpr const char* label = "evenkeel::box::counts";

constexpr double longest_stretch = 1024;  // of bounds, in extents of the other objects
constexpr double reach = 4;               // objects within this many extents are not far
constexpr double longest_kept = 64;       // a kept box, in extents of what it holds

double length_of(const Bounds& bounds, std::size_t axis) {
  constexpr double half = 0.5;  // of the greatest numbers: differences stay finite
  return bounds.upper[axis] * half - bounds.lower[axis] * half;
}

double longest_of(const Bounds& bounds) {
  double longest = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(bounds.dimensions); ++d)
    longest = std::max(longest, length_of(bounds, d));
  return longest;
}

Bounds bounds_of(const Box& box, int dimensions) {
  Bounds bounds;
  bounds.dimensions = dimensions;
  bounds.lower = box.lower;
  bounds.upper = box.upper;
  return bounds;
}

bool holds(const Bounds& outer, const Bounds& inner) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(inner.dimensions); ++d)
    if (inner.lower[d] < outer.lower[d] || inner.upper[d] > outer.upper[d]) return false;
  return true;
}

// How many may be far, along each axis and to each side.
std::int64_t most_far(std::int64_t objects) {
  return std::min(objects / 200, std::max<std::int64_t>(32, objects / 100'000));
}

// --- How objects lie along each axis -------------------------------------------------------------

constexpr int bits = 6;  // few enough for what comes from a device to be small
constexpr std::int64_t bins = std::int64_t{1} << bits, slots = bins + 2;  // below, bins, above

// Of all objects, or of a part of them.
struct Counts {
  std::int64_t objects = 0;  // all there are, counted below or not
  std::array<std::array<std::int64_t, slots>, 3> of_axis{};
  static void add(Counts& into, const Counts& from) noexcept {
    into.objects += from.objects;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < slots; ++i) into.of_axis[d][i] += from.of_axis[d][i];
  }
};

// Which objects are counted: the first `run` of every `period`. A period is so short that its
// places stay in the cache while one axis after the other is counted.
struct Portion {
  std::int64_t run, period;
  KOKKOS_FUNCTION std::int64_t object(std::int64_t i) const { return i / run * period + i % run; }
  // Indices of the objects; some of the last period may be beyond the last object.
  std::int64_t indices(std::int64_t count) const { return (count + period - 1) / period * run; }
};
constexpr Portion all_objects{1024, 1024}, sample{64, 1024};

// The slot of a place along an axis.
struct SlotOf {
  Ruler ruler;
  double lower = 0, upper = 0;
  KOKKOS_FUNCTION std::int64_t operator()(double place) const {
    if (place < lower) return 0;
    return place > upper ? slots - 1 : 1 + static_cast<std::int64_t>(ruler.mark(place));
  }
};
struct Slots {
  int dimensions = 0;
  SlotOf along[3];
};

// One share of the objects per index, on a host.
template <class Real>
struct CountShare {
  Places<Real> places;
  Slots slots_of;
  Portion portion;
  std::int64_t shares;
  std::int64_t* counts;  // of each share, of each axis

  void operator()(std::int64_t share) const {
    const exec::Share mine = exec::share_of(places.count, shares, share);
    for (std::int64_t begin = mine.begin; begin < mine.end; begin += portion.period)
      for (int axis = 0; axis < slots_of.dimensions; ++axis)
        count(begin, std::min(mine.end, begin + portion.run), axis,
              counts + (share * 3 + axis) * slots);
  }
  void count(std::int64_t begin, std::int64_t end, int axis, std::int64_t* into) const {
    const Coordinate<Real> coordinate = places.along(axis);
    const SlotOf slot_of = slots_of.along[axis];
    for (std::int64_t i = begin; i < end; ++i) ++into[slot_of(coordinate(i))];
  }
};

template <class Real>
struct CountObject {
  Places<Real> places;
  Slots slots_of;
  Portion portion;
  std::int64_t* counts;  // of each axis
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t object = portion.object(i);
    if (object >= places.count) return;
    for (int axis = 0; axis < slots_of.dimensions; ++axis)
      Kokkos::atomic_add(&counts[axis * slots + slots_of.along[axis](places.at(object, axis))],
                         std::int64_t{1});
  }
};

template <class Real, class Instance>
void count_reals(const Instance& instance, const Space& space, const FieldLayout& at,
                 const Slots& slots_of, const Portion& portion, Counts& into) {
  const Places<Real> places(at);
  std::int64_t shares = 1;
  if constexpr (!is_device<Instance>) shares = exec::host_threads();
  const exec::Array<std::int64_t> counts =
      exec::filled(space, label, shares * 3 * slots, std::int64_t{0});
  if constexpr (is_device<Instance>)
    exec::for_each(instance, label, portion.indices(at.count),
                   CountObject<Real>{places, slots_of, portion, counts.data()});
  else
    exec::for_each(instance, label, shares,
                   CountShare<Real>{places, slots_of, portion, shares, counts.data()});
  exec::fence(instance, label);
  const std::vector<std::int64_t> all = counts.on_host();
  for (std::size_t i = 0; i < all.size(); ++i) into.of_axis[i / slots % 3][i % slots] += all[i];
}

Slots slots_within(const Bounds& within, int dimensions) {
  Slots slots_of{dimensions, {}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    slots_of.along[d] = {Ruler(within.lower[d], within.upper[d], bits), within.lower[d],
                         within.upper[d]};
  return slots_of;
}

Counts counts_here(std::span<const Set> sets, const Bounds& within, const Portion& portion) {
  Counts counts;
  for (const Set& set : sets) {
    const FieldLayout at = set.position();
    if (at.count == 0) continue;
    counts.objects += at.count;
    const Space space = Space::where(at.memory);
    const Slots slots_of = slots_within(within, at.components);
    with_space(space, [&](const auto& instance) {
      if (at.scalar == ScalarType::float32)
        count_reals<float>(instance, space, at, slots_of, portion, counts);
      else
        count_reals<double>(instance, space, at, slots_of, portion, counts);
    });
  }
  return counts;
}

// Collective.
Counts counts_of(const Communicator& communicator, std::span<const Set> sets, const Bounds& within,
                 const Portion& portion) {
  Counts mine;
  const Status counted = attempt(stage_name, [&] { mine = counts_here(sets, within, portion); });
  return vote<&Counts::add>(communicator, counted, mine);
}

// The slots of an axis below the first of which, and above the last, there are no more objects
// than may be far.
struct Middle {
  std::int64_t first = 0, last = slots - 1;
  bool exists() const { return first >= 1 && last <= bins && first <= last; }
};

Middle middle_slots(const std::array<std::int64_t, slots>& counts, std::int64_t allowed) {
  Middle middle;
  for (std::int64_t below = counts[0]; below <= allowed && middle.first < slots - 2;)
    below += counts[static_cast<std::size_t>(++middle.first)];
  for (std::int64_t above = counts[slots - 1]; above <= allowed && middle.last > 1;)
    above += counts[static_cast<std::size_t>(--middle.last)];
  return middle;
}

// Collective. Whether a sample suffices to tell that no objects are far. The more objects are
// counted, the farther out the slots lie beyond which only few are: all that is between those of
// the sample is in the middle of all objects, too.
bool sample_shows_none_far(const Communicator& communicator, std::span<const Set> sets,
                           const Bounds& found) {
  const Counts some = counts_of(communicator, sets, found, sample);
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d) {
    const Middle middle = middle_slots(some.of_axis[d], most_far(some.objects));
    if (!middle.exists() || middle.last - middle.first < 2) continue;
    const Ruler ruler(found.lower[d], found.upper[d], bits);
    Bounds within = found;
    within.lower[d] = ruler.place(static_cast<std::uint64_t>(middle.first));
    within.upper[d] = ruler.place(static_cast<std::uint64_t>(middle.last - 1));
    if (longest_of(found) <= longest_stretch * length_of(within, d)) return true;
  }
  return false;
}

// Collective. The stretch of each axis that holds all but the objects that may be far. Each round
// looks more closely at what the one before has left; nothing is left to look at where a stretch
// no longer becomes much shorter.
Bounds middle_of(const Communicator& communicator, std::span<const Set> sets, const Bounds& found) {
  constexpr double much = 4;
  Bounds middle = found;
  for (bool goes_on = true; goes_on;) {
    const Counts all = counts_of(communicator, sets, middle, all_objects);
    goes_on = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d) {
      const Middle here = middle_slots(all.of_axis[d], most_far(all.objects));
      if (!here.exists()) continue;
      const double before = length_of(middle, d);
      const Ruler ruler(middle.lower[d], middle.upper[d], bits);
      middle.lower[d] = ruler.place(static_cast<std::uint64_t>(here.first - 1));
      middle.upper[d] = ruler.place(static_cast<std::uint64_t>(here.last));
      goes_on = goes_on || length_of(middle, d) * much < before;
    }
  }
  return middle;
}

// --- The objects that are not far ----------------------------------------------------------------

struct Near {
  Bounds bounds;
  std::int64_t far_objects = 0;
  static void add(Near& into, const Near& from) noexcept {
    for (std::size_t d = 0; d < 3; ++d) {
      into.bounds.lower[d] = std::min(into.bounds.lower[d], from.bounds.lower[d]);
      into.bounds.upper[d] = std::max(into.bounds.upper[d], from.bounds.upper[d]);
    }
    into.far_objects += from.far_objects;
  }
};

template <class Real>
struct IsFar {
  Places<Real> places;
  int dimensions;
  double lower[3], upper[3];
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    for (int axis = 0; axis < dimensions; ++axis) {
      const double place = places.at(i, axis);
      if (place < lower[axis] || place > upper[axis]) return 1;
    }
    return 0;
  }
};

// Along one axis the place of an object, or another one for a far object.
template <class Real>
struct PlaceUnlessFar {
  IsFar<Real> is_far;
  int axis;
  double otherwise;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return is_far(i) != 0 ? otherwise : is_far.places.at(i, axis);
  }
};

template <class Real, class Instance>
void add_near_reals(const Instance& instance, const FieldLayout& at, const Bounds& allowed,
                    Near& into) {
  IsFar<Real> is_far{Places<Real>(at), at.components, {}, {}};
  for (int axis = 0; axis < at.components; ++axis) {
    is_far.lower[axis] = allowed.lower[static_cast<std::size_t>(axis)];
    is_far.upper[axis] = allowed.upper[static_cast<std::size_t>(axis)];
  }
  for (int axis = 0; axis < at.components; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const PlaceUnlessFar<Real> for_least{is_far, axis, Bounds::none};
    const PlaceUnlessFar<Real> for_greatest{is_far, axis, -Bounds::none};
    into.bounds.lower[d] =
        std::min(into.bounds.lower[d], exec::extremes<double>(instance, at.count, for_least).least);
    into.bounds.upper[d] = std::max(
        into.bounds.upper[d], exec::extremes<double>(instance, at.count, for_greatest).greatest);
  }
  into.far_objects += exec::sum<std::int64_t>(instance, at.count, is_far);
}

template <class Instance>
void add_near(const Instance& instance, const FieldLayout& at, const Bounds& allowed, Near& into) {
  if (at.scalar == ScalarType::float32)
    add_near_reals<float>(instance, at, allowed, into);
  else
    add_near_reals<double>(instance, at, allowed, into);
}

Near near_here(std::span<const Set> sets, const Bounds& allowed) {
  Near near;
  for (const Set& set : sets) {
    const FieldLayout at = set.position();
    if (at.count == 0) continue;
    with_space(Space::where(at.memory),
               [&](const auto& instance) { add_near(instance, at, allowed, near); });
  }
  return near;
}

// Collective. The bounds of all objects but far ones.
Near near_objects(const Communicator& communicator, std::span<const Set> sets,
                  const Bounds& found) {
  const Near all = {found, 0};
  if (!(longest_of(found) > 0) || sample_shows_none_far(communicator, sets, found)) return all;
  const Bounds middle = middle_of(communicator, sets, found);
  const double extent = longest_of(middle);
  if (!(extent > 0) || longest_of(found) <= longest_stretch * extent) return all;
  Bounds allowed = middle;
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d) {
    allowed.lower[d] -= 2 * reach * extent;  // of half a length each
    allowed.upper[d] += 2 * reach * extent;
  }
  Near mine;
  const Status sought = attempt(stage_name, [&] { mine = near_here(sets, allowed); });
  Near near = vote<&Near::add>(communicator, sought, mine);
  near.bounds.dimensions = found.dimensions;
  return near.far_objects > 0 && longest_of(near.bounds) > 0 ? near : all;
}

}  // namespace

MeasuredBox measure_box(const Communicator& communicator, std::span<const Set> sets,
                        const std::optional<Box>& kept, const Bounds& found) {
  if (found.empty()) return {enclose(kept, found), 0};
  const auto is_too_long = [&](const Bounds& held) {
    return longest_of(bounds_of(*kept, found.dimensions)) > longest_kept * longest_of(held) &&
           longest_of(held) > 0;
  };
  if (kept && holds(bounds_of(*kept, found.dimensions), found) && !is_too_long(found))
    return {*kept, 0};
  const Near near = near_objects(communicator, sets, found);
  const bool anew = !kept || is_too_long(near.bounds);
  return {enclose(anew ? std::nullopt : kept, near.bounds), near.far_objects};
}

}  // namespace evenkeel
