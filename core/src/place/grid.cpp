// Domains that are the cells of a grid.

#include "place/boxes.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/place";

GridShape shape_of(const std::array<int, 3>& grid, const Region& region, int ranks) {
  std::array<double, 3> sides = {};  // a quarter of each, so that they are finite
  for (std::size_t axis = 0; axis < 3; ++axis)
    sides[axis] = region.box.upper[axis] * 0.25 - region.box.lower[axis] * 0.25;
  if (grid == std::array<int, 3>{}) return factored(ranks, region.dimensions, sides);
  GridShape shape{region.dimensions, {1, 1, 1}};
  for (std::size_t axis = 0; axis < 3; ++axis) shape.extents[axis] = std::max(1, grid[axis]);
  check(shape);
  if (shape.parts() != ranks)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "A grid of " + std::to_string(shape.parts()) + " domains was asked for, on " +
                    std::to_string(ranks) + " ranks.",
                "Ask for as many domains as ranks, or leave the grid out.");
  return shape;
}

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
    cutting.shape = shape_of(tensor != nullptr ? tensor->grid : std::get<Staggered>(method).grid,
                             region, task.parts());
  });
  GridCut cut = cut_grid(task.communicator, ready, points, cutting);
  return {GridDomains(task.generation(), cutting.shape, region.box, task.prepared.options.periodic,
                      std::move(cut.borders)),
          lambda_of(cut.weights)};
}

}  // namespace

Found find_grid(const PlaceTask& task) {
  return keep_or(task, [&](const Status& status) { return cut_it(task, status); });
}

}  // namespace evenkeel
