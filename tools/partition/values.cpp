#include "partition/values.hpp"

#include "files/graph.hpp"
#include "files/output_file.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <cmath>
#include <vector>

namespace evenkeel::tool {

int parts_from(const std::string& text) {
  const auto parts = integer_from_text(text);
  if (!parts || *parts < 1 || *parts > most_parts)
    refuse_partition.value(
        "--parts", text,
        joined({"Give a whole number from 1 to ", std::to_string(most_parts), "."}));
  return static_cast<int>(*parts);
}

double number_from(std::string_view option, const std::string& text) {
  const auto number = real_from_text(text);
  if (!number || !std::isfinite(*number) || *number < 0)
    refuse_partition.value(option, text, "Give a finite number of at least 0.");
  return *number;
}

double target_lambda_from(const std::string& text) {
  const auto target = real_from_text(text);
  if (!target || !is_target_lambda(*target))
    refuse_partition.value("--target-lambda", text, joined({"Give ", target_lambdas, "."}));
  return *target;
}

double memory_of(const PartitionArguments& asked) {
  if (asked.memory.has_value() != asked.bytes.has_value())
    refuse_partition("--memory and --bytes belong together.", "Give both, or leave both out.");
  if (!asked.memory) return 0;
  if (asked.rounds)
    refuse_partition("Rounds do not know the bytes of objects.",
                     "Leave out --rounds, or --memory and --bytes.");
  return refuse_partition.bytes_in("--memory", *asked.memory);
}

void refuse_to_overwrite(const PartitionArguments& asked) {
  std::vector<NamedFile> files;
  const auto add = [&](std::string_view option, const std::optional<std::string>& file) {
    if (file) files.push_back({option, *file});
  };
  add("--out", asked.out);
  add("--vtk", asked.vtk);
  const std::size_t outputs = files.size();
  add("--points", asked.points);
  if (asked.graph)
    for (const std::string& file : files_of_graph(*asked.graph)) add("--graph", file);
  add("--weights", asked.weights);
  add("--speeds", asked.speeds);
  add("--bytes", asked.bytes);
  add("--from", asked.from);
  add("--uncuttable", asked.uncuttable);
  refuse_same_files(refuse_partition, files, outputs);
}

}  // namespace evenkeel::tool
