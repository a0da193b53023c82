#include "partition/methods.hpp"
#include "partition/refusal.hpp"
#include "partition/work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/grid/cut.hpp>
#include <evenkeel/core/grid/rounds.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace evenkeel::tool {

namespace {

GridShape shape_of(const GridMethod& method, const Task& task) {
  const int dimensions = task.objects.dimensions;
  if (method.extents.empty()) {
    std::array<double, 3> sides = {};  // a quarter of each, so that they are finite
    for (std::size_t axis = 0; axis < 3; ++axis)
      sides[axis] = task.box.upper[axis] * 0.25 - task.box.lower[axis] * 0.25;
    return factored(task.options.parts, dimensions, sides);
  }
  GridShape shape{dimensions, {1, 1, 1}};
  std::ranges::copy(method.extents, shape.extents.begin());
  return shape;
}

GridDecomposition cut_from_objects(const GridMethod& method, const Task& task) {
  GridCutOptions cutting;
  cutting.box = task.box;
  cutting.target_lambda = task.options.target_lambda;
  cutting.shape = shape_of(method, task);
  cutting.scheme = method.scheme;
  const WeightedPoints points{task.set.position(), task.objects.weights};
  GridCut cut = cut_grid(task.communicator, Status(), std::span(&points, 1), cutting);
  return GridDecomposition(1, cutting.shape, task.box, {}, std::move(cut.borders));
}

// The last grid is evaluated as well, since only evaluated grids can be the best.
GridDecomposition cut_in_rounds(const GridMethod& method, const Task& task,
                                std::vector<LoadSummary>& tried) {
  GridRounds rounds(GridDecomposition::uniform(shape_of(method, task), task.box, method.scheme),
                    {});
  const WorkCounter counter(task.communicator, task.objects);
  std::vector<std::int32_t> parts;
  for (int round = 0; round <= *method.rounds; ++round) {
    const Status written = attempt(partition_stage, [&] {
      parts.resize(static_cast<std::size_t>(task.objects.count()));
      write_parts(task.space, rounds.current(), task.set, parts.data());
    });
    const std::vector<double> work = counter.of_parts(written, parts, task.options.parts);
    tried.push_back(summarise(work));
    rounds.next(work);
  }
  return rounds.best();
}

}  // namespace

Partition cut_by(const GridMethod& method, const Task& task) {
  Partition result;
  Stopwatch stage;
  result.domains =
      method.rounds ? cut_in_rounds(method, task, result.rounds) : cut_from_objects(method, task);
  result.seconds.cut = stage.seconds();
  return result;
}

}  // namespace evenkeel::tool
