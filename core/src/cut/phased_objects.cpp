#include "cut/phased_objects.hpp"
#include "cut/stage.hpp"

#include "order/bisect.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* phased_objects_label = "evenkeel::cut::phases";

// --- For kernels ---------------------------------------------------------------------------------

struct PhasedSet {
  const CurveKey* keys;
  const std::int64_t* objects;  // null if the objects are in the order of the keys
  std::int64_t count;
  const double* costs[most_phases];  // null if the set costs nothing in this phase
  int phases;

  explicit PhasedSet(const PhasedKeys& set)
      : keys(set.keys.data()),
        objects(set.objects.empty() ? nullptr : set.objects.data()),
        count(std::ssize(set.keys)),
        costs(),
        phases(static_cast<int>(set.costs.size())) {
    for (std::size_t phase = 0; phase < set.costs.size(); ++phase)
      costs[phase] = set.costs[phase].empty() ? nullptr : set.costs[phase].data();
  }
  KOKKOS_FUNCTION std::int64_t object_at(std::int64_t place) const {
    return objects == nullptr ? place : objects[place];
  }
};

// Finds the interval of a key between ascending boundaries: interval i ends before boundaries[i].
// The keys from the first boundary to the last are divided into slots of equal length, and the
// number of boundaries before each slot is stored. Without slots, a cut of unsorted keys would
// spend most of its time searching through all boundaries.
struct IntervalInSlots {
  const CurveKey* boundaries;
  std::int64_t count;
  const std::int32_t* boundaries_before;  // for each slot, then for the end of the last slot
  std::int64_t slots;
  std::uint64_t first;
  int shift;

  KOKKOS_FUNCTION std::int64_t operator()(std::uint64_t key) const {
    if (count == 0 || key < first) return 0;
    const std::uint64_t slot = (key - first) >> shift;
    if (slot >= static_cast<std::uint64_t>(slots)) return count;
    const std::int64_t before = boundaries_before[slot];
    const CurveKey* const of_slot = boundaries + before;
    return before +
           count_before(boundaries_before[slot + 1] - before,
                        [of_slot, key](std::int64_t i) { return of_slot[i].value <= key; });
  }
  KOKKOS_FUNCTION bool holds(std::int64_t interval, std::uint64_t key) const {
    return (interval == 0 || boundaries[interval - 1].value <= key) &&
           (interval == count || key < boundaries[interval].value);
  }
};

// Copies boundaries from the host to memory that a space can access, with their slots.
class Intervals {
 public:
  Intervals(const Space& space, std::span<const CurveKey> boundaries)
      : slots_(boundaries),
        boundaries_(space, phased_objects_label, boundaries),
        before_(space, phased_objects_label, slots_.boundaries_before) {}
  IntervalInSlots interval_of() const {
    return {boundaries_.data(), boundaries_.size(), before_.data(),
            before_.size() - 1, slots_.first,       slots_.shift};
  }

 private:
  struct BoundarySlots {
    std::vector<std::int32_t> boundaries_before{0};
    std::uint64_t first = 0;
    int shift = 0;

    explicit BoundarySlots(std::span<const CurveKey> boundaries) {
      if (boundaries.empty()) return;
      constexpr int per_boundary = 8, most_bits = 16;
      first = boundaries.front().value;
      const std::uint64_t length = boundaries.back().value - first;
      const int bits =
          std::min(most_bits, static_cast<int>(std::bit_width(per_boundary * boundaries.size())));
      shift = std::max(0, static_cast<int>(std::bit_width(length)) - bits);
      boundaries_before.assign((length >> shift) + 2, 0);
      for (const CurveKey boundary : boundaries)
        ++boundaries_before[((boundary.value - first) >> shift) + 1];
      for (std::size_t slot = 1; slot < boundaries_before.size(); ++slot)
        boundaries_before[slot] += boundaries_before[slot - 1];
    }
  };

  BoundarySlots slots_;
  exec::Reached<CurveKey> boundaries_;
  exec::Reached<std::int32_t> before_;
};

// Adds up costs by interval. Each index handles a short run of objects: neighbours in memory are
// often in one interval, and then the sum of their costs is added at once.
template <std::int64_t run>
struct AddUpPhases {
  PhasedSet all;
  PhaseUnits units;
  IntervalInSlots interval_of;
  std::int64_t* sums;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t last = all.count - index * run < run ? all.count : (index + 1) * run;
    for (std::int64_t begin = index * run; begin < last;) {
      const std::int64_t interval = interval_of(all.keys[begin].value);
      std::int64_t end = begin + 1;
      while (end < last && interval_of.holds(interval, all.keys[end].value)) ++end;
      for (int phase = 0; phase < all.phases; ++phase)
        if (all.costs[phase] != nullptr)
          Kokkos::atomic_add(&sums[interval * all.phases + phase], sum_of(phase, begin, end));
      begin = end;
    }
  }

  KOKKOS_FUNCTION std::int64_t sum_of(int phase, std::int64_t begin, std::int64_t end) const {
    const double* const costs = all.costs[phase];
    const Units of = units.of[phase];
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += of.of(costs[all.object_at(i)]);
    return sum;
  }
};

template <class Instance>
void add_up(const Instance& instance, const PhasedSet& all, const PhaseUnits& units,
            const IntervalInSlots& interval_of, std::int64_t* sums) {
  constexpr std::int64_t run = is_device<Instance> ? 8 : 4096;
  exec::for_each(instance, phased_objects_label, (all.count + run - 1) / run,
                 AddUpPhases<run>{all, units, interval_of, sums});
}

struct PhaseTotals {
  double of[most_phases];
  explicit PhaseTotals(std::span<const double> totals) : of() {
    std::copy(totals.begin(), totals.end(), of);
  }
  KOKKOS_FUNCTION double share(const PhasedSet& all, std::int64_t object) const {
    double sum = 0;
    for (int phase = 0; phase < all.phases; ++phase)
      if (of[phase] > 0 && all.costs[phase] != nullptr) sum += all.costs[phase][object] / of[phase];
    return sum;
  }
};

struct WriteShares {
  PhasedSet all;
  PhaseTotals totals;
  double* shares;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    shares[place] = totals.share(all, all.object_at(place));
  }
};

struct WriteSharesOfParts {
  PhasedSet all;
  PhaseTotals totals;
  IntervalInSlots part_of;
  const double* sum_of_part;
  double* shares;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const double sum = sum_of_part[part_of(all.keys[place].value)];
    const std::int64_t object = all.object_at(place);
    shares[object] = sum > 0 ? totals.share(all, object) / sum : 0;
  }
};

// --- Checks --------------------------------------------------------------------------------------

void check_sizes(const PhasedKeys& set, int phases) {
  const auto told = [](std::size_t number) { return std::to_string(number); };
  if (std::ssize(set.costs) != phases)
    refuse(
        "A set has costs of " + told(set.costs.size()) + " phases, but there are " +
            std::to_string(phases) + '.',
        "Give each set one list of costs per phase, and an empty list for a phase without work.");
  for (std::size_t phase = 0; phase < set.costs.size(); ++phase)
    if (!set.costs[phase].empty() && set.costs[phase].size() != set.keys.size())
      refuse(told(set.costs[phase].size()) + " costs of phase " + told(phase) + " came with " +
                 told(set.keys.size()) + " keys.",
             "Give one cost per key for each phase, or no costs.");
  if (!set.objects.empty() && set.objects.size() != set.keys.size())
    refuse(told(set.objects.size()) + " objects came with " + told(set.keys.size()) + " keys.",
           "Give one object per key, or no objects.");
}

double heaviest_in(const PhasedKeys& set, std::size_t phase) {
  const WeightedKeys weighted = {set.keys, set.costs[phase], set.memory};
  try {
    return census_of_weights(std::span(&weighted, 1)).heaviest;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    refuse("A cost of phase " + std::to_string(phase) + " is negative, NaN or infinite.",
           "Costs are finite and not negative.");
  }
}

}  // namespace

void combine_phases(PhaseCensus& into, const PhaseCensus& from) noexcept {
  into.objects += from.objects;
  for (std::size_t phase = 0; phase < into.heaviest.size(); ++phase)
    into.heaviest[phase] = std::max(into.heaviest[phase], from.heaviest[phase]);
}

PhaseCensus census_of_phases(std::span<const PhasedKeys> sets, int phases) {
  PhaseCensus found;
  std::vector<WeightedKeys> all;
  for (const PhasedKeys& set : sets) {
    check_sizes(set, phases);
    all.push_back({set.keys, {}, set.memory});
    found.objects += std::ssize(set.keys);
  }
  memory_of(all);
  for (const PhasedKeys& set : sets)
    for (std::size_t phase = 0; phase < set.costs.size(); ++phase)
      if (!set.costs[phase].empty())
        found.heaviest[phase] = std::max(found.heaviest[phase], heaviest_in(set, phase));
  return found;
}

PhaseUnits::PhaseUnits(const PhaseCensus& all, int count) : phases(count) {
  for (std::size_t phase = 0; phase < static_cast<std::size_t>(count); ++phase) {
    Census census;
    census.objects = all.objects;
    census.heaviest = all.heaviest[phase];
    of[phase] = Units(census);
  }
}

std::vector<std::int64_t> sums_between(std::span<const PhasedKeys> sets, const PhaseUnits& units,
                                       std::span<const CurveKey> boundaries) {
  std::vector<std::int64_t> sums((boundaries.size() + 1) * static_cast<std::size_t>(units.phases));
  for (const PhasedKeys& set : sets) {
    if (set.keys.empty()) continue;
    const Space space = Space::where(set.memory);
    const Intervals intervals(space, boundaries);
    const auto of_set =
        exec::filled<std::int64_t>(space, phased_objects_label, std::ssize(sums), 0);
    const PhasedSet all(set);
    const IntervalInSlots interval_of = intervals.interval_of();
    with_space(space, [&](const auto& instance) {
      add_up(instance, all, units, interval_of, of_set.data());
    });
    const std::vector<std::int64_t> found = of_set.on_host();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += found[i];
  }
  return sums;
}

exec::Array<double> shares_of_totals(const PhasedKeys& set, std::span<const double> totals) {
  const Space space = Space::where(set.memory);
  exec::Array<double> shares(space, phased_objects_label, std::ssize(set.keys));
  exec::for_each(space, phased_objects_label, shares.size(),
                 WriteShares{PhasedSet(set), PhaseTotals(totals), shares.data()});
  space.fence(phased_objects_label);
  return shares;
}

exec::Array<double> shares_of_parts(const PhasedKeys& set, std::span<const double> totals,
                                    std::span<const CurveKey> boundaries,
                                    std::span<const double> sum_of_part) {
  const Space space = Space::where(set.memory);
  exec::Array<double> shares(space, phased_objects_label, std::ssize(set.keys));
  const Intervals parts(space, boundaries);
  const exec::Reached<double> sums(space, phased_objects_label, sum_of_part);
  exec::for_each(space, phased_objects_label, shares.size(),
                 WriteSharesOfParts{PhasedSet(set), PhaseTotals(totals), parts.interval_of(),
                                    sums.data(), shares.data()});
  space.fence(phased_objects_label);
  return shares;
}

}  // namespace evenkeel
