#include "partition/graph/options.hpp"

#include "files/array.hpp"
#include "files/graph.hpp"
#include "partition/methods.hpp"
#include "partition/refusal.hpp"
#include "partition/values.hpp"

#include <evenkeel/backends/text.hpp>

#include <cmath>
#include <string_view>
#include <vector>

namespace evenkeel::tool {

namespace {

Effort effort_from(const std::string& text) {
  for (const Effort effort : {Effort::polish, Effort::fast, Effort::good})
    if (text == name_of(effort)) return effort;
  refuse_value("--effort", text, "Give polish, fast or good.");
}

double number_from(std::string_view option, const std::string& text) {
  const auto number = real_from_text(text);
  if (!number || !std::isfinite(*number) || *number < 0)
    refuse_value(option, text, "Give a finite number from 0 on.");
  return *number;
}

ByGraph method_of(const PartitionArguments& asked) {
  ByGraph method;
  if (asked.effort) method.effort = effort_from(*asked.effort);
  if (asked.tolerance) method.tolerance = number_from("--tolerance", *asked.tolerance);
  if (asked.moving_cost) method.moving_cost = number_from("--moving-cost", *asked.moving_cost);
  if (asked.from) return method;
  if (method.effort == Effort::polish)
    refuse_partition("--effort polish improves parts that there are, but none are given.",
                     "Name their file by --from, or choose fast or good.");
  if (asked.moving_cost)
    refuse_partition("--moving-cost needs parts to move from, but none are given.",
                     "Name their file by --from, or leave it out.");
  return method;
}

void check_files(const PartitionArguments& asked) {
  std::vector<NamedFile> outputs, inputs;
  if (asked.out) outputs.emplace_back("--out", *asked.out);
  if (asked.svg) outputs.emplace_back("--svg", *asked.svg);
  for (const std::string& file : files_of_graph(*asked.graph)) inputs.emplace_back("--graph", file);
  if (asked.weights) inputs.emplace_back("--weights", *asked.weights);
  if (asked.points) inputs.emplace_back("--points", *asked.points);
  if (asked.from) inputs.emplace_back("--from", *asked.from);
  if (asked.uncuttable) inputs.emplace_back("--uncuttable", *asked.uncuttable);
  refuse_to_overwrite(outputs, inputs);
}

}  // namespace

bool is_by_graph(const PartitionArguments& asked) {
  return asked.method && method_named(*asked.method).is_graph();
}

GraphPartitionOptions checked_for_graph(const PartitionArguments& asked) {
  if (asked.method) refuse_meaningless(asked, method_named(*asked.method));
  if (!asked.graph || !asked.parts || !asked.method)
    refuse_partition("--graph, --parts and --method are needed.", "Give all three.");
  if (asked.svg && !asked.points)
    refuse_partition("--svg draws vertices at their places, but none are given.",
                     "Name their file by --points, or leave --svg out.");
  GraphPartitionOptions options;
  options.graph = *asked.graph;
  options.points = asked.points;
  options.weights = asked.weights;
  options.from = asked.from;
  options.uncuttable = asked.uncuttable;
  options.parts = parts_from(*asked.parts);
  options.method = method_of(asked);
  options.out = asked.out;
  options.svg = asked.svg;
  options.json = asked.json;
  static_cast<void>(graph_format_of(options.graph));
  check_files(asked);
  if (asked.out) static_cast<void>(format_of(*asked.out));
  return options;
}

}  // namespace evenkeel::tool
