#include "partition/graph/options.hpp"

#include "files/array.hpp"
#include "files/graph.hpp"
#include "files/refusal.hpp"
#include "partition/values.hpp"

#include <evenkeel/backends/text.hpp>

#include <vector>

namespace evenkeel::tool {

namespace {

Effort effort_from(const std::string& text) {
  for (const Effort effort : all_efforts)
    if (text == name_of(effort)) return effort;
  refuse_partition.value("--effort", text, "Give polish, fast, good or best.");
}

ByGraph method_of(const PartitionArguments& asked) {
  ByGraph method;
  if (asked.effort) method.effort = effort_from(*asked.effort);
  if (asked.target_lambda) method.target_lambda = target_lambda_from(*asked.target_lambda);
  if (asked.moving_cost) method.moving_cost = number_from("--moving-cost", *asked.moving_cost);
  if (asked.from) return method;
  if (method.effort == Effort::polish)
    refuse_partition("--effort polish improves existing parts, but no parts are given.",
                     "Name their file by --from, or choose fast, good or best.");
  if (asked.moving_cost)
    refuse_partition("--moving-cost needs parts to move from, but no parts are given.",
                     "Name their file by --from, or leave out --moving-cost.");
  return method;
}

}  // namespace

bool is_by_graph(const PartitionArguments& asked) {
  return asked.method && method_named(*asked.method).is_graph();
}

GraphPartitionOptions checked_for_graph(const PartitionArguments& asked) {
  if (asked.method) refuse_meaningless(asked, method_named(*asked.method));
  if (!asked.graph || !asked.parts || !asked.method)
    refuse_partition("--graph, --parts and --method are needed.", "Give all three.");
  GraphPartitionOptions options;
  options.graph = *asked.graph;
  options.weights = asked.weights;
  options.speeds = asked.speeds;
  options.bytes = asked.bytes;
  options.memory = memory_of(asked);
  options.from = asked.from;
  options.uncuttable = asked.uncuttable;
  options.parts = parts_from(*asked.parts);
  options.method = method_of(asked);
  options.out = asked.out;
  options.json = asked.json;
  static_cast<void>(graph_format_of(options.graph));
  refuse_to_overwrite(asked);
  if (asked.out) static_cast<void>(format_of(*asked.out));
  return options;
}

}  // namespace evenkeel::tool
