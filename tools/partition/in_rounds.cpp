#include "partition/cutting.hpp"
#include "partition/refusal.hpp"
#include "partition/work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/boxes/rounds.hpp>

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

namespace evenkeel::tool {

namespace {

GridShape shape_of(const Task& task) {
  const int dimensions = task.objects.dimensions;
  const std::array<int, 3>& extents = *grid_of(task.options.method);
  if (extents != std::array<int, 3>{}) return {dimensions, extents};
  std::array<double, 3> sides = {};  // a quarter of each, so that they are finite
  for (std::size_t axis = 0; axis < 3; ++axis)
    sides[axis] = task.box.upper[axis] * 0.25 - task.box.lower[axis] * 0.25;
  return factored(task.options.parts, dimensions, sides);
}

// The last grid is evaluated as well, since only evaluated grids can be the best.
GridDomains best_of_rounds(const Task& task, std::vector<LoadSummary>& tried) {
  const bool is_tensor = std::holds_alternative<Tensor>(task.options.method);
  const GridScheme scheme = is_tensor ? GridScheme::tensor : GridScheme::staggered;
  GridRounds rounds(GridDomains::uniform(shape_of(task), task.box, scheme), {});
  const WorkCounter counter(task.communicator, task.objects);
  std::vector<std::int32_t> parts;
  for (int round = 0; round <= *task.options.rounds; ++round) {
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

Partition cut_in_rounds(const Task& task) {
  Partition result;
  Stopwatch stage;
  result.domains = best_of_rounds(task, result.rounds);
  result.seconds.cut = stage.seconds();
  return result;
}

}  // namespace evenkeel::tool
