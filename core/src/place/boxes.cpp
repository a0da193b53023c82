#include "place/boxes.hpp"

#include "place/loads.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/place";
constexpr const char* label = "evenkeel::place::parts";

bool may_be_kept(const PlaceTask& task) {
  return task.fresh == nullptr && task.target_lambda > 0 &&
         !std::holds_alternative<CurveDomains>(task.last) &&
         parts_of(task.last) == task.communicator.size() &&
         box_of(task.last) == task.prepared.region.box;
}

}  // namespace

std::vector<exec::Array<int>> parts_in(const Prepared& prepared, const Domains& domains) {
  std::vector<exec::Array<int>> all;
  for (std::size_t s = 0; s < prepared.sets.size(); ++s) {
    const Set& set = prepared.set(s);
    const exec::Array<int>& parts = all.emplace_back(prepared.space, label, set.count());
    if (const auto* grid = std::get_if<GridDomains>(&domains))
      write_parts(prepared.space, *grid, set, parts.data());
    else
      write_parts(prepared.space, std::get<TreeDomains>(domains), set, parts.data());
  }
  return all;
}

std::vector<WeightedPoints> points_of(const PlaceTask& task) {
  std::vector<WeightedPoints> points;
  for (std::size_t s = 0; s < task.prepared.sets.size(); ++s)
    points.push_back({task.prepared.set(s).position(), task.weights[s]});
  return points;
}

std::vector<int> ranks_of_parts(const PlaceTask& task) {
  return task.fresh == nullptr ? task.prepared.options.rank_of_part : std::vector<int>();
}

BoxCutOptions box_options_of(const PlaceTask& task) {
  BoxCutOptions options;
  options.box = task.prepared.region.box;
  options.periodic = task.prepared.options.periodic;
  options.target_lambda = task.target_lambda;
  options.least_width = task.prepared.options.least_width;
  return options;
}

Found keep_or(const PlaceTask& task, const std::function<Boxes(const Status&)>& cut) {
  Found found;
  Status status = task.status;
  if (may_be_kept(task)) {
    status = attempt(stage_name, [&] {
      if (!task.status.ok()) throw Error(*task.status.error());
      found.parts = parts_in(task.prepared, task.last);
    });
    const Loads loads =
        loads_by_object(task.communicator, status, task.prepared, task.weights, found.parts);
    status = Status();
    found.lambda = loads.lambda();
    if (found.lambda <= task.target_lambda) {
      found.status =
          attempt(stage_name, [&] { found.domains = renumbered(task.last, task.generation()); });
      found.is_kept = true;
      return found;
    }
    found = Found();
  }
  Boxes boxes = cut(status);
  found.domains = std::move(boxes.domains);
  found.lambda = boxes.lambda;
  found.status = std::move(boxes.status);
  return found;
}

}  // namespace evenkeel
