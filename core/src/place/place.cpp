#include "by_number.hpp"
#include "cut/shift_targets.hpp"
#include "place/boxes.hpp"
#include "place/loads.hpp"
#include "place/method.hpp"
#include "place/places.hpp"
#include "place/task.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/place";
constexpr const char* label = "evenkeel::place::assignment";

bool is_along_curve(const Domains& domains) {
  return std::holds_alternative<CurveDomains>(domains);
}

// --- Sets, made ready ----------------------------------------------------------------------------

using MakeOrder = Order (*)(const Space& space, const Lattice& lattice, const Set& set);

Order only_keys(const Space& space, const Lattice& lattice, const Set& set) {
  Order order;
  order.keys = exec::Array<CurveKey>(space, "evenkeel::place::keys", set.count());
  write_keys(space, lattice, set, order.keys.data());
  space.fence("evenkeel::place::keys");
  return order;
}

Order no_order(const Space&, const Lattice&, const Set&) { return {}; }

Prepared prepared_with(MakeOrder make, const Status& status, std::span<const Set> sets,
                       const Region& region, const PlaceOptions& options) {
  Prepared prepared{space_for(sets), sets, region, options, {}, {}, {}, {}, {}};
  const Space& space = prepared.space;
  prepared.status = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    prepared.lattice = Lattice(region.dimensions, region.box, options.periodic,
                               row_of(options.method).curve, options.levels);
    for (const Set& set : sets) prepared.places.push_back(reachable_places(space, set));
    for (std::size_t s = 0; s < sets.size(); ++s)
      prepared.orders.push_back(make(space, prepared.lattice, prepared.set(s)));
  });
  return prepared;
}

// --- From domains to an assignment ---------------------------------------------------------------

// The part of the object at each place in an order.
struct PartsInOrder {
  const int* parts;
  const std::int64_t* objects;
  std::uint32_t* in_order;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    in_order[k] = static_cast<std::uint32_t>(parts[objects[k]]);
  }
};

// Sorts objects by box, and within a box along the curve: neighbours in memory are then neighbours
// in space.
void arrange_in_boxes(const Prepared& prepared, std::vector<exec::Array<int>> parts,
                      Assignment& into) {
  const Space& space = prepared.space;
  for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
    const Order& order = prepared.orders[s];
    const exec::Array<std::uint32_t> numbers(space, label, order.objects.size());
    exec::for_each(space, label, numbers.size(),
                   PartsInOrder{parts[s].data(), order.objects.data(), numbers.data()});
    ByNumber sorted = by_number(space, numbers, parts_of(into.domains));
    parts[s] = {};
    into.orders.push_back(chosen(space, order, sorted.places));
    into.offsets.push_back(std::move(sorted.offsets));
  }
}

void arrange(const Prepared& prepared, Found found, Assignment& into) {
  if (is_along_curve(into.domains)) {
    const Splitters& splitters = std::get<CurveDomains>(into.domains).splitters();
    for (const Order& order : prepared.orders) into.offsets.push_back(offsets_of(order, splitters));
    return;
  }
  if (found.parts.empty()) found.parts = parts_in(prepared, into.domains);
  arrange_in_boxes(prepared, std::move(found.parts), into);
}

// --- Weights that differ less --------------------------------------------------------------------

struct Blend {
  const double* weights;  // null: all 1
  double mean, by_count;
  double* blended;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double weight = weights == nullptr ? 1 : weights[i];
    blended[i] = weight + by_count * (mean - weight);
  }
};

double weight_in(const Prepared& prepared, Weights weights, std::size_t set) {
  return weights[set].empty() ? static_cast<double>(prepared.orders[set].objects.size())
                              : sum_of(prepared.space, weights[set]);
}

// Collective. A failure is returned, to be reported in the next vote.
Status blend(const Communicator& communicator, const Prepared& prepared, Weights weights,
             double by_count, std::vector<exec::Array<double>>& into) {
  double sums[2] = {};  // weight, objects
  Status status = attempt(stage_name, [&] {
    for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
      sums[0] += weight_in(prepared, weights, s);
      sums[1] += static_cast<double>(prepared.orders[s].objects.size());
    }
  });
  communicator.all_reduce(std::span<double>(sums), Reduction::sum);
  const double mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
  if (!status.ok()) return status;
  return attempt(stage_name, [&] {
    for (std::size_t s = 0; s < weights.size(); ++s) {
      exec::Array<double>& blended =
          into.emplace_back(prepared.space, label, prepared.orders[s].objects.size());
      const double* const given = weights[s].empty() ? nullptr : weights[s].data();
      exec::for_each(prepared.space, label, blended.size(),
                     Blend{given, mean, by_count, blended.data()});
    }
    prepared.space.fence(label);
  });
}

// --- Weights that add up to what was measured ----------------------------------------------------

// A share first: weights may be so small that the load over their sum is more than a number can
// hold.
struct Scale {
  const double* weights;  // null: all 1
  double sum, load;
  double* scaled;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    scaled[i] = load * ((weights == nullptr ? 1 : weights[i]) / sum);
  }
};

void require_measured(const ShiftBy& shift) {
  require_penalty(shift.penalty);
  if (std::isfinite(shift.load) && shift.load >= 0) return;
  throw Error(ErrorKind::bad_input, Where{stage_name},
              "The load of this rank, by which domains are to be shifted, is " +
                  std::to_string(shift.load) + '.',
              "Give the seconds that were measured: finite, and not negative.");
}

// Local. The weights of this rank's objects, which then add up to its load. Where all of them are
// 0, its objects share the load evenly.
void scale_to(const Prepared& prepared, Weights weights, double load,
              std::vector<exec::Array<double>>& into) {
  double sum = 0, objects = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    sum += weight_in(prepared, weights, s);
    objects += static_cast<double>(prepared.orders[s].objects.size());
  }
  for (std::size_t s = 0; s < weights.size(); ++s) {
    exec::Array<double>& scaled =
        into.emplace_back(prepared.space, label, prepared.orders[s].objects.size());
    const bool alike = weights[s].empty() || !(sum > 0);
    exec::for_each(
        prepared.space, label, scaled.size(),
        Scale{alike ? nullptr : weights[s].data(), sum > 0 ? sum : objects, load, scaled.data()});
  }
  prepared.space.fence(label);
}

// Collective. Whether the last domains can be shifted; then the weights for it. A failure is left
// in `status`, for the next vote.
bool weigh_for_shift(const Communicator& communicator, const Prepared& prepared, Weights weights,
                     const ShiftBy& shift, const Domains& last, Status& status,
                     std::vector<exec::Array<double>>& into) {
  if (!are_on_curve(prepared, communicator.size(), last)) return false;
  const Status valid = attempt(stage_name, [&] { require_measured(shift); });
  if (status.ok()) status = valid;
  const double measured =
      communicator.all_reduce(valid.ok() ? shift.load : 0.0, Reduction::greatest);
  if (!(measured > 0)) return false;
  if (!status.ok()) return true;
  status = attempt(stage_name, [&] { scale_to(prepared, weights, shift.load, into); });
  return true;
}

// --- When a rank would be left with too few objects ----------------------------------------------

// The parts of a graph are as even as its tolerance, which has to be tightened, part by part.
std::vector<Goal> ever_stricter_by_graph(double target, PhaseCosts phases) {
  std::vector<Goal> all;
  all.push_back({target, 0, std::nullopt, phases});
  for (const double tightened : {0.5, 0.25, 0.0})
    all.push_back({0, 0, std::nullopt, phases, tightened});
  return all;
}

std::vector<Goal> ever_stricter(const Method& method, double target,
                                const std::optional<ShiftBy>& shift, PhaseCosts phases) {
  std::vector<Goal> all;
  if (places_by_graph(method)) {
    all = ever_stricter_by_graph(target, phases);
    for (const double by_count : {0.25, 0.5, 0.75, 1.0}) all.push_back({0, by_count});
    return all;
  }
  if (shift) all.push_back({target, 0, shift});
  all.push_back({target, 0});
  if (target > 1) {
    all.push_back({1 + (target - 1) / 2, 0});
    all.push_back({1 + (target - 1) / 4, 0});
  }
  if (target > 0) all.push_back({0, 0});
  for (const double by_count : {0.25, 0.5, 0.75, 1.0}) all.push_back({0, by_count});
  return all;
}

Error too_few(std::int64_t needed, std::int64_t objects, int ranks, const Assignment* last) {
  const std::string each = std::to_string(needed);
  if (last == nullptr)
    return Error(ErrorKind::bad_input, Where{stage_name},
                 "There are " + std::to_string(objects) + " objects for " + std::to_string(ranks) +
                     " ranks, and least_objects is " + each + '.',
                 "Use fewer ranks, or ask for fewer objects on each.");
  return Error(ErrorKind::bad_input, Where{stage_name},
               "Rank " + std::to_string(last->emptiest_rank) + " would be left with " +
                   std::to_string(last->fewest_objects) +
                   " objects however evenly they are cut, and least_objects is " + each + '.',
               "Objects at one place cannot be parted: use fewer ranks, or another method.");
}

}  // namespace

Space space_for(std::span<const Set> sets) {
  const bool on_host = std::all_of(sets.begin(), sets.end(), [](const Set& set) {
    return set.position().memory == MemoryKind::host;
  });
  return Space::where(on_host ? MemoryKind::host : MemoryKind::shared);
}

PreparedToCut prepare_to_cut(const Status& status, std::span<const Set> sets, const Region& region,
                             const PlaceOptions& options) {
  const exec::Region shown("evenkeel::prepare");
  const bool has_keys = places_along_curve(options.method);
  return {prepared_with(has_keys ? &only_keys : &no_order, status, sets, region, options)};
}

Prepared prepare(const Communicator& communicator, const Status& status, std::span<const Set> sets,
                 const Region& region, const PlaceOptions& options) {
  const exec::Region shown("evenkeel::prepare");
  Prepared prepared = prepared_with(&order, status, sets, region, options);
  const Space& space = prepared.space;
  if (!region.is_bound) return prepared;
  prepared.bonds = hold_together(communicator, prepared.status, sets, prepared.orders);
  prepared.status = attempt(stage_name, [&] {
    for (std::size_t s = 0; s < sets.size(); ++s) {
      PlacesOfSet by_group =
          places_by_group(space, prepared.set(s), sets[s], prepared.orders[s], prepared.lattice);
      if (by_group.as_set) prepared.places[s] = std::move(by_group);
    }
  });
  return prepared;
}

Assignment place(const Communicator& communicator, const Status& status, const Prepared& prepared,
                 Weights weights, const Goal& goal, const Domains& last, bool counts_objects) {
  const exec::Region shown("evenkeel::place");
  std::vector<exec::Array<double>> blended, scaled;
  Status ready = status.ok() ? prepared.status : status;
  const bool is_blended = goal.by_count > 0;
  std::vector<std::span<const double>> used;
  const Status copied = attempt(stage_name, [&] { used.assign(weights.begin(), weights.end()); });
  if (ready.ok()) ready = copied;
  if (is_blended) {
    const Status mixed = blend(communicator, prepared, weights, goal.by_count, blended);
    if (ready.ok()) ready = mixed;
    for (std::size_t s = 0; s < used.size() && ready.ok(); ++s) used[s] = blended[s].span();
  }
  const bool shifts =
      goal.shift && weigh_for_shift(communicator, prepared, used, *goal.shift, last, ready, scaled);
  if (shifts && ready.ok()) {
    for (std::size_t s = 0; s < used.size(); ++s) used[s] = scaled[s].span();
    weights = used;
  }
  PlaceTask task{communicator, ready, prepared, used, goal.target_lambda, last};
  if (shifts) task.shift_penalty = goal.shift->penalty;
  task.tightened = goal.tightened;
  task.phases = goal.phases;
  Found found = row_of(prepared.options.method).find(task);
  Assignment assignment;
  assignment.domains = std::move(found.domains);
  assignment.is_changed = !is_same_division(assignment.domains, last);
  assignment.is_shifted = shifts && !found.is_kept;
  const bool is_told = !is_blended && !prepared.region.is_bound && found.lambda >= 0;
  assignment.lambda = found.lambda;
  assignment.status = found.status;
  if (found.status.ok())
    assignment.status =
        attempt(stage_name, [&] { arrange(prepared, std::move(found), assignment); });
  if (is_told && !counts_objects) return assignment;
  const Loads loads =
      loads_by_assignment(communicator, assignment.status, prepared, weights, assignment);
  assignment.status = Status();
  if (!is_told) assignment.lambda = loads.lambda();
  const auto fewest = std::min_element(loads.objects.begin(), loads.objects.end());
  assignment.fewest_objects = *fewest;
  assignment.emptiest_rank = static_cast<int>(fewest - loads.objects.begin());
  return assignment;
}

Allowed place_allowed(const Communicator& communicator, const Status& status,
                      const Prepared& prepared, Weights weights, double target_lambda,
                      std::int64_t least_objects, const Domains& last,
                      const std::optional<ShiftBy>& shift, PhaseCosts phases) {
  Allowed found;
  if (least_objects <= 0) {
    found.assignment = place(communicator, status, prepared, weights,
                             {target_lambda, 0, shift, phases}, last, false);
    return found;
  }
  std::int64_t objects = 0;
  for (const Order& order : prepared.orders) objects += order.objects.size();
  objects = communicator.all_reduce(objects, Reduction::sum);
  std::vector<Goal> stricter;
  const Status listed = attempt(stage_name, [&] {
    stricter = ever_stricter(prepared.options.method, target_lambda, shift, phases);
  });
  vote(communicator, listed);
  if (objects < least_objects * communicator.size()) {
    vote(communicator, status.ok() ? prepared.status : status);
    throw too_few(least_objects, objects, communicator.size(), nullptr);
  }
  for (const Goal& goal : stricter) {
    found.assignment = place(communicator, status, prepared, weights, goal, last, true);
    if (found.assignment.fewest_objects >= least_objects) return found;
    ++found.refused;
  }
  throw too_few(least_objects, objects, communicator.size(), &found.assignment);
}

FreshCut cut_anew(const Communicator& communicator, const Status& status,
                  const PreparedToCut& prepared, Weights weights, const FreshGoal& goal,
                  const Domains& last) {
  const exec::Region shown("evenkeel::place");
  const Prepared& sets = prepared.sets;
  const Status& ready = status.ok() ? sets.status : status;
  const PlaceTask task{communicator, ready, sets, weights, goal.target_lambda, last, &goal};
  Found found = row_of(sets.options.method).find(task);
  vote(communicator, found.status);
  return {std::move(found.domains), found.lambda, found.heaviest};
}

Plan plan(const Communicator& communicator, Prepared prepared, Assignment assignment) {
  std::vector<Arranged> arranged;
  const Status status = attempt(stage_name, [&] {
    if (!assignment.status.ok()) throw Error(*assignment.status.error());
    auto& orders = assignment.orders.empty() ? prepared.orders : assignment.orders;
    for (std::size_t s = 0; s < orders.size(); ++s)
      arranged.push_back({std::move(orders[s]), std::move(assignment.offsets[s])});
  });
  return plan_arranged(communicator, status, std::move(arranged),
                       {.rank_of_part = rank_of_part(assignment.domains),
                        .held = prepared.bonds.held,
                        .sets = prepared.sets});
}

}  // namespace evenkeel
