#include "partition/values.hpp"

#include "files/graph.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <cmath>
#include <filesystem>
#include <system_error>

namespace evenkeel::tool {

namespace {

std::filesystem::path place_of(const std::string& path) {
  std::error_code unknown;
  const auto whole = std::filesystem::absolute(path, unknown);
  if (unknown) return {path};
  const auto place = std::filesystem::weakly_canonical(whole, unknown);
  return unknown ? std::filesystem::path(path) : place;
}

}  // namespace

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

void refuse_to_overwrite(const PartitionArguments& asked) {
  std::vector<std::pair<std::string_view, std::string>> files;  // options and the files they name
  const auto add = [&](std::string_view option, const std::optional<std::string>& file) {
    if (file) files.emplace_back(option, *file);
  };
  add("--out", asked.out);
  add("--vtk", asked.vtk);
  const std::size_t outputs = files.size();
  add("--points", asked.points);
  if (asked.graph)
    for (const std::string& file : files_of_graph(*asked.graph)) add("--graph", file);
  add("--weights", asked.weights);
  add("--from", asked.from);
  add("--uncuttable", asked.uncuttable);
  for (std::size_t written = 0; written < outputs; ++written)
    for (std::size_t other = written + 1; other < files.size(); ++other)
      if (place_of(files[written].second) == place_of(files[other].second))
        refuse_partition(joined({files[written].first, " and ", files[other].first,
                                 " name the same file, ", in_quotes(files[written].second), "."}),
                         "Give each a file of its own.");
}

}  // namespace evenkeel::tool
