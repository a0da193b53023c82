#include "partition/graph/input.hpp"

#include "files/array.hpp"
#include "files/graph_offence.hpp"
#include "files/refusal.hpp"
#include "partition/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/backends/text.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace evenkeel::tool {

namespace {

// --- Arrays beside the graph ---------------------------------------------------------------------

// A row for each of `count` vertices or entries of the graph, of which this rank needs some.
struct Rows {
  std::string_view what, of_what;  // "weights", "vertices"
  std::int64_t count = 0, first = 0, mine = 0;
  std::uint64_t most_columns = 1, fewest_columns = 1;
};

struct Table {
  std::string name;
  std::int64_t columns = 1;
  std::vector<double> numbers;
};

Table read_table(const std::string& path, const std::string& graph, const Rows& rows) {
  const auto file = open_array(path);
  if (file->columns() < rows.fewest_columns || file->columns() > rows.most_columns)
    refuse_partition(joined({"The ", rows.what, " in ", in_quotes(file->name()), " have ",
                             std::to_string(file->columns()), " columns."}),
                     rows.most_columns == 1
                         ? std::string("Give one number in each row.")
                         : joined({"Give from ", std::to_string(rows.fewest_columns), " to ",
                                   std::to_string(rows.most_columns), " numbers."}));
  if (file->rows() != static_cast<std::uint64_t>(rows.count))
    refuse_partition(joined({"There are ", std::to_string(file->rows()), " ", rows.what, " in ",
                             in_quotes(file->name()), ", but ", std::to_string(rows.count), " ",
                             rows.of_what, " in ", in_quotes(graph), "."}),
                     joined({"Give as many ", rows.what, " as ", rows.of_what, "."}));
  const auto first = static_cast<std::uint64_t>(rows.first);
  return {file->name(), static_cast<std::int64_t>(file->columns()),
          file->read(first, first + static_cast<std::uint64_t>(rows.mine))};
}

Rows rows_of_vertices(std::string_view what, const GraphFile& graph) {
  return {what, "vertices", graph.vertices, graph.first, graph.rows()};
}

// Refuses a number of a table, told by its row.
[[noreturn]] void refuse_number(std::string_view what, const Table& table, const Rows& rows,
                                std::size_t i, const std::string& remedy) {
  const std::int64_t row = rows.first + static_cast<std::int64_t>(i) / table.columns;
  refuse_partition(joined({what, " in row ", std::to_string(row), " of ", in_quotes(table.name),
                           ", counted from 0, is ", text_of(table.numbers[i]), "."}),
                   remedy);
}

void read_weights(const std::string& path, const std::string& name, GraphFile& graph) {
  Rows rows = rows_of_vertices("weights", graph);
  rows.most_columns = most_graph_weights;
  Table weights = read_table(path, name, rows);
  for (std::size_t i = 0; i < weights.numbers.size(); ++i)
    if (!std::isfinite(weights.numbers[i]) || weights.numbers[i] < 0)
      refuse_number("The weight", weights, rows, i,
                    "Give weights that are finite and not negative.");
  graph.constraints = weights.columns;
  graph.vertex_weights = std::move(weights.numbers);
}

void read_places(const std::string& path, GraphInput& input, const std::string& name) {
  Rows rows = rows_of_vertices("places", input.graph);
  rows.fewest_columns = 2;
  rows.most_columns = 3;
  Table places = read_table(path, name, rows);
  for (std::size_t i = 0; i < places.numbers.size(); ++i)
    if (!std::isfinite(places.numbers[i]))
      refuse_number("A coordinate", places, rows, i, "Give finite coordinates.");
  input.dimensions = static_cast<int>(places.columns);
  input.places = std::move(places.numbers);
}

std::vector<int> read_from(const std::string& path, const std::string& name,
                           const GraphFile& graph) {
  const Rows rows = rows_of_vertices("parts", graph);
  const Table table = read_table(path, name, rows);
  std::vector<int> parts;
  parts.reserve(table.numbers.size());
  for (const double part : table.numbers) {
    if (!(std::abs(part) <= std::numeric_limits<int>::max()) || std::trunc(part) != part)
      refuse_partition(
          joined({"The part in row ", std::to_string(rows.first + std::ssize(parts)), " of ",
                  in_quotes(table.name), ", counted from 0, is ", text_of(part), "."}),
          "Give whole numbers below 2^31; a negative one means no part.");
    parts.push_back(static_cast<int>(part));
  }
  return parts;
}

std::vector<int> read_marks(const std::string& path, const std::string& name,
                            const GraphFile& graph, std::int64_t first_entry) {
  const Rows rows = {"marks", "neighbours", graph.entries, first_entry, std::ssize(graph.columns)};
  const Table table = read_table(path, name, rows);
  std::vector<int> marks;
  marks.reserve(table.numbers.size());
  for (const double mark : table.numbers) {
    if (mark != 0 && mark != 1)
      refuse_partition(
          joined({"The mark in row ", std::to_string(first_entry + std::ssize(marks)), " of ",
                  in_quotes(table.name), ", counted from 0, is ", text_of(mark), "."}),
          "Give 1 for an edge that must not be cut, and 0 for any other.");
    marks.push_back(mark == 1 ? 1 : 0);
  }
  return marks;
}

// --- What is wrong with a graph ------------------------------------------------------------------

std::string remedy_for(OffenceKind kind) {
  switch (kind) {
    case OffenceKind::loop: return "Leave out edges from a vertex to itself.";
    case OffenceKind::duplicate: return "Give each neighbour once.";
    case OffenceKind::one_way: return "Give each edge in the rows of both its vertices.";
    case OffenceKind::unequal: break;
  }
  return "Give each edge the same weight in the rows of both its vertices.";
}

// Collective. The reader of .mtx leaves nothing to find.
void refuse_offence(const Communicator& communicator, const GraphFile& graph,
                    const std::string& path) {
  if (graph_format_of(path) == GraphFormat::matrix_market) return;
  if (const auto offence = first_offence(communicator, graph))
    refuse_partition(
        joined({sentence_on(*offence, graph.first_number), " So it is in ", in_quotes(path), "."}),
        remedy_for(offence->kind));
}

// Collective. As weights of edges, marks must be the same in both directions, too. The graph must
// have no other offence.
void refuse_one_way_marks(const Communicator& communicator, GraphInput& input,
                          const std::string& path) {
  std::vector<double> marks;
  vote(communicator, attempt(partition_stage, [&] {
         marks.assign(input.uncuttable.begin(), input.uncuttable.end());
       }));
  std::swap(marks, input.graph.edge_weights);
  const auto offence = first_offence(communicator, input.graph);
  std::swap(marks, input.graph.edge_weights);
  if (!offence) return;
  const std::string vertex = std::to_string(offence->vertex + input.graph.first_number);
  const std::string neighbour = std::to_string(offence->neighbour + input.graph.first_number);
  const bool is_marked_first = offence->weight != 0;
  refuse_partition(
      joined({"In ", in_quotes(path), " the edge between the vertices ", vertex, " and ", neighbour,
              " is marked in the row of vertex ", is_marked_first ? vertex : neighbour, " alone."}),
      "Mark both directions of an edge or none.");
}

}  // namespace

GraphInput read_graph_input(const Communicator& communicator, const GraphPartitionOptions& options,
                            const Progress& progress) {
  communicator.barrier();
  const Stopwatch whole;
  GraphInput input;
  input.graph = read_graph(communicator, options.graph, progress);
  refuse_offence(communicator, input.graph, options.graph);
  const std::int64_t first_entry =
      communicator.exclusive_scan(static_cast<std::int64_t>(std::ssize(input.graph.columns)));
  vote(communicator, attempt(partition_stage, [&] {
         input.remarks = remarks_on(input.graph.changes);
         if (options.weights) {
           if (input.graph.constraints > 0)
             input.remarks.emplace_back("Weights of vertices in the graph give way to --weights.");
           read_weights(*options.weights, options.graph, input.graph);
         }
         if (options.points) read_places(*options.points, input, options.graph);
         if (options.from) input.from = read_from(*options.from, options.graph, input.graph);
         if (options.uncuttable)
           input.uncuttable =
               read_marks(*options.uncuttable, options.graph, input.graph, first_entry);
       }));
  if (options.uncuttable) refuse_one_way_marks(communicator, input, *options.uncuttable);
  input.seconds = communicator.all_reduce(whole.seconds(), Reduction::greatest);
  return input;
}

}  // namespace evenkeel::tool
