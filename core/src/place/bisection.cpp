// Domains that are the leaves of a tree of boxes.

#include "place/boxes.hpp"

#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/place";

Boxes cut_it(const PlaceTask& task, const Status& status) {
  const Region& region = task.prepared.region;
  BisectionOptions cutting;
  std::vector<WeightedPoints> points;
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    points = points_of(task);
    static_cast<BoxCutOptions&>(cutting) = box_options_of(task);
    cutting.parts = task.parts();
    cutting.dimensions = region.dimensions;
    const auto* last = std::get_if<TreeDomains>(&task.last);
    if (last != nullptr && last->box() == region.box) cutting.earlier = last;
  });
  BisectionCut cut = bisect(task.communicator, ready, points, cutting);
  Boxes boxes{{}, lambda_of(cut.weights)};
  boxes.status = attempt(stage_name, [&] {
    boxes.domains =
        TreeDomains(task.generation(), region.dimensions, region.box,
                    task.prepared.options.periodic, std::move(cut.nodes), ranks_of_parts(task));
  });
  return boxes;
}

}  // namespace

Found find_by_bisection(const PlaceTask& task) {
  return keep_or(task, [&](const Status& status) { return cut_it(task, status); });
}

}  // namespace evenkeel
