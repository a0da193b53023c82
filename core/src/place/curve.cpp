// Finds domains that are ranges of a curve.

#include "cut/keep_in_place.hpp"
#include "cut/shift_targets.hpp"
#include "place/keyed.hpp"
#include "place/method.hpp"
#include "place/stage.hpp"
#include "weights/blend.hpp"

#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* curve_label = "evenkeel::place::weights";

// The weight of the heaviest object in units of the average part. If all weights are 0, the cut
// counts objects, so an object weighs 1.
double heaviest_of(const Cut& cut) {
  const double sum = std::accumulate(cut.weights.begin(), cut.weights.end(), 0.0);
  const double heaviest = cut.heaviest_object > 0 ? cut.heaviest_object : 1;
  return sum > 0 ? heaviest / sum * static_cast<double>(cut.weights.size()) : 0;
}

// Reads only a few keys, because the orders are sorted.
std::vector<int> keep_in_place_of(const PlaceTask& task, const Splitters& splitters,
                                  const PlannedOwners& planned) {
  std::vector<std::int64_t> objects;
  const Status counted = attempt(stage_name, [&] {
    objects.resize(splitters.size() - 1);
    for (const Order& order : task.prepared.orders) {
      const std::vector<std::int64_t> offsets = offsets_of(order, splitters);
      for (std::size_t part = 0; part < objects.size(); ++part)
        objects[part] += offsets[part + 1] - offsets[part];
    }
  });
  return keep_in_place({task.communicator, counted}, objects, planned);
}

CurveOptions curve_of(const Prepared& prepared) {
  return {row_of(prepared.options.method).curve, prepared.options.levels};
}

// --- A shift -------------------------------------------------------------------------------------

void require_measured(const ShiftBy& shift) {
  require_penalty(shift.penalty);
  if (std::isfinite(shift.load) && shift.load >= 0) return;
  refuse("The load of this rank, by which domains are to be shifted, is " +
             std::to_string(shift.load) + '.',
         "Give the seconds that were measured: finite, and not negative.");
}

// Local. Scales the weights of this rank's objects so that their sum is `load`. If all weights are
// 0, the objects share the load evenly.
void scale_to(const Prepared& prepared, Weights weights, double load, OwnWeights& into) {
  const auto objects = [&](std::size_t set) { return prepared.orders[set].objects.size(); };
  double sum = 0, all = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    sum += sum_over(prepared.space, weights[s], objects(s));
    all += static_cast<double>(objects(s));
  }
  const std::span<const double> alike;
  for (std::size_t s = 0; s < weights.size(); ++s)
    into.add(sum > 0 ? scaled(prepared.space, weights[s], objects(s), sum, load)
                     : scaled(prepared.space, alike, objects(s), all, load));
  prepared.space.fence(curve_label);
}

// Collective. Call it on all ranks if the last domains can be shifted. Returns true if they are
// shifted, and then makes the weights for the shift. A failure is in `status`, for the next vote.
bool weigh_for_shift(const PlaceTask& task, const ShiftBy& shift, Status& status,
                     OwnWeights& into) {
  const Status valid = attempt(stage_name, [&] { require_measured(shift); });
  if (status.ok()) status = valid;
  const double measured =
      task.communicator.all_reduce(valid.ok() ? shift.load : 0.0, Reduction::greatest);
  if (!(measured > 0)) return false;
  if (!status.ok()) return true;
  status = attempt(stage_name, [&] { scale_to(task.prepared, task.weights, shift.load, into); });
  return true;
}

const ShiftBy* shift_in(const Goal& goal) {
  const auto* const its = std::get_if<CurveGoal>(&goal);
  return its != nullptr && its->shift ? &*its->shift : nullptr;
}

}  // namespace

const CurveDomains* ranges_to_keep(const Prepared& prepared, int parts, const Domains& last) {
  const auto* const ranges = std::get_if<CurveDomains>(&last);
  const bool fit = places_along_curve(prepared.options.method) && ranges != nullptr &&
                   ranges->parts() == parts && ranges->box() == prepared.region.box &&
                   ranges->curve() == curve_of(prepared);
  return fit ? ranges : nullptr;
}

Found find_on_curve(const PlaceTask& task) {
  const Prepared& prepared = task.prepared;
  const Region& region = prepared.region;
  const bool is_fresh = task.fresh != nullptr;
  const CurveDomains* const last =
      is_fresh ? nullptr : ranges_to_keep(prepared, task.parts(), task.last);
  Found found;
  Status ready = task.status;
  const ShiftBy* const shift = last != nullptr ? shift_in(task.goal) : nullptr;
  found.is_shifted = shift != nullptr && weigh_for_shift(task, *shift, ready, found.weights);
  CutOptions cutting;
  cutting.parts = task.parts();
  cutting.dimensions = region.dimensions;
  cutting.target_lambda = task.target_lambda();
  if (found.is_shifted) cutting.shift_penalty = shift->penalty;
  if (is_fresh) {
    cutting.most_objects = task.fresh->objects;
    cutting.aim = task.fresh->aim;
  }
  const std::span<const double> speeds = task.speeds();
  const bool is_named = !prepared.options.rank_of_part.empty();
  std::vector<int> ranks;       // of parts; empty if part p is rank p
  std::vector<double> by_part;  // speeds
  Keyed keyed;
  const Status joined = attempt(stage_name, [&] {
    if (!ready.ok()) throw Error(*ready.error());
    keyed = Keyed(prepared, found.weights.empty() ? task.weights : found.weights.of_sets());
    if (last != nullptr && (task.target_lambda() > 0 || found.is_shifted))
      cutting.kept = last->splitters();
    if (!is_fresh && is_named)
      ranks = prepared.options.rank_of_part;
    else if (!speeds.empty() && last != nullptr)
      ranks = last->rank_of_part();
    by_part = speeds_of_parts(speeds, ranks);
    cutting.speeds = by_part;
  });
  Cut parts = cut({task.communicator, joined}, keyed.sets, cutting);
  std::vector<int> nearer;  // ranks of parts that keep more objects in place
  if (!is_fresh && !parts.kept && !found.is_shifted && !is_named)
    nearer = keep_in_place_of(task, parts.splitters, {speeds, ranks});
  // true if part p stays with its last rank
  const bool keeps_ranks = parts.kept || found.is_shifted;
  found.is_kept = parts.kept;
  found.is_shifted = found.is_shifted && !parts.kept;
  found.lambda = parts.lambda();
  found.heaviest = heaviest_of(parts);
  found.status = attempt(stage_name, [&] {
    if (keeps_ranks && !is_named) ranks = last->rank_of_part();
    if (!nearer.empty()) ranks = std::move(nearer);
    if (!is_fresh)
      for (const Order& order : prepared.orders)
        found.offsets.push_back(offsets_of(order, parts.splitters));
    found.domains =
        CurveDomains(task.generation(), region.dimensions, region.box, prepared.options.periodic,
                     std::move(parts.splitters), curve_of(prepared), std::move(ranks));
  });
  return found;
}

}  // namespace evenkeel
