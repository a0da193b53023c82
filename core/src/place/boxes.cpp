// Domains that are boxes: the cells of a grid, or the leaves of a tree.

#include "place/keeps.hpp"
#include "place/method.hpp"
#include "place/stage.hpp"

#include <evenkeel/core/boxes/cut.hpp>

namespace evenkeel {

namespace {

// Collective. The steps that are the same for grids and trees. `choose(cutting)` completes the
// options, `cut_boxes(ready, points, cutting)` cuts, and `make(cut, cutting, ranks)` makes domains
// from the cut.
template <class D, class Options, class Choose, class CutBoxes, class Make>
Found find_boxes(const PlaceTask& task, const Choose& choose, const CutBoxes& cut_boxes,
                 const Make& make) {
  const Prepared& prepared = task.prepared;
  Found found;
  Status status = task.status;
  if (keeps<D>(task, status, found)) return found;
  Options cutting;
  std::vector<WeightedPoints> points;
  std::vector<int> ranks;
  std::vector<double> speeds;  // of parts
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    for (std::size_t s = 0; s < prepared.sets.size(); ++s)
      points.push_back({prepared.set(s).position(), task.weights[s]});
    cutting.box = prepared.region.box;
    cutting.periodic = prepared.options.periodic;
    cutting.target_lambda = task.target_lambda();
    cutting.least_width = prepared.options.least_width;
    cutting.cell_size = prepared.options.cell_size;
    if (task.fresh == nullptr) ranks = prepared.options.rank_of_part;
    speeds = speeds_of_parts(task.speeds(), ranks);
    cutting.speeds = speeds;
    choose(cutting);
  });
  auto cut = cut_boxes(ready, points, cutting);
  found.lambda = lambda_of(cut.weights, speeds);
  found.status = attempt(stage_name, [&] { found.domains = make(cut, cutting, std::move(ranks)); });
  return found;
}

}  // namespace

Found find_grid(const PlaceTask& task) {
  const Region& region = task.prepared.region;
  const PlaceOptions& options = task.prepared.options;
  return find_boxes<GridDomains, GridCutOptions>(
      task,
      [&](GridCutOptions& cutting) {
        if (std::holds_alternative<Tensor>(options.method)) cutting.scheme = GridScheme::tensor;
        cutting.shape =
            shape_with(*extents_of(options.method), task.parts(), region.dimensions, region.box);
      },
      [&](const Status& ready, const auto& points, const GridCutOptions& cutting) {
        return cut_grid({task.communicator, ready}, points, cutting);
      },
      [&](GridCut& cut, const GridCutOptions& cutting, std::vector<int> ranks) {
        return GridDomains(task.generation(), cutting.shape, region.box, options.periodic,
                           std::move(cut.borders), std::move(ranks));
      });
}

Found find_by_bisection(const PlaceTask& task) {
  const Region& region = task.prepared.region;
  return find_boxes<TreeDomains, BisectionOptions>(
      task,
      [&](BisectionOptions& cutting) {
        cutting.parts = task.parts();
        cutting.dimensions = region.dimensions;
        cutting.divided_axes = std::get<RecursiveBisection>(task.prepared.options.method).axes;
        const auto* const last = std::get_if<TreeDomains>(&task.last);
        if (last != nullptr && last->box() == region.box) cutting.earlier = last;
      },
      [&](const Status& ready, const auto& points, const BisectionOptions& cutting) {
        return bisect({task.communicator, ready}, points, cutting);
      },
      [&](BisectionCut& cut, const BisectionOptions&, std::vector<int> ranks) {
        return TreeDomains(task.generation(), region.dimensions, region.box,
                           task.prepared.options.periodic, std::move(cut.nodes), std::move(ranks));
      });
}

}  // namespace evenkeel
