#include "partition/drawing/subjects.hpp"

#include "files/refusal.hpp"
#include "partition/drawing/drawing.hpp"
#include "partition/drawing/markup.hpp"
#include "partition/refusal.hpp"
#include "partition/report.hpp"
#include "partition/work.hpp"
#include "tell/words.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>

namespace evenkeel::tool {

namespace {

constexpr int digits = 6;  // as on stdout

std::vector<std::int64_t> counts_of(const Communicator& communicator,
                                    std::span<const std::int32_t> part_of_object, int parts) {
  std::vector<std::int64_t> counts;
  vote(communicator, attempt(partition_stage, [&] {
         counts.assign(static_cast<std::size_t>(parts), 0);
         for (const std::int32_t part : part_of_object) ++counts[static_cast<std::size_t>(part)];
       }));
  communicator.all_reduce(std::span<std::int64_t>(counts), Reduction::sum);
  return counts;
}

// "166 to 167", or "167" for both.
std::string range_of(const std::vector<std::int64_t>& counts) {
  const auto [least, greatest] = std::ranges::minmax(counts);
  if (least == greatest) return detail::count_of(least);
  return joined({detail::count_of(least), " to ", detail::count_of(greatest)});
}

void add_counts(Subject& subject) {
  subject.figures.push_back({subject.objects + " in a part", range_of(subject.counts)});
  const auto empty = std::ranges::count(subject.counts, 0);
  if (empty > 0) subject.figures.push_back({"empty parts", detail::count_of(empty)});
}

std::string list_of(const std::vector<double>& numbers, int most_digits, std::string_view unit) {
  std::string text;
  for (const double number : numbers)
    text.append(text.empty() ? "" : ", ").append(digits_of(number, most_digits)).append(unit);
  return text;
}

std::vector<double> first_weights(const GraphFile& graph) {
  std::vector<double> weights;
  const auto stride = static_cast<std::size_t>(graph.constraints);
  for (std::size_t i = 0; i < graph.vertex_weights.size(); i += stride)
    weights.push_back(graph.vertex_weights[i]);
  return weights;
}

// A margin as around objects.
Box box_around(const Communicator& communicator, const GraphInput& input) {
  // The bounds only read the places, so the const_cast is safe; a field allows writing.
  auto places =
      raw_field(const_cast<double*>(input.places.data()),
                {.count = input.graph.rows(), .components = input.dimensions, .label = "places"});
  const Set set = evenkeel::set(places);
  return enclose(std::nullopt, bounds(Space::where(MemoryKind::host), communicator, set));
}

std::vector<std::array<std::int64_t, 2>> edges_of(const Communicator& communicator,
                                                  const GraphFile& graph) {
  if (graph.vertices > most_dots || graph.entries > 2 * most_drawn_edges) return {};
  std::vector<std::array<std::int64_t, 2>> edges;
  const Status listed = attempt(partition_stage, [&] {
    for (std::int64_t row = 0; row < graph.rows(); ++row) {
      const auto begin = static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(row)]);
      const auto end = static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(row) + 1]);
      for (std::size_t i = begin; i < end; ++i)
        if (graph.first + row < graph.columns[i])
          edges.push_back({graph.first + row, graph.columns[i]});
    }
  });
  return gather(communicator, listed, std::span<const std::array<std::int64_t, 2>>(edges), 0)
      .values;
}

}  // namespace

Subject subject_of(const Communicator& communicator, const PartitionOptions& options,
                   const Objects& objects, const Partition& partition) {
  Subject subject;
  subject.method = options.method_name + grid_of(partition);
  subject.basis = options.work_is_count ? "by count" : "by weight";
  subject.dimensions = objects.dimensions;
  subject.everywhere = objects.everywhere;
  subject.box = box_of(partition.domains);
  subject.work = partition.work;
  subject.counts = counts_of(communicator, partition.parts, options.parts);
  const LoadSummary load = summarise(partition.work);
  subject.figures = {{"lambda", digits_of(lambda(load), digits)},
                     {"imbalance", digits_of(imbalance_percent(load), 4) + " %"}};
  add_counts(subject);
  if (!options.work_is_count)
    subject.figures.push_back({"heaviest object / average part",
                               digits_of(partition.heaviest_object / load.average(), 3)});
  subject.places = objects.places;
  subject.float_places = objects.float_places;
  subject.parts = partition.parts;
  subject.domains = &partition.domains;
  if (!std::holds_alternative<CurveDomains>(partition.domains))
    subject.boxes = cells_of(partition.domains);
  return subject;
}

Subject subject_of(const Communicator& communicator, const GraphPartitionOptions& options,
                   const GraphInput& input, const GraphPartition& partition) {
  const GraphReport& report = partition.report;
  Subject subject;
  subject.method = std::string("graph, ") + name_of(options.method.effort);
  subject.objects = "vertices";
  subject.object = "vertex";
  subject.basis = input.graph.constraints == 0 ? "by count" : "by weight";
  subject.dimensions = input.dimensions;
  subject.everywhere = report.vertices;
  subject.box = box_around(communicator, input);
  subject.counts = counts_of(communicator, partition.parts, options.parts);
  Objects vertices;
  const Status weighed =
      attempt(partition_stage, [&] { vertices.weights = first_weights(input.graph); });
  vote(communicator, weighed);
  vertices.dimensions = input.dimensions;
  vertices.everywhere = report.vertices;
  const WorkCounter counter(communicator, vertices);
  subject.work = counter.of_parts(Status(), partition.parts, options.parts);
  std::vector<double> percent;
  for (const double lambda : report.lambda)
    percent.push_back(imbalance_percent_of(lambda, report.parts, report.parts));
  subject.figures = {{"lambda", list_of(report.lambda, digits, "")},
                     {"imbalance", list_of(percent, 4, " %")},
                     {"cut", digits_of(report.cut, digits)},
                     {"edges that are cut", joined({detail::count_of(report.cut_edges), " of ",
                                                    detail::count_of(report.edges)})},
                     {"volume", detail::count_of(report.volume)},
                     {"neighbours of a part, at most", std::to_string(report.most_neighbours)}};
  add_counts(subject);
  subject.places = input.places;
  subject.parts = partition.parts;
  subject.edges = edges_of(communicator, input.graph);
  return subject;
}

}  // namespace evenkeel::tool
