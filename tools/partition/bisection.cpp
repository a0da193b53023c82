#include "partition/methods.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/grid/cut.hpp>

#include <span>
#include <utility>

namespace evenkeel::tool {

Partition cut_by(const BisectionMethod&, const Task& task) {
  Partition result;
  Stopwatch stage;
  BisectionOptions cutting;
  cutting.box = task.box;
  cutting.target_lambda = task.options.target_lambda;
  cutting.parts = task.options.parts;
  cutting.dimensions = task.objects.dimensions;
  const WeightedPoints points{task.set.position(), task.objects.weights};
  BisectionCut cut = bisect(task.communicator, Status(), std::span(&points, 1), cutting);
  result.domains = BoxTree(1, cutting.dimensions, task.box, {}, std::move(cut.nodes));
  result.seconds.cut = stage.seconds();
  return result;
}

}  // namespace evenkeel::tool
