#include "partition/graph/cutting.hpp"

#include "files/refusal.hpp"
#include "partition/memory.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <algorithm>

namespace evenkeel::tool {

GraphPartition cut(const Communicator& communicator, const GraphInput& input,
                   const GraphPartitionOptions& options,
                   const std::function<void(double done)>& progress) {
  const GraphFile& file = input.graph;
  // A field allows writing, but the cut only reads the weights, so the const_cast is safe.
  const auto weights =
      raw_field(const_cast<double*>(file.vertex_weights.data()),
                {.count = file.constraints > 0 ? file.rows() : 0,
                 .components = file.constraints > 0 ? static_cast<int>(file.constraints) : 1});
  GraphOptions known;
  if (file.constraints > 0) known.weight = weights;
  if (!file.edge_weights.empty()) known.edge_weight = file.edge_weights;
  if (!file.vertex_sizes.empty()) known.bytes = file.vertex_sizes;
  if (options.uncuttable) known.uncuttable = input.uncuttable;
  evenkeel::GraphCutOptions goal = {.parts = options.parts, .speeds = input.speeds};
  if (options.from) goal.from = input.from;
  if (options.memory > 0)
    goal.memory.assign(static_cast<std::size_t>(options.parts), options.memory);
  goal.progress = progress;

  communicator.barrier();
  const Stopwatch whole;
  const GraphCut found = cut_graph(Space::where(MemoryKind::host), communicator,
                                   graph(file.offsets, file.columns, known), goal, options.method);
  if (options.memory > 0) refuse_if_fuller(std::ranges::max(found.report.bytes), options.memory);
  GraphPartition result;
  result.report = found.report;
  result.seconds = communicator.all_reduce(whole.seconds(), Reduction::greatest);
  vote(communicator,
       attempt(refuse_partition.stage, [&] { result.parts = found.parts.on_host(); }));
  return result;
}

}  // namespace evenkeel::tool
