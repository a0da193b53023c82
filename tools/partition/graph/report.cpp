#include "partition/graph/cutting.hpp"

#include "files/numbers.hpp"

#include <evenkeel/core/weights/load.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>

namespace evenkeel::tool {

namespace {

// The imbalance of each constraint, in percent.
std::vector<double> imbalances(const GraphReport& report) {
  std::vector<double> percent;
  percent.reserve(report.lambda.size());
  for (const double lambda : report.lambda)
    percent.push_back(imbalance_percent_of(lambda, report.parts, report.parts));
  return percent;
}

std::string as_json(const GraphInput& input, const GraphPartition& partition) {
  const GraphReport& report = partition.report;
  nlohmann::ordered_json json = {
      {"method", "graph"},
      {"vertices", report.vertices},
      {"edges", report.edges},
      {"parts", report.parts},
      {"cut", report.cut},
      {"cut_edges", report.cut_edges},
      {"volume", report.volume},
      {"most_neighbours", report.most_neighbours},
      {"lambda", report.lambda},
      {"imbalance_percent", imbalances(report)},
      {"bound", report.bound},
      {"moved", report.moved},
      {"broken", report.broken},
      {"empty", report.empty},
      {"remarks", input.remarks},
      {"seconds", {{"read", input.seconds}, {"cut", partition.seconds}}}};
  if (!report.bytes.empty()) json["greatest_bytes"] = std::ranges::max(report.bytes);
  return json.dump(2) + '\n';
}

std::string list_of(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + rounded(number, 6);
  return text;
}

// Returns text such as "1 edge" or "2 edges".
std::string counted(std::int64_t count, std::string_view one, std::string_view several) {
  return std::to_string(count).append(" ").append(count == 1 ? one : several);
}

std::string basis_of(const GraphFile& graph) {
  if (graph.constraints == 0) return "by count";
  if (graph.constraints == 1) return "by weight";
  return "by " + std::to_string(graph.constraints) + " weights";
}

std::string as_text(const GraphPartitionOptions& options, const GraphInput& input,
                    const GraphPartition& partition) {
  const GraphReport& report = partition.report;
  std::ostringstream text = report_stream();
  text << "method          graph, " << name_of(options.method.effort) << '\n';
  text << "graph           " << counted(report.vertices, "vertex", "vertices") << ", "
       << counted(report.edges, "edge", "edges") << '\n';
  for (const std::string& remark : input.remarks) text << "remark          " << remark << '\n';
  text << "parts           " << report.parts << ", " << basis_of(input.graph)
       << (options.speeds ? " and speed" : "");
  if (report.empty > 0) text << ", " << report.empty << " of them empty";
  text << '\n';
  text << "cut             " << report.cut << " (" << counted(report.cut_edges, "edge", "edges")
       << ")\n";
  text << "volume          " << report.volume << " (copies of vertices that other parts need)\n";
  text << "neighbours      " << report.most_neighbours << " (of the part that has the most)\n";
  text << "lambda          " << list_of(report.lambda) << " (greatest / average, at least "
       << list_of(report.bound) << ")\n";
  text << "imbalance       " << list_of(imbalances(report))
       << " % ((greatest - average) / greatest * N / (N - 1))\n";
  if (options.memory > 0)
    text << "bytes           " << std::ranges::max(report.bytes) << " in the fullest part, at most "
         << options.memory << '\n';
  if (options.from) text << "moved           " << 100 * report.moved << " % of the vertices\n";
  text << "seconds         " << std::setprecision(3) << input.seconds + partition.seconds
       << " (read " << input.seconds << ", cut " << partition.seconds << ")\n";
  return text.str();
}

}  // namespace

std::string report_of(const GraphPartitionOptions& options, const GraphInput& input,
                      const GraphPartition& partition) {
  return options.json ? as_json(input, partition) : as_text(options, input, partition);
}

}  // namespace evenkeel::tool
