// Domains that are ranges of a curve.

#include "place/method.hpp"
#include "place/task.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/cut.hpp>

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
      if (!by_object[s].empty())
        in_order = exec::chosen(prepared.space, label, by_object[s].data(), order.objects);
      sets.push_back({order.keys.span(), in_order.span(), order.keys.memory()});
    }
  }
};

}  // namespace

Found find_on_curve(const PlaceTask& task) {
  const Prepared& prepared = task.prepared;
  const Region& region = prepared.region;
  Keyed keyed;
  const Status joined = attempt(stage_name, [&] {
    if (!task.status.ok()) throw Error(*task.status.error());
    keyed = Keyed(prepared, task.weights);
  });
  CutOptions cutting;
  cutting.parts = task.communicator.size();
  cutting.dimensions = region.dimensions;
  cutting.target_lambda = task.target_lambda;
  cutting.most_objects = task.most_objects;
  const auto* last = std::get_if<Decomposition>(&task.last);
  const bool fits = last != nullptr && last->parts() == cutting.parts && last->box() == region.box;
  if (fits && !task.is_fresh && task.target_lambda > 0) cutting.kept = last->splitters();
  const Cut parts = cut(task.communicator, joined, keyed.sets, cutting);
  std::vector<int> ranks;
  if (!task.is_fresh) {
    if (parts.kept)
      ranks = last->rank_of_part();
    else
      ranks = keep_in_place(task.communicator, Status(), keyed.sets, parts.splitters);
  }
  Found found;
  found.is_kept = parts.kept;
  found.lambda = parts.lambda();
  found.domains =
      Decomposition(task.generation(), region.dimensions, region.box, prepared.options.periodic,
                    parts.splitters, {row_of(prepared.options.method).curve}, std::move(ranks));
  return found;
}

}  // namespace evenkeel
