#include "files/metis.hpp"

#include "files/numbers.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::string_view how_to_begin_metis =
    "Begin with a line of whole numbers: vertices, edges and, where there are weights, fmt and "
    "ncon.";
constexpr std::string_view how_to_write_metis =
    "Write a line for each vertex: its size and weights, if fmt says so, and its neighbours, "
    "counted from 1.";

struct MetisHeader {
  std::int64_t vertices = 0, edges = 0;
  bool has_sizes = false, has_edge_weights = false;
  std::int64_t constraints = 0;
};

bool is_comment(std::string_view line) {
  const char* end = line.data() + line.size();
  const char* at = skip_blanks(line.data(), end);
  return at != end && *at == '%';
}

std::optional<std::string_view> next_row(LineReader& lines) {
  auto line = lines.next();
  while (line && is_comment(*line)) line = lines.next();
  return line;
}

bool is_empty(std::string_view line) { return std::ranges::all_of(line, is_blank); }

std::string place_of_number(const ByteSource& source, std::uint64_t line, std::size_t number) {
  return joined({"Number ", std::to_string(number), " in line ", std::to_string(line), " of ",
                 in_quotes(source.name())});
}

// --- The header ----------------------------------------------------------------------------------

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  const char* end = line.data() + line.size();
  for (const char* at = skip_blanks(line.data(), end); at != end; at = skip_blanks(at, end)) {
    words.push_back(word_at(at, end));
    at += words.back().size();
  }
  return words;
}

std::int64_t count_of(const ByteSource& source, std::uint64_t line, std::size_t number,
                      std::string_view word) {
  const Digits digits = read_digits(word.data(), word.data() + word.size());
  if (digits.end != word.data() + word.size() || digits.number < 0)
    refuse(joined({place_of_number(source, line, number), problem_with_count(word)}),
           std::string(how_to_begin_metis));
  return digits.number;
}

void read_fmt(const ByteSource& source, std::uint64_t line, std::string_view word,
              MetisHeader& header) {
  const bool binary = std::ranges::all_of(word, [](char c) { return c == '0' || c == '1'; });
  if (!binary || word.size() > 3)
    refuse(joined({place_of_number(source, line, 3), ", fmt, is ", in_quotes(word), "."}),
           "Give three digits that say whether the file has vertex sizes, vertex weights and edge "
           "weights: 1 for yes, 0 for no.");
  const auto digit = [&](std::size_t from_right) {
    return word.size() >= from_right && word[word.size() - from_right] == '1';
  };
  header.has_edge_weights = digit(1);
  header.constraints = digit(2) ? 1 : 0;
  header.has_sizes = digit(3);
}

void read_constraints(const ByteSource& source, std::uint64_t line, std::string_view word,
                      MetisHeader& header) {
  const std::int64_t constraints = count_of(source, line, 4, word);
  if (constraints > 0 && header.constraints == 0)
    refuse(joined({place_of_line(source, line - 1), " declares ", std::to_string(constraints),
                   " weights for each vertex, but its fmt says that vertices have no weights."}),
           "Give a fmt of 10, or 11 where edges have weights too; or leave ncon out.");
  header.constraints = header.constraints == 0 ? 0 : std::max<std::int64_t>(constraints, 1);
}

// Refuses a header that declares more than the file can hold, before memory is allocated. A vertex
// takes at least one byte for its line end, and one for each of its weights; an edge takes two, one
// at each end.
void check_size(const ByteSource& source, std::uint64_t line, const MetisHeader& header) {
  const auto bytes = static_cast<std::int64_t>(source.size());
  if (header.vertices <= bytes && header.edges <= bytes / 2 && header.constraints <= bytes) return;
  refuse(joined({place_of_line(source, line - 1), " declares ", std::to_string(header.vertices),
                 " vertices, ", std::to_string(header.edges), " edges and ",
                 std::to_string(header.constraints), " weights for each vertex; the file has ",
                 std::to_string(bytes), " bytes, which are too few."}),
         "Check the header, and whether the file was cut off.");
}

MetisHeader read_header(const ByteSource& source, LineReader& lines) {
  auto text = next_row(lines);
  while (text && is_empty(*text)) text = next_row(lines);
  if (!text)
    refuse(joined({"The file ", in_quotes(source.name()), " is empty."}),
           std::string(how_to_begin_metis));
  const std::uint64_t line = lines.line();
  const std::vector<std::string_view> words = words_of(*text);
  if (words.size() < 2 || words.size() > 4)
    refuse(joined({place_of_line(source, line - 1), ", the header, has ",
                   std::to_string(words.size()), " numbers instead of 2 to 4."}),
           std::string(how_to_begin_metis));
  MetisHeader header;
  header.vertices = count_of(source, line, 1, words[0]);
  header.edges = count_of(source, line, 2, words[1]);
  if (words.size() > 2) read_fmt(source, line, words[2], header);
  if (words.size() > 3) read_constraints(source, line, words[3], header);
  check_size(source, line, header);
  return header;
}

// --- A vertex ------------------------------------------------------------------------------------

// Reads the numbers of one line.
class VertexRow {
 public:
  VertexRow(const ByteSource& source, std::uint64_t line, std::string_view text)
      : source_(source), line_(line), at_(text.data()), end_(text.data() + text.size()) {
    at_ = skip_blanks(at_, end_);
  }

  bool is_at_end() const noexcept { return at_ == end_; }

  // Returns the next number. Refuses a number outside of [least, most].
  std::int64_t next(std::int64_t least, std::int64_t most, std::string_view what) {
    const char* begin = at_;
    const Digits digits = read_digits(begin, end_);
    ++numbers_;
    if (digits.end == begin || (digits.end != end_ && !is_blank(*digits.end)) ||
        digits.number < least || digits.number > most) [[unlikely]]
      refuse_number(word_at(begin, end_), digits, least, most, what);
    at_ = skip_blanks(digits.end, end_);
    return digits.number;
  }

  [[noreturn]] void refuse_end(std::string_view missing) const {
    refuse(joined({place_of_line(source_, line_ - 1), " ends after ", std::to_string(numbers_),
                   " numbers, before ", missing, "."}),
           std::string(how_to_write_metis));
  }

 private:
  [[noreturn]] void refuse_number(std::string_view word, const Digits& digits, std::int64_t least,
                                  std::int64_t most, std::string_view what) const {
    std::string problem = joined({place_of_number(source_, line_, numbers_), ", ", what, ","});
    const bool is_whole = digits.end == word.data() + word.size() && digits.number >= 0;
    if (!is_whole)
      refuse(problem.append(problem_with_count(word)), std::string(how_to_write_metis));
    problem.append(joined({" is ", word, "."}));
    if (digits.number < least)
      refuse(std::move(problem), joined({"Give ", std::to_string(least), " or more."}));
    refuse(std::move(problem), joined({"Give at most ", std::to_string(most),
                                       ", the number of vertices in the header."}));
  }

  const ByteSource& source_;
  std::uint64_t line_;
  const char *at_, *end_;
  std::size_t numbers_ = 0;
};

void read_row(const MetisHeader& header, VertexRow row, GraphFile& graph) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto weight = [&](std::int64_t least, std::string_view what) {
    if (row.is_at_end()) row.refuse_end(what);
    return static_cast<double>(row.next(least, most, what));
  };
  if (header.has_sizes) graph.vertex_sizes.push_back(weight(0, "the size of a vertex"));
  for (std::int64_t c = 0; c < header.constraints; ++c)
    graph.vertex_weights.push_back(weight(0, "a weight of a vertex"));
  while (!row.is_at_end()) {
    graph.columns.push_back(row.next(1, header.vertices, "a neighbour") - 1);
    if (header.has_edge_weights) graph.edge_weights.push_back(weight(1, "the weight of an edge"));
  }
  graph.offsets.push_back(std::ssize(graph.columns));
}

// Reserves memory for the portion as if its rows were about as long as the average row.
void reserve(const MetisHeader& header, std::int64_t rows, GraphFile& graph) {
  if (header.vertices == 0) return;
  const double share = static_cast<double>(rows) / static_cast<double>(header.vertices);
  const auto entries = static_cast<std::size_t>(2.02 * share * static_cast<double>(header.edges));
  graph.offsets.reserve(static_cast<std::size_t>(rows) + 1);
  graph.columns.reserve(entries);
  if (header.has_edge_weights) graph.edge_weights.reserve(entries);
}

[[noreturn]] void refuse_rows(const ByteSource& source, std::int64_t declared, std::int64_t found) {
  refuse(joined({"The header of ", in_quotes(source.name()), " declares ", std::to_string(declared),
                 " vertices, but ", std::to_string(found), " lines follow, ",
                 miscount(declared, found), "."}),
         "Write a line for each vertex, an empty one where it has no neighbours.");
}

}  // namespace

GraphFile read_metis(const ByteSource& source, const GraphPortion& portion,
                     const Progress& progress) {
  LineReader lines(source, begin_of_text(source), 0, {.progress = progress});
  const MetisHeader header = read_header(source, lines);
  const auto [begin, end] = exec::share_of(header.vertices, portion.of, portion.index);
  GraphFile graph;
  graph.vertices = header.vertices;
  graph.declared_edges = header.edges;
  graph.constraints = header.constraints;
  graph.first = begin;
  reserve(header, end - begin, graph);
  for (std::int64_t vertex = 0; vertex < header.vertices; ++vertex) {
    const auto line = next_row(lines);
    if (!line) refuse_rows(source, header.vertices, vertex);
    if (vertex >= begin && vertex < end)
      read_row(header, VertexRow(source, lines.line(), *line), graph);
  }
  std::int64_t rows = header.vertices, rows_with_text = rows;
  while (const auto line = next_row(lines)) {
    ++rows;
    if (!is_empty(*line)) rows_with_text = rows;
  }
  if (rows_with_text > header.vertices) refuse_rows(source, header.vertices, rows_with_text);
  graph.entries = std::ssize(graph.columns);
  return graph;
}

}  // namespace evenkeel::tool
