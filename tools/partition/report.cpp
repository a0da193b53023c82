#include "partition/report.hpp"

#include <evenkeel/monitor/metrics.hpp>

#include <nlohmann/json.hpp>

#include <iomanip>
#include <locale>
#include <sstream>

namespace evenkeel::tool {

namespace {

std::string as_json(const Objects& objects, const Partition& partition, const LoadSummary& load) {
  const PartitionSeconds& seconds = partition.seconds;
  const nlohmann::ordered_json json = {{"method", name_of(partition.curve.kind)},
                                       {"objects", objects.everywhere},
                                       {"parts", partition.work.size()},
                                       {"lambda", lambda(load)},
                                       {"imbalance_percent", imbalance_percent(load)},
                                       {"heaviest_object", partition.heaviest_object},
                                       {"rounds", nlohmann::ordered_json::array()},
                                       {"seconds",
                                        {{"keys", seconds.keys},
                                         {"order", seconds.order},
                                         {"cut", seconds.cut},
                                         {"total", seconds.total}}}};
  return json.dump(2) + '\n';
}

std::string as_text(const PartitionOptions& options, const Objects& objects,
                    const Partition& partition, const LoadSummary& load) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::setprecision(6);
  text << "method          " << name_of(partition.curve.kind) << '\n';
  text << "objects         " << objects.everywhere << " in " << objects.dimensions
       << " dimensions\n";
  text << "parts           " << partition.work.size() << ", by "
       << (options.work_is_count ? "count" : "weight") << '\n';
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

std::string report_of(const PartitionOptions& options, const Objects& objects,
                      const Partition& partition) {
  const LoadSummary load = summarise(partition.work);
  return options.json ? as_json(objects, partition, load)
                      : as_text(options, objects, partition, load);
}

}  // namespace evenkeel::tool
