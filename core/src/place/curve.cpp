// Domains that are ranges of a curve.

#include "cut/keep_in_place.hpp"
#include "place/method.hpp"
#include "place/task.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/cut.hpp>

#include <numeric>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/place";
constexpr const char* label = "evenkeel::place::weights";

// The keys of all sets with the weights of their objects, in the same order.
struct Keyed {
  std::vector<exec::Array<double>> weights;
  std::vector<WeightedKeys> sets;

  Keyed() = default;
  Keyed(const Prepared& prepared, Weights by_object) {
    for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
      const Order& order = prepared.orders[s];
      exec::Array<double>& in_order = weights.emplace_back();
      const bool is_sorted = !order.objects.empty();
      if (!by_object[s].empty() && is_sorted)
        in_order = exec::chosen(prepared.space, label, by_object[s].data(), order.objects);
      sets.push_back(
          {order.keys.span(), is_sorted ? in_order.span() : by_object[s], order.keys.memory()});
    }
  }
};

// If all weights are 0, a cut counts objects.
double heaviest_of(const Cut& cut) {
  const double sum = std::accumulate(cut.weights.begin(), cut.weights.end(), 0.0);
  const double heaviest = cut.heaviest_object > 0 ? cut.heaviest_object : 1;
  return sum > 0 ? heaviest / sum * static_cast<double>(cut.weights.size()) : 0;
}

// The orders are sorted, so that few keys need be looked at.
std::vector<int> keep_in_place_of(const PlaceTask& task, const Splitters& splitters) {
  std::vector<std::int64_t> objects;
  const Status counted = attempt(stage_name, [&] {
    objects.resize(splitters.size() - 1);
    for (const Order& order : task.prepared.orders) {
      const std::vector<std::int64_t> offsets = offsets_of(order, splitters);
      for (std::size_t part = 0; part < objects.size(); ++part)
        objects[part] += offsets[part + 1] - offsets[part];
    }
  });
  return keep_in_place(task.communicator, counted, objects);
}

CurveOptions curve_of(const Prepared& prepared) {
  return {row_of(prepared.options.method).curve, prepared.options.levels};
}

}  // namespace

bool are_on_curve(const Prepared& prepared, int parts, const Domains& last) {
  const auto* ranges = std::get_if<CurveDomains>(&last);
  return places_along_curve(prepared.options.method) && ranges != nullptr &&
         ranges->parts() == parts && ranges->box() == prepared.region.box &&
         ranges->curve() == curve_of(prepared);
}

Found find_on_curve(const PlaceTask& task) {
  const Prepared& prepared = task.prepared;
  const Region& region = prepared.region;
  Keyed keyed;
  CutOptions cutting;
  cutting.parts = task.parts();
  cutting.dimensions = region.dimensions;
  cutting.target_lambda = task.target_lambda;
  if (task.fresh != nullptr) {
    cutting.most_objects = task.fresh->objects;
    cutting.aim = task.fresh->aim;
  }
  const auto* last = std::get_if<CurveDomains>(&task.last);
  const bool may_be_kept = are_on_curve(prepared, cutting.parts, task.last) &&
                           task.fresh == nullptr &&
                           (task.target_lambda > 0 || task.shift_penalty > 0);
  cutting.shift_penalty = task.shift_penalty;
  const Status joined = attempt(stage_name, [&] {
    if (!task.status.ok()) throw Error(*task.status.error());
    keyed = Keyed(prepared, task.weights);
    if (may_be_kept) cutting.kept = last->splitters();
  });
  const bool stays_in_order = task.shift_penalty > 0;  // a part stays with the rank that has it
  Cut parts = cut(task.communicator, joined, keyed.sets, cutting);
  std::vector<int> ranks;
  const bool is_named = !prepared.options.rank_of_part.empty();
  if (task.fresh == nullptr && !parts.kept && !stays_in_order && !is_named)
    ranks = keep_in_place_of(task, parts.splitters);
  Found found;
  found.is_kept = parts.kept;
  found.lambda = parts.lambda();
  found.heaviest = heaviest_of(parts);
  found.status = attempt(stage_name, [&] {
    if (task.fresh == nullptr && is_named)
      ranks = prepared.options.rank_of_part;
    else if (parts.kept || stays_in_order)
      ranks = last->rank_of_part();
    found.domains =
        CurveDomains(task.generation(), region.dimensions, region.box, prepared.options.periodic,
                     std::move(parts.splitters), curve_of(prepared), std::move(ranks));
  });
  return found;
}

}  // namespace evenkeel
