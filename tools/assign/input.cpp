#include "assign/input.hpp"

#include "files/array.hpp"
#include "files/lines.hpp"
#include "files/output_file.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <cmath>
#include <limits>
#include <utility>

namespace evenkeel::tool {

namespace {

// --- Options -------------------------------------------------------------------------------------

// The greatest numbers that ek::assign accepts.
constexpr std::int64_t most_ranks = 10'000'000, most_blocks_in_all = 100'000'000;

std::int64_t whole_from(std::string_view option, const std::string& text, std::int64_t most) {
  const auto number = integer_from_text(text);
  if (!number || *number < 1 || *number > most)
    refuse_assign.value(option, text,
                        joined({"Give a whole number from 1 to ", std::to_string(most), "."}));
  return *number;
}

double real_from(std::string_view option, const std::string& text, double least) {
  const auto number = real_from_text(text);
  if (!number || !std::isfinite(*number) || *number < least)
    refuse_assign.value(option, text,
                        joined({"Give a finite number of at least ", text_of(least), "."}));
  return *number;
}

// The memory of ranks is a list of numbers, or a file.
bool names_file(const std::string& text) {
  return text.ends_with(".npy") || text.ends_with(".csv");
}

void check_output(const AssignArguments& asked) {
  if (!asked.out) return;
  std::vector<NamedFile> files = {{"--out", *asked.out}};
  const auto add = [&](std::string_view option, const std::optional<std::string>& file) {
    if (file) files.push_back({option, *file});
  };
  add("--costs", asked.costs);
  add("--bytes", asked.bytes);
  add("--from", asked.from);
  add("--place", asked.place);
  add("--edges", asked.edges);
  if (asked.memory && names_file(*asked.memory)) add("--memory", asked.memory);
  add("--speeds", asked.speeds);
  add("--nodes", asked.nodes);
  refuse_same_files(refuse_assign, files, 1);
  static_cast<void>(format_of(*asked.out));
}

// --- Files ---------------------------------------------------------------------------------------

struct Table {
  std::uint64_t columns = 0;
  std::vector<double> numbers;  // row by row

  double at(std::uint64_t row, std::uint64_t column) const {
    return numbers[static_cast<std::size_t>(row * columns + column)];
  }
  std::uint64_t rows() const { return numbers.size() / columns; }
  // The numbers must have passed is_whole.
  std::vector<int> whole() const {
    std::vector<int> integers;
    integers.reserve(numbers.size());
    for (const double number : numbers) integers.push_back(static_cast<int>(number));
    return integers;
  }
};

// The form that a file must have, and the remedies for other forms.
struct TableForm {
  std::uint64_t least_columns = 1, most_columns = 1;
  const char* columns_wanted = "Give one number in each row.";
  // The number of rows, and the noun for what a row describes. Without a noun, any number is valid.
  std::uint64_t rows = 0;
  const char* noun = nullptr;
};

void check_form(const ArrayFile& file, const TableForm& form) {
  if (file.columns() < form.least_columns || file.columns() > form.most_columns)
    refuse_assign(
        joined({in_quotes(file.name()), " has ", std::to_string(file.columns()), " columns."}),
        form.columns_wanted);
  if (form.noun != nullptr && file.rows() != form.rows)
    refuse_assign(
        joined({in_quotes(file.name()), " has ", std::to_string(file.rows()), " rows for ",
                std::to_string(form.rows), ' ' + std::string(form.noun), "s."}),
        joined({"Give one row per ", form.noun, "."}));
}

// `fits(number, column)` says whether a number is valid there; `wanted` names valid numbers.
template <class Fits>
Table read_table(const ArrayFile& file, const TableForm& form, const Fits& fits,
                 const std::string& wanted) {
  check_form(file, form);
  Table table{file.columns(), file.read(0, file.rows())};
  for (std::size_t i = 0; i < table.numbers.size(); ++i)
    if (!std::isfinite(table.numbers[i]) || !fits(table.numbers[i], i % table.columns))
      refuse_assign(
          joined({"In ", in_quotes(file.name()), ", row ", std::to_string(i / table.columns),
                  ", column ", std::to_string(i % table.columns), " is ", text_of(table.numbers[i]),
                  "."}),
          joined({"Give ", wanted, "."}));
  return table;
}

bool is_any(double, std::uint64_t) { return true; }
bool is_positive(double number, std::uint64_t) { return number > 0; }
bool is_not_negative(double number, std::uint64_t) { return number >= 0; }

bool is_whole(double number, double least, double most) {
  return number >= least && number <= most && number == std::floor(number);
}

// Transposes the costs: a row of the file has all phases of a block.
void read_costs(const ArrayFile& file, BlockInput& input) {
  const auto rows = static_cast<std::int64_t>(file.rows());
  if (rows < 1 || rows > most_blocks_in_all)
    refuse_assign(
        joined({in_quotes(file.name()), " has ", std::to_string(file.rows()), " rows."}),
        joined({"Give a row for each of 1 to ", std::to_string(most_blocks_in_all), " blocks."}));
  const TableForm form = {.most_columns = std::numeric_limits<int>::max(),
                          .columns_wanted = "Give a column for each phase."};
  const Table table =
      read_table(file, form, is_not_negative, "costs that are finite and not negative");
  input.options.phases = static_cast<int>(table.columns);
  input.costs.reserve(table.numbers.size());
  for (std::uint64_t phase = 0; phase < table.columns; ++phase)
    for (std::uint64_t row = 0; row < table.rows(); ++row)
      input.costs.push_back(table.at(row, phase));
}

void read_edges(const ArrayFile& file, BlockInput& input) {
  const TableForm form = {
      .least_columns = 2,
      .most_columns = 3,
      .columns_wanted = "Give two blocks in each row, or two blocks and a weight."};
  const auto last = static_cast<double>(input.blocks() - 1);
  const Table table = read_table(
      file, form,
      [&](double number, std::uint64_t column) {
        return column < 2 ? is_whole(number, 0, last) : number >= 0;
      },
      joined({"blocks from 0 to ", text_of(last), ", and weights that are not negative"}));
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    input.edges.push_back({static_cast<int>(table.at(row, 0)), static_cast<int>(table.at(row, 1))});
    if (table.columns == 3) input.weights.push_back(table.at(row, 2));
  }
  input.has_edges = true;
}

}  // namespace

AssignOptions checked(const AssignArguments& asked) {
  if (!asked.costs || !asked.ranks) refuse_assign("--costs and --ranks are needed.", "Give both.");
  if (asked.place && asked.edges)
    refuse_assign("Both --place and --edges are given.",
                  "Give the centres of the blocks, or pairs of neighbours.");
  AssignOptions options;
  options.ranks = static_cast<int>(whole_from("--ranks", *asked.ranks, most_ranks));
  if (asked.most_blocks)
    options.most_blocks = whole_from("--most-blocks", *asked.most_blocks, most_blocks_in_all);
  if (asked.memory && !names_file(*asked.memory))
    for (const std::string_view bytes : split(*asked.memory, ','))
      options.memory.push_back(refuse_assign.bytes_in("--memory", bytes));
  if (asked.capacity) options.capacity = {real_from("--capacity", *asked.capacity, 0)};
  if (asked.target_lambda) options.target = real_from("--target-lambda", *asked.target_lambda, 1);
  check_output(asked);
  return options;
}

BlockInput read_blocks(const AssignArguments& asked, const ProgressOf& progress) {
  const auto open = [&](const std::string& path) {
    return open_array(path, progress ? progress(path) : Progress());
  };
  BlockInput input;
  AssignOptions& options = input.options = checked(asked);
  read_costs(*open(*asked.costs), input);
  const TableForm of_blocks = {.rows = input.blocks(), .noun = "block"};
  const TableForm of_ranks = {.rows = static_cast<std::uint64_t>(options.ranks), .noun = "rank"};
  if (asked.bytes)
    input.bytes = read_table(*open(*asked.bytes), of_blocks, is_not_negative,
                             "bytes that are finite and not negative")
                      .numbers;
  if (asked.from) {
    const int last = options.ranks - 1;
    const auto is_rank = [&](double number, std::uint64_t) { return is_whole(number, -1, last); };
    input.from =
        read_table(*open(*asked.from), of_blocks, is_rank,
                   joined({"ranks from 0 to ", std::to_string(last), ", or -1 for a new block"}))
            .whole();
  }
  if (asked.place) {
    TableForm form = of_blocks;
    form.least_columns = 2, form.most_columns = 3;
    form.columns_wanted = "Give x and y, or x, y and z, in each row.";
    Table table = read_table(*open(*asked.place), form, is_any, "finite coordinates");
    input.dimensions = static_cast<int>(table.columns);
    input.centres = std::move(table.numbers);
  }
  if (asked.edges) read_edges(*open(*asked.edges), input);
  if (asked.memory && names_file(*asked.memory))
    options.memory = read_table(*open(*asked.memory), of_ranks, is_positive,
                                "bytes that are finite and positive")
                         .numbers;
  if (asked.speeds)
    options.speeds = read_table(*open(*asked.speeds), of_ranks, is_positive,
                                "speeds that are finite and positive")
                         .numbers;
  if (asked.nodes) {
    constexpr int last = std::numeric_limits<int>::max();
    const auto is_node = [](double number, std::uint64_t) { return is_whole(number, 0, last); };
    options.node_of_rank = read_table(*open(*asked.nodes), of_ranks, is_node,
                                      "whole numbers from 0 to " + std::to_string(last))
                               .whole();
  }
  return input;
}

BlockMap map_of(const BlockInput& input) {
  AssignOptions options = input.options;
  options.from = input.from;
  options.bytes = input.bytes;
  if (input.dimensions > 0) options.place = BlockCentres{input.centres, input.dimensions};
  if (input.has_edges) options.place = BlockEdges{input.edges, input.weights};
  return assign(input.costs, options);
}

}  // namespace evenkeel::tool
