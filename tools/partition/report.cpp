#include "partition/partitioning.hpp"

#include "files/numbers.hpp"

#include <nlohmann/json.hpp>

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

std::string as_json(const PartitionOptions& options, const FileObjects& objects,
                    const Partition& partition, const LoadSummary& load) {
  const PartitionSeconds& seconds = partition.seconds;
  const nlohmann::ordered_json json = {{"method", options.method_name},
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
  text << "method          " << options.method_name << '\n';
  text << "objects         " << objects.everywhere << " in " << objects.dimensions
       << " dimensions\n";
  text << "parts           " << partition.work.size() << ", by "
       << (options.work_is_count ? "count" : "weight") << grid_of(partition) << '\n';
  if (!partition.rounds.empty())
    text << "rounds          " << partition.rounds.size() - 1 << ", from lambda "
         << lambda(partition.rounds.front()) << " of the uniform grid\n";
  text << "lambda          " << lambda(load) << " (greatest / average)\n";
  text << "imbalance       " << imbalance_percent(load)
       << " % ((greatest - average) / greatest * N / (N - 1))\n";
  text << "heaviest object " << partition.heaviest_object << " of " << load.average()
       << " in the average part\n";
  const PartitionSeconds& seconds = partition.seconds;
  text << "seconds         " << std::setprecision(3) << seconds.total << " (keys " << seconds.keys
       << ", cut " << seconds.cut << ")\n";
  return text.str();
}

}  // namespace

std::string report_of(const PartitionOptions& options, const FileObjects& objects,
                      const Partition& partition) {
  const LoadSummary load = summarise(partition.work);
  return options.json ? as_json(options, objects, partition, load)
                      : as_text(options, objects, partition, load);
}

}  // namespace evenkeel::tool
