#include "partition/partitioning.hpp"

#include "files/numbers.hpp"
#include "partition/work.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iomanip>
#include <variant>

namespace evenkeel::tool {

namespace {

nlohmann::ordered_json as_json(const std::vector<LoadSummary>& rounds) {
  auto json = nlohmann::ordered_json::array();
  for (const LoadSummary& load : rounds)
    json.push_back({{"lambda", lambda(load)}, {"imbalance_percent", imbalance_percent(load)}});
  return json;
}

nlohmann::ordered_json as_json(const std::vector<MethodForecast>& forecasts) {
  auto json = nlohmann::ordered_json::array();
  for (const MethodForecast& each : forecasts)
    json.push_back({{"method", to_text(each.method)},
                    {"step", each.step},
                    {"lambda", each.lambda},
                    {"ghosts", each.greatest.ghosts},
                    {"neighbours", each.greatest.neighbours}});
  return json;
}

// The methods by the predicted step, and the number of ghosts of the part that has most.
void write_forecasts(const std::vector<MethodForecast>& forecasts, std::ostream& text) {
  text << "step by method  (time of the slowest part / mean work)\n";
  for (const MethodForecast& each : forecasts)
    text << "  " << std::left << std::setw(12) << to_text(each.method) << std::right << each.step
         << " (lambda " << each.lambda << ", " << std::llround(each.greatest.ghosts) << " ghosts, "
         << std::llround(each.greatest.neighbours) << " neighbours)\n";
}

std::string name_of(const PartitionOptions& options, const Partition& partition) {
  return partition.forecasts.empty()
             ? options.method_name
             : to_text(partition.forecasts[best_of(partition.forecasts, -1)].method);
}

std::string as_json(const PartitionOptions& options, const FileObjects& objects,
                    const Partition& partition, const LoadSummary& load) {
  const PartitionSeconds& seconds = partition.seconds;
  nlohmann::ordered_json json = {{"method", name_of(options, partition)},
                                 {"objects", objects.everywhere},
                                 {"parts", partition.work.size()},
                                 {"lambda", lambda(load)},
                                 {"imbalance_percent", imbalance_percent(load)},
                                 {"heaviest_object", partition.heaviest_object},
                                 {"rounds", as_json(partition.rounds)},
                                 {"seconds",
                                  {{"keys", seconds.keys},
                                   {"order", seconds.order},
                                   {"cut", seconds.cut},
                                   {"total", seconds.total}}}};
  if (options.memory > 0) json["greatest_bytes"] = partition.greatest_bytes;
  if (!partition.forecasts.empty()) {
    json["forecasts"] = as_json(partition.forecasts);
    json["seconds"]["choice"] = seconds.choice;
  }
  return json.dump(2) + '\n';
}

// Returns text such as ", in a grid of 2 x 3", or nothing if there is no grid.
std::string grid_of(const Partition& partition) {
  const auto* const grid = std::get_if<GridDomains>(&partition.domains);
  if (grid == nullptr) return {};
  std::string text = ", in a grid of ";
  for (int axis = 0; axis < grid->dimensions(); ++axis)
    text.append(axis > 0 ? " x " : "")
        .append(std::to_string(grid->shape().extents[static_cast<std::size_t>(axis)]));
  return text;
}

std::string as_text(const PartitionOptions& options, const FileObjects& objects,
                    const Partition& partition, const LoadSummary& load) {
  std::ostringstream text = report_stream();
  text << "method          " << name_of(options, partition) << '\n';
  text << "objects         " << objects.everywhere << " in " << objects.dimensions
       << " dimensions\n";
  text << "parts           " << partition.work.size() << ", by "
       << (options.work_is_count ? "count" : "weight") << (options.speeds ? " and speed" : "")
       << grid_of(partition) << '\n';
  if (!partition.forecasts.empty()) write_forecasts(partition.forecasts, text);
  if (!partition.rounds.empty())
    text << "rounds          " << partition.rounds.size() - 1 << ", from lambda "
         << lambda(partition.rounds.front()) << " of "
         << (places_in_grid(options.method) ? "the uniform grid\n" : "even domains\n");
  text << "lambda          " << lambda(load)
       << (options.speeds ? " (greatest / average time)\n" : " (greatest / average)\n");
  text << "imbalance       " << imbalance_percent(load)
       << " % ((greatest - average) / greatest * N / (N - 1))\n";
  text << "heaviest object " << partition.heaviest_object << " of " << load.average()
       << " in the average part\n";
  if (options.memory > 0)
    text << "bytes           " << partition.greatest_bytes << " in the fullest part, at most "
         << options.memory << '\n';
  const PartitionSeconds& seconds = partition.seconds;
  text << "seconds         " << std::setprecision(3) << seconds.total << " (keys " << seconds.keys;
  if (!partition.forecasts.empty()) text << ", choice " << seconds.choice;
  text << ", cut " << seconds.cut << ")\n";
  return text.str();
}

}  // namespace

std::string report_of(const PartitionOptions& options, const FileObjects& objects,
                      const Partition& partition) {
  const LoadSummary load = summary_of(partition.work, objects.speeds);
  return options.json ? as_json(options, objects, partition, load)
                      : as_text(options, objects, partition, load);
}

}  // namespace evenkeel::tool
