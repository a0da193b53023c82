#include "partition/cutting.hpp"
#include "partition/refusal.hpp"
#include "partition/work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/boxes/rounds.hpp>

#include <cstdint>
#include <variant>
#include <vector>

namespace evenkeel::tool {

namespace {

// The last grid is evaluated as well, since only evaluated grids can be the best.
GridDomains best_of_rounds(const Task& task, std::vector<LoadSummary>& tried) {
  const bool is_tensor = std::holds_alternative<Tensor>(task.options.method);
  const GridScheme scheme = is_tensor ? GridScheme::tensor : GridScheme::staggered;
  const GridShape shape = shape_with(*extents_of(task.options.method), task.options.parts,
                                     task.objects.dimensions, task.box);
  GridRounds rounds(GridDomains::uniform(shape, task.box, scheme), {});
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
    if (task.progress) task.progress((round + 1.0) / (*task.options.rounds + 1));
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
