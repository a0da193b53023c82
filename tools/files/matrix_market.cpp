#include "files/matrix_market.hpp"

#include "files/numbers.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <tuple>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::string_view how_to_begin_matrix =
    "Begin with %%MatrixMarket matrix coordinate, then real, integer or pattern, then general, "
    "symmetric or skew-symmetric.";

enum class MatrixValues { none, integers, reals };

struct MatrixHeader {
  MatrixValues values = MatrixValues::reals;
  bool is_symmetric = false;  // or skew-symmetric: the file has one triangle only
  std::int64_t vertices = 0, entries = 0;
};

[[noreturn]] void refuse_line(const ByteSource& source, std::uint64_t line,
                              std::string_view problem, std::string_view remedy) {
  refuse(joined({place_of_line(source, line - 1), problem}), std::string(remedy));
}

// The next line that is neither empty nor a comment.
std::optional<std::string_view> next_entry(LineReader& lines) {
  for (;;) {
    const auto line = lines.next();
    if (!line) return line;
    const char* end = line->data() + line->size();
    const char* at = skip_blanks(line->data(), end);
    if (at != end && *at != '%') return line;
  }
}

// --- The header ----------------------------------------------------------------------------------

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

[[noreturn]] void refuse_word(const ByteSource& source, std::string_view word,
                              std::string_view remedy) {
  refuse_line(source, 1, joined({", the banner, says ", in_quotes(word), "."}), remedy);
}

MatrixValues values_of(const ByteSource& source, const std::string& word) {
  if (word == "real" || word == "double") return MatrixValues::reals;
  if (word == "integer") return MatrixValues::integers;
  if (word == "pattern") return MatrixValues::none;
  refuse_word(source, word,
              word == "complex" ? "An edge weighs one real number: write absolute values as real."
                                : how_to_begin_matrix);
}

bool symmetry_of(const ByteSource& source, const std::string& word) {
  if (word == "general") return false;
  if (word == "symmetric" || word == "skew-symmetric") return true;
  refuse_word(source, word,
              word == "hermitian"
                  ? "An edge weighs one real number: write absolute values as real symmetric."
                  : how_to_begin_matrix);
}

MatrixHeader read_banner(const ByteSource& source, LineReader& lines) {
  const auto line = lines.next();
  if (!line)
    refuse(joined({"The file ", in_quotes(source.name()), " is empty."}),
           std::string(how_to_begin_matrix));
  std::array<std::string, 5> words;
  const char* end = line->data() + line->size();
  const char* at = skip_blanks(line->data(), end);
  for (std::string& word : words) {
    word = lower_case(word_at(at, end));
    at = skip_blanks(at + word.size(), end);
  }
  if (words[0] != "%%matrixmarket")
    refuse_line(source, 1, " is not the banner of a Matrix Market file.", how_to_begin_matrix);
  if (words[4].empty() || at != end)
    refuse_line(
        source, 1,
        joined({", the banner, has ", words[4].empty() ? "fewer" : "more", " than five words."}),
        how_to_begin_matrix);
  if (words[1] != "matrix") refuse_word(source, words[1], how_to_begin_matrix);
  if (words[2] != "coordinate")
    refuse_word(source, words[2],
                words[2] == "array" ? "A dense matrix has an edge between any two vertices: write "
                                      "the entries that are not 0, as coordinate."
                                    : how_to_begin_matrix);
  MatrixHeader header;
  header.values = values_of(source, words[3]);
  header.is_symmetric = symmetry_of(source, words[4]);
  return header;
}

// Reads a count. Only blanks may follow it.
std::int64_t read_count(const ByteSource& source, std::uint64_t line, const char*& at,
                        const char* end, std::string_view what) {
  if (at == end)
    refuse_line(source, line, joined({" ends before ", what, "."}),
                "Give the numbers of rows, columns and entries.");
  const Digits digits = read_digits(at, end);
  const std::string_view word = word_at(at, end);
  if (digits.end != word.data() + word.size() || digits.number < 0)
    refuse_line(source, line, joined({": ", what, problem_with_count(word)}),
                "Give the numbers of rows, columns and entries.");
  at = skip_blanks(digits.end, end);
  return digits.number;
}

void read_size(const ByteSource& source, LineReader& lines, MatrixHeader& header) {
  const auto text = next_entry(lines);
  if (!text)
    refuse(joined({"The file ", in_quotes(source.name()), " ends after its banner, in line ",
                   std::to_string(lines.line()), "."}),
           "Give the numbers of rows, columns and entries below it.");
  const std::uint64_t line = lines.line();
  const char* end = text->data() + text->size();
  const char* at = skip_blanks(text->data(), end);
  header.vertices = read_count(source, line, at, end, "the number of rows");
  const std::int64_t columns = read_count(source, line, at, end, "the number of columns");
  header.entries = read_count(source, line, at, end, "the number of entries");
  if (at != end)
    refuse_line(source, line, " has more than three numbers.",
                "Give the numbers of rows, columns and entries.");
  if (header.vertices != columns)
    refuse_line(source, line,
                joined({" declares ", std::to_string(header.vertices), " rows and ",
                        std::to_string(columns), " columns."}),
                "Give a square matrix: row i and column i are the same vertex.");
  // The memory for all rows is allocated before any row is read. So a file may declare at most this
  // many rows more than it has bytes.
  constexpr std::int64_t always_fine = std::int64_t{1} << 20;
  if (header.vertices - always_fine > static_cast<std::int64_t>(source.size()))
    refuse_line(
        source, line,
        joined({" declares ", std::to_string(header.vertices), " rows, but the file has only ",
                std::to_string(source.size()), " bytes, so that nearly all rows would be empty."}),
        "Leave empty rows out, and renumber the others.");
}

// --- Entries -------------------------------------------------------------------------------------

struct MatrixEntry {
  std::int64_t row = 0, column = 0;  // from 0 on
  double value = 1;
};

constexpr std::string_view how_to_write_matrix =
    "Write the row and the column of an entry, counted from 1, and then its finite value, unless "
    "the banner says pattern.";

// Reads one line. Refuses a row, column or value that cannot be read or is out of range.
class EntryReader {
 public:
  EntryReader(const ByteSource& source, const MatrixHeader& header)
      : source_(source), header_(header) {}

  MatrixEntry read(std::uint64_t line, std::string_view text) const {
    const char* end = text.data() + text.size();
    const char* at = skip_blanks(text.data(), end);
    MatrixEntry entry;
    entry.row = read_place(line, at, end, "row");
    entry.column = read_place(line, at, end, "column");
    if (header_.values != MatrixValues::none) entry.value = read_value(line, at, end);
    if (at != end) [[unlikely]]
      refuse_line(source_, line,
                  joined({" continues after its ",
                          header_.values == MatrixValues::none ? "column" : "value", " with ",
                          in_quotes({at, end}), "."}),
                  how_to_write_matrix);
    return entry;
  }

 private:
  std::int64_t read_place(std::uint64_t line, const char*& at, const char* end,
                          std::string_view what) const {
    const Digits digits = read_digits(at, end);
    if (digits.end == at || (digits.end != end && !is_blank(*digits.end)) || digits.number < 1 ||
        digits.number > header_.vertices) [[unlikely]]
      refuse_place(line, word_at(at, end), digits, what);
    at = skip_blanks(digits.end, end);
    return digits.number - 1;
  }

  [[noreturn]] void refuse_place(std::uint64_t line, std::string_view word, const Digits& digits,
                                 std::string_view what) const {
    if (word.empty())
      refuse_line(source_, line, joined({" ends before the ", what, " of its entry."}),
                  how_to_write_matrix);
    if (digits.end != word.data() + word.size() || digits.number < 0)
      refuse_line(source_, line, joined({": the ", what, problem_with_count(word)}),
                  how_to_write_matrix);
    refuse_line(source_, line, joined({": the ", what, " is ", word, "."}),
                joined({"Give rows and columns from 1 to ", std::to_string(header_.vertices),
                        ", as declared."}));
  }

  double read_value(std::uint64_t line, const char*& at, const char* end) const {
    double value = 0;
    const auto [read, error] = read_number(at, end, value);
    const bool is_whole_word = read != at && (read == end || is_blank(*read));
    if (error != std::errc() || !is_whole_word || !std::isfinite(value) ||
        (header_.values == MatrixValues::integers && !is_integer({at, read}))) [[unlikely]]
      refuse_value(line, word_at(at, end), error, is_whole_word);
    at = skip_blanks(read, end);
    return value;
  }

  static bool is_integer(std::string_view word) {
    if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
    return std::ranges::all_of(word, is_digit);
  }

  [[noreturn]] void refuse_value(std::uint64_t line, std::string_view word, std::errc error,
                                 bool is_whole_word) const {
    if (word.empty())
      refuse_line(source_, line, " ends before the value of its entry.", how_to_write_matrix);
    std::string_view problem = ", which is not a number.";
    if (is_whole_word && error == std::errc::result_out_of_range)
      problem = ", which is out of the range of a double.";
    else if (is_whole_word && error == std::errc())
      problem = header_.values == MatrixValues::integers ? ", which is not a whole number."
                                                         : ", which is not finite.";
    refuse_line(source_, line, joined({": the value is ", in_quotes(word), problem}),
                how_to_write_matrix);
  }

  const ByteSource& source_;
  const MatrixHeader& header_;
};

// The entries in rows or columns of the portion, in the order of the file.
struct MatrixEntries {
  std::vector<std::int64_t> rows, columns;
  std::vector<double> values;  // empty for a pattern
};

// For each side of the diagonal, the number of the first line with an entry there, counted from 1;
// 0 if there is no such line.
struct Triangles {
  std::uint64_t lower = 0, upper = 0;
};

void check_triangles(const ByteSource& source, const Triangles& found) {
  if (found.lower == 0 || found.upper == 0) return;
  refuse(
      joined({"The matrix in ", in_quotes(source.name()),
              " is said to be symmetric, but has entries on both sides of the diagonal, in lines ",
              std::to_string(std::min(found.lower, found.upper)), " and ",
              std::to_string(std::max(found.lower, found.upper)), "."}),
      "Write only the entries below the diagonal, or write general in the banner.");
}

void check_count(const ByteSource& source, std::int64_t declared, std::int64_t found) {
  if (found == declared) return;
  refuse(joined({"The size line of ", in_quotes(source.name()), " declares ",
                 std::to_string(declared), " entries, but ", std::to_string(found), " follow, ",
                 miscount(declared, found), "."}),
         "Check the declared number, and whether the file was cut off.");
}

MatrixEntries read_entries(const ByteSource& source, LineReader& lines, const MatrixHeader& header,
                           const exec::Share& mine, GraphChanges& changes) {
  const EntryReader reader(source, header);
  const auto is_mine = [&](std::int64_t v) { return v >= mine.begin && v < mine.end; };
  MatrixEntries entries;
  Triangles triangles;
  std::int64_t found = 0;
  while (const auto text = next_entry(lines)) {
    const MatrixEntry entry = reader.read(lines.line(), *text);
    ++found;
    if (entry.row == entry.column) {
      changes.loops += is_mine(entry.row) ? 1 : 0;
      continue;
    }
    if (header.is_symmetric) {
      std::uint64_t& side = entry.row > entry.column ? triangles.lower : triangles.upper;
      if (side == 0) side = lines.line();
      check_triangles(source, triangles);
    }
    if (!is_mine(entry.row) && !is_mine(entry.column)) continue;
    entries.rows.push_back(entry.row);
    entries.columns.push_back(entry.column);
    if (header.values != MatrixValues::none) entries.values.push_back(entry.value);
  }
  check_count(source, header.entries, found);
  return entries;
}

// --- The graph -----------------------------------------------------------------------------------

// An entry in a row of the matrix or, if it is mirrored, in a row of the transposed matrix. Entries
// are ordered by column. Within a column, entries of the matrix come first, and all are in the
// order of the file.
struct RowEntry {
  std::int64_t column;
  bool is_mirrored;
  std::int64_t place;  // among all entries

  std::tuple<std::int64_t, bool, std::int64_t> order() const {
    return {column, is_mirrored, place};
  }
};

// Merges the entries of the rows, one row after the other.
class Merger {
 public:
  Merger(const ByteSource& source, const MatrixHeader& header, const MatrixEntries& entries,
         GraphFile& graph)
      : source_(source), header_(header), entries_(entries), graph_(graph) {}

  void add_row(std::int64_t row, std::vector<RowEntry>& cells) {
    std::ranges::sort(cells, {}, &RowEntry::order);
    for (std::size_t i = 0; i < cells.size();) i = add_edge(row, cells, i);
    graph_.offsets.push_back(std::ssize(graph_.columns));
  }

 private:
  struct Side {
    std::int64_t entries = 0;
    double sum = 0;
  };

  // Adds the cells of one column, from `i` on. Returns the index of the first cell of the next
  // column.
  std::size_t add_edge(std::int64_t row, const std::vector<RowEntry>& cells, std::size_t i) {
    const std::int64_t column = cells[i].column;
    Side own, mirrored;
    for (; i < cells.size() && cells[i].column == column; ++i) {
      Side& side = cells[i].is_mirrored ? mirrored : own;
      ++side.entries;
      if (!entries_.values.empty())
        side.sum += entries_.values[static_cast<std::size_t>(cells[i].place)];
    }
    const double weight = std::max(std::abs(own.sum), std::abs(mirrored.sum));
    if (!std::isfinite(weight))
      refuse(joined({"The entries of ", in_quotes(source_.name()), " in row ",
                     std::to_string(row + 1), " and column ", std::to_string(column + 1),
                     " add up to more than a double can hold."}),
             "Write smaller values.");
    count(row, column, own, mirrored);
    if (header_.values != MatrixValues::none && weight == 0) return i;
    graph_.columns.push_back(column);
    if (header_.values != MatrixValues::none) graph_.edge_weights.push_back(weight);
    return i;
  }

  // Counts each fact at only one end of the edge, so no fact counts twice.
  void count(std::int64_t row, std::int64_t column, const Side& own, const Side& mirrored) {
    GraphChanges& changes = graph_.changes;
    const bool is_first_end = row < column;
    if (own.entries > 1 && (is_first_end || !header_.is_symmetric))
      changes.duplicates += own.entries - 1;
    if (!is_first_end) return;
    if (header_.values != MatrixValues::none && own.sum == 0 && mirrored.sum == 0)
      ++changes.zeros;
    else if (!header_.is_symmetric && (own.entries == 0 || mirrored.entries == 0))
      ++changes.one_way;
    else if (!header_.is_symmetric && std::abs(own.sum) != std::abs(mirrored.sum))
      ++changes.unequal;
  }

  const ByteSource& source_;
  const MatrixHeader& header_;
  const MatrixEntries& entries_;
  GraphFile& graph_;
};

// The entries of each row of the portion. Row r has the tags [starts[r], starts[r + 1]).
struct RowLists {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> tags;  // the index of the entry * 2, + 1 if it is mirrored
};

RowLists lists_of(const MatrixEntries& entries, const exec::Share& mine) {
  const auto rows = static_cast<std::size_t>(mine.end - mine.begin);
  RowLists lists;
  lists.starts.assign(rows + 1, 0);
  const auto for_each_end = [&](const auto& body) {
    for (std::size_t e = 0; e < entries.rows.size(); ++e) {
      const auto row = static_cast<std::uint64_t>(entries.rows[e] - mine.begin);
      const auto column = static_cast<std::uint64_t>(entries.columns[e] - mine.begin);
      if (row < rows) body(row, static_cast<std::int64_t>(2 * e));
      if (column < rows) body(column, static_cast<std::int64_t>(2 * e + 1));
    }
  };
  for_each_end([&](std::uint64_t row, std::int64_t) { ++lists.starts[row + 1]; });
  for (std::size_t r = 0; r < rows; ++r) lists.starts[r + 1] += lists.starts[r];
  lists.tags.resize(static_cast<std::size_t>(lists.starts[rows]));
  std::vector<std::int64_t> next(lists.starts.begin(), lists.starts.end() - 1);
  for_each_end([&](std::uint64_t row, std::int64_t tag) {
    lists.tags[static_cast<std::size_t>(next[row]++)] = tag;
  });
  return lists;
}

void merge(const ByteSource& source, const MatrixHeader& header, const MatrixEntries& entries,
           const exec::Share& mine, GraphFile& graph) {
  const RowLists lists = lists_of(entries, mine);
  graph.columns.reserve(lists.tags.size());
  if (header.values != MatrixValues::none) graph.edge_weights.reserve(lists.tags.size());
  graph.offsets.reserve(lists.starts.size());
  Merger merger(source, header, entries, graph);
  std::vector<RowEntry> cells;
  for (std::int64_t row = mine.begin; row < mine.end; ++row) {
    const auto r = static_cast<std::size_t>(row - mine.begin);
    cells.clear();
    for (std::int64_t i = lists.starts[r]; i < lists.starts[r + 1]; ++i) {
      const std::int64_t tag = lists.tags[static_cast<std::size_t>(i)];
      const bool is_mirrored = tag % 2 != 0;
      const auto place = static_cast<std::size_t>(tag / 2);
      cells.push_back({is_mirrored ? entries.rows[place] : entries.columns[place],
                       is_mirrored && !header.is_symmetric, tag / 2});
    }
    merger.add_row(row, cells);
  }
}

}  // namespace

GraphFile read_matrix_market(const ByteSource& source, const GraphPortion& portion,
                             const Progress& progress) {
  LineReader lines(source, begin_of_text(source), 0, {.progress = progress});
  MatrixHeader header = read_banner(source, lines);
  read_size(source, lines, header);
  const exec::Share mine = exec::share_of(header.vertices, portion.of, portion.index);
  GraphFile graph;
  graph.vertices = header.vertices;
  graph.first = mine.begin;
  const MatrixEntries entries = read_entries(source, lines, header, mine, graph.changes);
  merge(source, header, entries, mine, graph);
  graph.entries = std::ssize(graph.columns);
  return graph;
}

}  // namespace evenkeel::tool
