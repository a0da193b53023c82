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
#include <numeric>
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

struct Counts {
  std::array<std::array<std::int64_t, slots>, 3> of_axis{};
  static void add(Counts& into, const Counts& from) noexcept {
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < slots; ++i) into.of_axis[d][i] += from.of_axis[d][i];
  }
};

// The slot of a place along an axis.
struct SlotOf {
  Ruler ruler;
  double lower, upper;
  KOKKOS_FUNCTION std::int64_t operator()(double place) const {
    if (place < lower) return 0;
    return place > upper ? slots - 1 : 1 + static_cast<std::int64_t>(ruler.mark(place));
  }
};

// One share of the objects per index, on a host.
template <class Real>
struct CountShare {
  Coordinate<Real> coordinate;
  SlotOf slot_of;
  std::int64_t count, shares;
  std::int64_t* counts;  // of each share
  void operator()(std::int64_t share) const {
    const exec::Share mine = exec::share_of(count, shares, share);
    for (std::int64_t i = mine.begin; i < mine.end; ++i)
      ++counts[share * slots + slot_of(coordinate(i))];
  }
};

template <class Real>
struct CountObject {
  Coordinate<Real> coordinate;
  SlotOf slot_of;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_add(&counts[slot_of(coordinate(i))], std::int64_t{1});
  }
};

template <class Real, class Instance>
void count_reals(const Instance& instance, const Space& space, const FieldLayout& at, int axis,
                 const SlotOf& slot_of, Counts& into) {
  const Coordinate<Real> coordinate = Places<Real>(at).along(axis);
  std::int64_t shares = 1;
  if constexpr (!is_device<Instance>) shares = exec::host_threads();
  const exec::Array<std::int64_t> counts =
      exec::filled(space, label, shares * slots, std::int64_t{0});
  if constexpr (is_device<Instance>)
    exec::for_each(instance, label, at.count,
                   CountObject<Real>{coordinate, slot_of, counts.data()});
  else
    exec::for_each(instance, label, shares,
                   CountShare<Real>{coordinate, slot_of, at.count, shares, counts.data()});
  exec::fence(instance, label);
  const std::vector<std::int64_t> all = counts.on_host();
  for (std::size_t i = 0; i < all.size(); ++i)
    into.of_axis[static_cast<std::size_t>(axis)][i % slots] += all[i];
}

template <class Instance>
void count_along(const Instance& instance, const Space& space, const FieldLayout& at, int axis,
                 const SlotOf& slot_of, Counts& into) {
  if (at.scalar == ScalarType::float32)
    count_reals<float>(instance, space, at, axis, slot_of, into);
  else
    count_reals<double>(instance, space, at, axis, slot_of, into);
}

Counts counts_here(std::span<const Set> sets, const Bounds& within) {
  Counts counts;
  for (const Set& set : sets) {
    const FieldLayout at = set.position();
    if (at.count == 0) continue;
    const Space space = Space::where(at.memory);
    for (int axis = 0; axis < at.components; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      const SlotOf slot_of = {Ruler(within.lower[d], within.upper[d], bits), within.lower[d],
                              within.upper[d]};
      with_space(space, [&](const auto& instance) {
        count_along(instance, space, at, axis, slot_of, counts);
      });
    }
  }
  return counts;
}

// Collective. The stretch of each axis that holds all but the objects that may be far. Each round
// looks more closely at what the one before has left; nothing is left to look at where a stretch
// no longer becomes much shorter.
Bounds middle_of(const Communicator& communicator, std::span<const Set> sets, const Bounds& found) {
  constexpr double much = 4;
  Bounds middle = found;
  for (bool goes_on = true; goes_on;) {
    Counts mine;
    const Status counted = attempt(stage_name, [&] { mine = counts_here(sets, middle); });
    const Counts all = vote<&Counts::add>(communicator, counted, mine);
    goes_on = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d) {
      const auto& counts = all.of_axis[d];
      const std::int64_t allowed =
          most_far(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
      std::int64_t first = 0, last = slots - 1;
      for (std::int64_t below = counts[0]; below <= allowed && first < slots - 2;)
        below += counts[static_cast<std::size_t>(++first)];
      for (std::int64_t above = counts[slots - 1]; above <= allowed && last > 1;)
        above += counts[static_cast<std::size_t>(--last)];
      if (first < 1 || last > bins || first > last) continue;
      const double before = length_of(middle, d);
      const Ruler ruler(middle.lower[d], middle.upper[d], bits);
      middle.lower[d] = ruler.place(static_cast<std::uint64_t>(first - 1));
      middle.upper[d] = ruler.place(static_cast<std::uint64_t>(last));
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
