#include "box/axes.hpp"
#include "box/ruler.hpp"
#include "box/stage.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/box/bounds.hpp>

#include <algorithm>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* measured_box_label = "evenkeel::box::counts";

// greatest length of all bounds / length without far objects
constexpr double longest_stretch = 1024;
// objects are not far if they are at most this many lengths away; the length is without far objects
constexpr double reach = 4;
// greatest length of a kept box / length of the objects in it
constexpr double longest_kept = 64;

double length_of(const Bounds& bounds, std::size_t axis) {
  constexpr double half = 0.5;  // half a length stays finite even for the greatest numbers
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

// Returns how many objects may be far, along each axis and on each side.
std::int64_t most_far(std::int64_t objects) {
  return std::min(objects / 200, std::max<std::int64_t>(32, objects / 100'000));
}

// --- The distribution of objects along each axis -------------------------------------------------

constexpr int bits = 6;  // few bits, so that the counts that come from a device are small
// one slot below the bins, the bins, one slot above
constexpr std::int64_t bins = std::int64_t{1} << bits, slots = bins + 2;

// Histograms along each axis, of all objects or of a sample.
struct BinCounts {
  std::int64_t objects = 0;  // number of all objects, also of those that are not in the sample
  std::array<std::array<std::int64_t, slots>, 3> of_axis{};
  static void add(BinCounts& into, const BinCounts& from) noexcept {
    into.objects += from.objects;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < slots; ++i) into.of_axis[d][i] += from.of_axis[d][i];
  }
};

// Selects the objects that are counted: the first `run` objects of every `period` objects. A period
// is so short that its positions stay in the cache while one axis after the other is counted.
struct Portion {
  std::int64_t run, period;
  KOKKOS_FUNCTION std::int64_t object(std::int64_t i) const { return i / run * period + i % run; }
  // Returns the number of indices. In the last period, some indices may be beyond the last object.
  std::int64_t indices(std::int64_t count) const { return (count + period - 1) / period * run; }
};
constexpr Portion all_objects{1024, 1024}, sample{64, 1024};

// Finds the slot of a place along an axis.
struct SlotOf {
  Ruler ruler;
  double lower = 0, upper = 0;
  KOKKOS_FUNCTION std::int64_t operator()(double place) const {
    if (place < lower) return 0;
    return place > upper ? slots - 1 : 1 + static_cast<std::int64_t>(ruler.mark(place));
  }
};
struct AxisSlots {
  int dimensions = 0;
  SlotOf along[3];
};

// Counts the objects on host spaces. Each index handles one share of them.
template <class Real>
struct CountShare {
  Places<Real> places;
  AxisSlots slots_of;
  Portion portion;
  std::int64_t shares;
  std::int64_t* counts;  // by share, then by axis, then by slot

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
  AxisSlots slots_of;
  Portion portion;
  std::int64_t* counts;  // by axis, then by slot
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t object = portion.object(i);
    if (object >= places.count) return;
    for (int axis = 0; axis < slots_of.dimensions; ++axis)
      Kokkos::atomic_add(&counts[axis * slots + slots_of.along[axis](places.at(object, axis))],
                         std::int64_t{1});
  }
};

template <class Real, class Instance>
void count_on(const Instance& instance, const Space& space, const Places<Real>& places,
              const AxisSlots& slots_of, const Portion& portion, BinCounts& into) {
  std::int64_t shares = 1;
  if constexpr (!is_device<Instance>) shares = exec::host_threads();
  const exec::Array<std::int64_t> counts =
      exec::filled(space, measured_box_label, shares * 3 * slots, std::int64_t{0});
  if constexpr (is_device<Instance>)
    exec::for_each(instance, measured_box_label, portion.indices(places.count),
                   CountObject<Real>{places, slots_of, portion, counts.data()});
  else
    exec::for_each(instance, measured_box_label, shares,
                   CountShare<Real>{places, slots_of, portion, shares, counts.data()});
  exec::fence(instance, measured_box_label);
  const std::vector<std::int64_t> all = counts.on_host();
  for (std::size_t i = 0; i < all.size(); ++i) into.of_axis[i / slots % 3][i % slots] += all[i];
}

AxisSlots slots_within(const Bounds& within, int dimensions) {
  AxisSlots slots_of{dimensions, {}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    slots_of.along[d] = {Ruler(within.lower[d], within.upper[d], bits), within.lower[d],
                         within.upper[d]};
  return slots_of;
}

// Local; so is add_near(). Both return the failure, if there is one, instead of throwing.
Status add_counts(std::span<const Set> sets, const Bounds& within, const Portion& portion,
                  BinCounts& counts) try {
  for (const Set& set : sets) {
    const FieldLayout at = set.position();
    if (at.count == 0) continue;
    counts.objects += at.count;
    const Space space = Space::where(at.memory);
    const AxisSlots slots_of = slots_within(within, at.components);
    with_space(space, [&](const auto& instance) {
      with_places(at, [&](const auto& places) {
        count_on(instance, space, places, slots_of, portion, counts);
      });
    });
  }
  return {};
} catch (...) {
  return Status::from_current_exception(stage_name);
}

// Collective. Returns the counts of all ranks together.
BinCounts counts_of(const Communicator& communicator, std::span<const Set> sets,
                    const Bounds& within, const Portion& portion) {
  BinCounts mine;
  const Status counted = add_counts(sets, within, portion, mine);
  return vote<&BinCounts::add>(communicator, counted, mine);
}

// The slots of an axis that remain if objects that may be far are left out. The number of objects
// below `first` is at most the number that may be far, and so is the number above `last`.
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

// Collective. Returns true if a sample suffices to show that no object is far. Beyond each slot
// there are at least as many objects as the sample has there, so the middle of the sample is inside
// the middle of all objects.
bool sample_shows_none_far(const Communicator& communicator, std::span<const Set> sets,
                           const Bounds& found) {
  const BinCounts some = counts_of(communicator, sets, found, sample);
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

// Collective. Returns, along each axis, the stretch that contains all objects except those that may
// be far. Each round divides the stretches of the previous round into smaller slots. The search
// ends when no stretch becomes much shorter.
Bounds middle_of(const Communicator& communicator, std::span<const Set> sets, const Bounds& found) {
  constexpr double much = 4;
  Bounds middle = found;
  for (bool goes_on = true; goes_on;) {
    const BinCounts all = counts_of(communicator, sets, middle, all_objects);
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

// Returns the place of an object along one axis, or `otherwise` if the object is far.
template <class Real>
struct PlaceUnlessFar {
  IsFar<Real> is_far;
  int axis;
  double otherwise;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return is_far(i) != 0 ? otherwise : is_far.places.at(i, axis);
  }
};

template <class Real>
void add_near(const Space& space, const Places<Real>& places, int dimensions, const Bounds& allowed,
              Near& into) {
  IsFar<Real> is_far{places, dimensions, {}, {}};
  for (int axis = 0; axis < dimensions; ++axis) {
    is_far.lower[axis] = allowed.lower[static_cast<std::size_t>(axis)];
    is_far.upper[axis] = allowed.upper[static_cast<std::size_t>(axis)];
  }
  for (int axis = 0; axis < dimensions; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const PlaceUnlessFar<Real> for_least{is_far, axis, Bounds::none};
    const PlaceUnlessFar<Real> for_greatest{is_far, axis, -Bounds::none};
    into.bounds.lower[d] = std::min(into.bounds.lower[d],
                                    exec::extremes<double>(space, places.count, for_least).least);
    into.bounds.upper[d] = std::max(
        into.bounds.upper[d], exec::extremes<double>(space, places.count, for_greatest).greatest);
  }
  into.far_objects += exec::sum<std::int64_t>(space, places.count, is_far);
}

Status add_near(std::span<const Set> sets, const Bounds& allowed, Near& near) try {
  for (const Set& set : sets) {
    const FieldLayout at = set.position();
    if (at.count == 0) continue;
    with_places(at, [&](const auto& places) {
      add_near(Space::where(at.memory), places, at.components, allowed, near);
    });
  }
  return {};
} catch (...) {
  return Status::from_current_exception(stage_name);
}

// Collective. Returns the bounds of all objects except those that are far.
Near near_objects(const Communicator& communicator, std::span<const Set> sets,
                  const Bounds& found) {
  const Near all = {found, 0};
  if (!(longest_of(found) > 0) || sample_shows_none_far(communicator, sets, found)) return all;
  const Bounds middle = middle_of(communicator, sets, found);
  const double extent = longest_of(middle);
  if (!(extent > 0) || longest_of(found) <= longest_stretch * extent) return all;
  Bounds allowed = middle;
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d) {
    allowed.lower[d] -= 2 * reach * extent;  // twice, because `extent` is half a length
    allowed.upper[d] += 2 * reach * extent;
  }
  Near mine;
  const Status sought = add_near(sets, allowed, mine);
  Near near = vote<&Near::add>(communicator, sought, mine);
  near.bounds.dimensions = found.dimensions;
  return near.far_objects > 0 && longest_of(near.bounds) > 0 ? near : all;
}

}  // namespace

MeasuredBox stages::measure_box(const Communicator& communicator, std::span<const Set> sets,
                                const std::optional<Box>& kept, const Bounds& found) {
  if (found.empty()) return {enclose(kept, found), 0};
  const auto is_too_long = [&](const Bounds& held) {
    return longest_of(bounds_of(*kept, found.dimensions)) > longest_kept * longest_of(held) &&
           longest_of(held) > 0;
  };
  if (kept && is_inside(*kept, found) && !is_too_long(found)) return {*kept, 0};
  const Near near = near_objects(communicator, sets, found);
  const bool anew = !kept || is_too_long(near.bounds);
  return {enclose(anew ? std::nullopt : kept, near.bounds), near.far_objects};
}

}  // namespace evenkeel
