#include "partition/graph/input.hpp"

#include "files/array.hpp"
#include "files/graph_offence.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace evenkeel::tool {

namespace {

// --- Arrays beside the graph ---------------------------------------------------------------------

// The rows of a file, one for each of `count` vertices or entries of the graph. This rank needs the
// rows [first, first + mine).
struct GraphRows {
  std::string_view what, of_what;  // such as "weights" and "vertices"
  std::int64_t count = 0, first = 0, mine = 0;
  std::uint64_t most_columns = 1;
};

struct NumberTable {
  std::string name;
  std::int64_t columns = 1;
  std::vector<double> numbers;
};

NumberTable read_table(const std::string& path, const std::string& graph, const GraphRows& rows) {
  const auto file = open_array(path);
  if (file->columns() < 1 || file->columns() > rows.most_columns)
    refuse_partition(
        joined({"The ", rows.what, " in ", in_quotes(file->name()), " have ",
                std::to_string(file->columns()), " columns."}),
        rows.most_columns == 1
            ? std::string("Give one number in each row.")
            : joined({"Give from 1 to ", std::to_string(rows.most_columns), " numbers."}));
  if (file->rows() != static_cast<std::uint64_t>(rows.count))
    refuse_partition(joined({"There are ", std::to_string(file->rows()), " ", rows.what, " in ",
                             in_quotes(file->name()), ", but ", std::to_string(rows.count), " ",
                             rows.of_what, " in ", in_quotes(graph), "."}),
                     joined({"Give as many ", rows.what, " as ", rows.of_what, "."}));
  const auto first = static_cast<std::uint64_t>(rows.first);
  return {file->name(), static_cast<std::int64_t>(file->columns()),
          file->read(first, first + static_cast<std::uint64_t>(rows.mine))};
}

GraphRows rows_of_vertices(std::string_view what, const GraphFile& graph) {
  return {what, "vertices", graph.vertices, graph.first, graph.rows()};
}

// Throws an Error for the first number of a table that is not `valid`, and names its row.
template <class Valid>
void check_numbers(std::string_view what, const NumberTable& table, const GraphRows& rows,
                   const Valid& valid, const std::string& remedy) {
  const auto wrong = std::ranges::find_if_not(table.numbers, valid);
  if (wrong == table.numbers.end()) return;
  const std::int64_t row = rows.first + (wrong - table.numbers.begin()) / table.columns;
  refuse_partition(joined({what, " in row ", std::to_string(row), " of ", in_quotes(table.name),
                           ", counted from 0, is ", text_of(*wrong), "."}),
                   remedy);
}

void check_not_negative(std::string_view what, const NumberTable& table, const GraphRows& rows) {
  check_numbers(
      joined({"The ", what}), table, rows,
      [](double number) { return std::isfinite(number) && number >= 0; },
      joined({"Give ", what, "s that are finite and not negative."}));
}

void read_weights(const std::string& path, const std::string& name, GraphFile& graph) {
  GraphRows rows = rows_of_vertices("weights", graph);
  rows.most_columns = most_graph_weights;
  NumberTable weights = read_table(path, name, rows);
  check_not_negative("weight", weights, rows);
  graph.constraints = weights.columns;
  graph.vertex_weights = std::move(weights.numbers);
}

void read_bytes(const std::string& path, const std::string& name, GraphFile& graph) {
  const GraphRows rows = rows_of_vertices("sizes", graph);
  NumberTable sizes = read_table(path, name, rows);
  check_not_negative("size", sizes, rows);
  graph.vertex_sizes = std::move(sizes.numbers);
}

std::vector<int> read_from(const std::string& path, const std::string& name,
                           const GraphFile& graph) {
  const GraphRows rows = rows_of_vertices("parts", graph);
  const NumberTable table = read_table(path, name, rows);
  const auto is_part = [](double part) {
    return std::abs(part) <= std::numeric_limits<int>::max() && std::trunc(part) == part;
  };
  check_numbers("The part", table, rows, is_part,
                "Give whole numbers below 2^31; a negative one means no part.");
  return {table.numbers.begin(), table.numbers.end()};
}

std::vector<int> read_marks(const std::string& path, const std::string& name,
                            const GraphFile& graph, std::int64_t first_entry) {
  const GraphRows rows = {"marks", "neighbours", graph.entries, first_entry,
                          std::ssize(graph.columns)};
  const NumberTable table = read_table(path, name, rows);
  check_numbers(
      "The mark", table, rows, [](double mark) { return mark == 0 || mark == 1; },
      "Give 1 for an edge that must not be cut, and 0 for any other.");
  return {table.numbers.begin(), table.numbers.end()};
}

// --- Offences of a graph -------------------------------------------------------------------------

std::string remedy_for(OffenceKind kind) {
  switch (kind) {
    case OffenceKind::loop: return "Leave out edges from a vertex to itself.";
    case OffenceKind::duplicate: return "Give each neighbour once.";
    case OffenceKind::one_way: return "Give each edge in the rows of both its vertices.";
    case OffenceKind::unequal: break;
  }
  return "Give each edge the same weight in the rows of both its vertices.";
}

// Collective. Does not search graphs from .mtx files, since their reader leaves no offence.
void refuse_offence(const Communicator& communicator, const GraphFile& graph,
                    const std::string& path) {
  if (graph_format_of(path) == GraphFormat::matrix_market) return;
  if (const auto offence = first_offence(communicator, graph))
    refuse_partition(joined({sentence_on(*offence, graph.first_number), " The graph is in ",
                             in_quotes(path), "."}),
                     remedy_for(offence->kind));
}

// Collective. The two entries of an edge must have the same mark, as they must have the same
// weight. The graph must have no other offence.
void refuse_one_way_marks(const Communicator& communicator, GraphInput& input,
                          const std::string& path) {
  std::vector<double> marks;
  vote(communicator, attempt(refuse_partition.stage, [&] {
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
      "Mark both directions of an edge, or neither.");
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
  vote(communicator, attempt(refuse_partition.stage, [&] {
         input.remarks = remarks_on(input.graph.changes);
         if (options.weights) {
           if (input.graph.constraints > 0)
             input.remarks.emplace_back("--weights replaces the weights of vertices in the graph.");
           read_weights(*options.weights, options.graph, input.graph);
         }
         if (options.bytes) {
           if (!input.graph.vertex_sizes.empty())
             input.remarks.emplace_back("--bytes replaces the sizes of vertices in the graph.");
           read_bytes(*options.bytes, options.graph, input.graph);
         }
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
