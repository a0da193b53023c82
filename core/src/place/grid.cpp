// Domains that are the cells of a grid.

#include "place/boxes.hpp"

#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/place";

Boxes cut_it(const PlaceTask& task, const Status& status) {
  const Region& region = task.prepared.region;
  GridCutOptions cutting;
  std::vector<WeightedPoints> points;
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    points = points_of(task);
    static_cast<BoxCutOptions&>(cutting) = box_options_of(task);
    cutting.cell_size = task.prepared.options.cell_size;
    const Method& method = task.prepared.options.method;
    const auto* tensor = std::get_if<Tensor>(&method);
    if (tensor != nullptr) cutting.scheme = GridScheme::tensor;
    cutting.shape = shape_with(*extents_of(method), task.parts(), region.dimensions, region.box);
  });
  GridCut cut = cut_grid(task.communicator, ready, points, cutting);
  Boxes boxes{{}, lambda_of(cut.weights)};
  boxes.status = attempt(stage_name, [&] {
    boxes.domains =
        GridDomains(task.generation(), cutting.shape, region.box, task.prepared.options.periodic,
                    std::move(cut.borders), ranks_of_parts(task));
  });
  return boxes;
}

}  // namespace

Found find_grid(const PlaceTask& task) {
  return keep_or(task, [&](const Status& status) { return cut_it(task, status); });
}

}  // namespace evenkeel
