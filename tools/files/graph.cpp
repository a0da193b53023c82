#include "files/graph.hpp"

#include "files/matrix_market.hpp"
#include "files/metis.hpp"
#include "files/npy_graph.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::string_view how_to_name =
    "Name a file that ends in .graph or .mtx, or arrays as in offsets.npy,columns.npy.";

GraphFile read_arrays(const std::vector<std::string>& paths, const GraphPortion& portion,
                      const Progress& progress) {
  const NpyFile offsets(std::make_unique<FileSource>(paths[0]));
  const NpyFile columns(std::make_unique<FileSource>(paths[1]));
  std::optional<NpyFile> weights;
  if (paths.size() == 3) weights.emplace(std::make_unique<FileSource>(paths[2]));
  return read_npy_graph(offsets, columns, weights ? &*weights : nullptr, portion, progress);
}

// Facts that must be the same on all ranks. A reduction by `least` of the negated value finds the
// greatest value.
struct GraphSight {
  std::int64_t least_vertices, minus_greatest_vertices;
};

void combine_sights(GraphSight& into, const GraphSight& from) noexcept {
  into.least_vertices = std::min(into.least_vertices, from.least_vertices);
  into.minus_greatest_vertices =
      std::min(into.minus_greatest_vertices, from.minus_greatest_vertices);
}

void add_up(const Communicator& communicator, GraphFile& graph) {
  GraphChanges& changes = graph.changes;
  std::array<std::int64_t, 6> sums = {graph.entries,   changes.loops,   changes.duplicates,
                                      changes.one_way, changes.unequal, changes.zeros};
  communicator.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
  graph.entries = sums[0];
  changes = {sums[1], sums[2], sums[3], sums[4], sums[5]};
}

}  // namespace

std::vector<std::string> files_of_graph(const std::string& path) {
  if (!path.ends_with(".npy")) return {path};
  const auto paths = split(path, ',');
  return {paths.begin(), paths.end()};
}

GraphFormat graph_format_of(const std::string& path) {
  if (path.ends_with(".graph")) return GraphFormat::metis;
  if (path.ends_with(".mtx")) return GraphFormat::matrix_market;
  const std::vector<std::string> paths = files_of_graph(path);
  const bool are_arrays =
      std::ranges::all_of(paths, [](const std::string& one) { return one.ends_with(".npy"); });
  if (are_arrays && (paths.size() == 2 || paths.size() == 3)) return GraphFormat::npy;
  refuse(joined({"The name ", in_quotes(path), " does not say which format the graph has."}),
         std::string(how_to_name));
}

GraphFile read_graph(const std::string& path, const GraphPortion& portion,
                     const Progress& progress) {
  const GraphFormat format = graph_format_of(path);
  if (format == GraphFormat::npy) return read_arrays(files_of_graph(path), portion, progress);
  const FileSource source(path);
  return format == GraphFormat::metis ? read_metis(source, portion, progress)
                                      : read_matrix_market(source, portion, progress);
}

GraphFile read_graph(const Communicator& communicator, const std::string& path,
                     const Progress& progress) {
  GraphFile graph;
  const Status read = attempt("tools/files", [&] {
    graph = read_graph(path, {communicator.rank(), communicator.size()}, progress);
  });
  const GraphSight all =
      vote<&combine_sights>(communicator, read, GraphSight{graph.vertices, -graph.vertices});
  if (all.least_vertices != -all.minus_greatest_vertices)
    refuse(joined({"The ranks do not see the same file ", in_quotes(path), "."}),
           "Put it where all of them read the same file.");
  add_up(communicator, graph);
  check_declared_edges(graph, path);
  return graph;
}

void check_declared_edges(const GraphFile& graph, const std::string& path) {
  if (!graph.declared_edges || graph.entries == 2 * *graph.declared_edges) return;
  const std::int64_t declared = 2 * *graph.declared_edges;
  refuse(
      joined({"The header of ", in_quotes(path), " declares ",
              std::to_string(*graph.declared_edges), " edges, which have ",
              std::to_string(declared), " ends, but its lines hold ", std::to_string(graph.entries),
              " neighbours, ", miscount(declared, graph.entries), "."}),
      "Write each edge in the lines of both its ends, and count it once in the header.");
}

std::vector<std::string> remarks_on(const GraphChanges& changes) {
  std::vector<std::string> remarks;
  const auto remark = [&](std::int64_t count, std::string_view one, std::string_view several) {
    if (count > 0) remarks.push_back(joined({std::to_string(count), count == 1 ? one : several}));
  };
  remark(changes.loops, " entry on the diagonal was left out.",
         " entries on the diagonal were left out.");
  remark(changes.duplicates, " entry was added to another in the same place.",
         " entries were added to others in the same place.");
  remark(changes.one_way, " edge had an entry on one side of the diagonal only.",
         " edges had entries on one side of the diagonal only.");
  remark(changes.unequal, " edge had two values, of which the greater counts.",
         " edges had two values, of which the greater counts.");
  remark(changes.zeros, " edge of value 0 was left out.", " edges of value 0 were left out.");
  return remarks;
}

}  // namespace evenkeel::tool
