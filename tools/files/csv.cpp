#include "files/csv.hpp"

#include "files/lines.hpp"
#include "files/numbers.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::string_view how_to_write_csv =
    "Write one object per line, as finite numbers separated by commas, after at most one "
    "header line.";

LineReader lines_of(const ByteSource& source, std::uint64_t offset, std::uint64_t line,
                    Progress progress = {}) {
  return LineReader(source, offset, line,
                    {CsvFile::most_line_bytes, how_to_write_csv, std::move(progress)});
}

// Finding the lines is about a tenth of the work, and converting the numbers is the rest.
Progress of_finding(const Progress& progress) {
  if (!progress) return {};
  return [&progress](std::uint64_t bytes, std::uint64_t of) { progress(bytes, 10 * of); };
}
Progress of_converting(const Progress& progress, std::uint64_t begin, std::uint64_t end) {
  if (!progress) return {};
  return [&progress, begin, end](std::uint64_t bytes, std::uint64_t) {
    const std::uint64_t share = std::max<std::uint64_t>(1, end - begin);
    progress(share + 9 * (std::min(bytes, end) - begin), 10 * share);
  };
}

// --- Numbers -------------------------------------------------------------------------------------

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

enum class CellKind { number, empty, not_finite, out_of_range, no_text, no_number };

CellKind kind_of(std::string_view cell) {
  if (cell.empty()) return CellKind::empty;
  double number = 0;
  const char* end = cell.data() + cell.size();
  const auto [read, error] = read_number(cell.data(), end, number);
  if (read == end && error == std::errc())
    return std::isfinite(number) ? CellKind::number : CellKind::not_finite;
  if (read == end && error == std::errc::result_out_of_range) return CellKind::out_of_range;
  const auto is_printable = [](char c) { return c >= ' ' && c != '\x7F'; };
  const auto is_of_utf8 = [](char c) { return static_cast<unsigned char>(c) >= 0x80U; };
  if (!std::ranges::all_of(cell, [&](char c) { return is_printable(c) || is_of_utf8(c); }))
    return CellKind::no_text;
  return CellKind::no_number;
}

std::string problem_with(std::string_view cell) {
  switch (kind_of(cell)) {
    case CellKind::number: break;
    case CellKind::empty: return " is empty.";
    case CellKind::not_finite: return joined({" is ", in_quotes(cell), ", which is not finite."});
    case CellKind::out_of_range:
      return joined({" is ", in_quotes(cell), ", which is out of the range of a double."});
    case CellKind::no_text: return " holds bytes that are not text.";
    case CellKind::no_number: return joined({" is ", in_quotes(cell), ", which is not a number."});
  }
  return " is not a number.";
}

// True if the cell begins like a number, so that it was meant as one even if it is mistyped.
bool begins_like_number(std::string_view cell) {
  if (kind_of(cell) == CellKind::not_finite) return true;
  if (cell.starts_with('+') || cell.starts_with('-')) cell.remove_prefix(1);
  if (cell.starts_with('.')) cell.remove_prefix(1);
  return !cell.empty() && is_digit(cell.front());
}

struct FirstLine {
  std::uint64_t columns = 0;
  bool is_header = false;
};

FirstLine look_at_first(std::string_view line) {
  FirstLine first;
  bool any_number = false, any_name = false;
  for (;;) {
    const std::size_t comma = line.find(',');
    const std::string_view cell = without_blanks(line.substr(0, comma));
    any_number = any_number || begins_like_number(cell);
    any_name = any_name || !cell.empty();
    ++first.columns;
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  first.is_header = any_name && !any_number;
  return first;
}

[[noreturn]] void refuse_cell(const ByteSource& source, std::uint64_t line, std::uint64_t column,
                              std::string_view cell) {
  refuse(joined({"Column ", std::to_string(column), " in line ", std::to_string(line + 1), " of ",
                 in_quotes(source.name()), problem_with(cell)}),
         std::string(how_to_write_csv));
}

// Appends the numbers of one line and returns how many there were.
std::uint64_t read_line(const ByteSource& source, std::uint64_t line_number, std::string_view line,
                        std::vector<double>& numbers) {
  const char* at = line.data();
  const char* end = at + line.size();
  for (std::uint64_t column = 1;; ++column) {
    double number = 0;
    const char* cell = skip_blanks(at, end);
    const auto [read, error] = read_number(cell, end, number);
    at = skip_blanks(read, end);
    if (error != std::errc() || !std::isfinite(number) || (at != end && *at != ',')) {
      const char* comma = std::find(cell, end, ',');
      refuse_cell(source, line_number, column, without_blanks({cell, comma}));
    }
    numbers.push_back(number);
    if (at == end) return column;
    ++at;
  }
}

}  // namespace

// --- The file ------------------------------------------------------------------------------------

CsvFile::CsvFile(std::unique_ptr<const ByteSource> owned, Progress progress)
    : ArrayFile(std::move(owned), std::move(progress)) {
  const std::uint64_t begin = begin_of_text(source());
  const std::uint64_t lines = count_lines(begin);
  if (lines == 0)
    refuse(joined({"The file ", in_quotes(name()), " is empty."}), std::string(how_to_write_csv));
  const FirstLine first = look_at_first(lines_of(source(), begin, 0).next().value_or(""));
  header_lines_ = first.is_header ? 1 : 0;
  if (lines == header_lines_)
    refuse(joined({"The file ", in_quotes(name()), " ends after its header, in line 1."}),
           std::string(how_to_write_csv));
  set_shape(lines - header_lines_, first.columns);
}

// Empty lines are allowed only at the end, so that the number of a line identifies its object.
std::uint64_t CsvFile::count_lines(std::uint64_t begin) {
  LineReader reader = lines_of(source(), begin, 0, of_finding(progress()));
  std::optional<std::uint64_t> empty;
  std::uint64_t lines = 0;
  for (;;) {
    const std::uint64_t offset = reader.offset(), line = reader.line();
    const auto text = reader.next();
    if (!text) return lines;
    if (std::ranges::all_of(*text, is_blank)) {
      if (!empty) empty = line;
      continue;
    }
    if (empty)
      refuse(joined({place_of_line(source(), *empty), " is empty, but other lines follow."}),
             std::string(how_to_write_csv));
    if (lines % lines_per_mark == 0) marks_.push_back(offset);
    ++lines;
  }
}

std::uint64_t CsvFile::end_of(std::uint64_t last) const {
  const std::uint64_t mark = (last + lines_per_mark - 1) / lines_per_mark;
  return mark < marks_.size() ? marks_[mark] : source().size();
}

// Each number takes at least one byte, and the comma or line end after it takes another.
std::uint64_t CsvFile::numbers_to_expect(std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t fit = (end_of(last) - marks_[first / lines_per_mark]) / 2 + 1;
  return columns() > fit / (last - first) ? fit : columns() * (last - first);
}

std::vector<double> CsvFile::read_within(std::uint64_t first, std::uint64_t last) const {
  first += header_lines_;
  last += header_lines_;
  const std::uint64_t mark = first / lines_per_mark;
  LineReader reader = lines_of(source(), marks_[mark], mark * lines_per_mark,
                               of_converting(progress(), marks_[mark], end_of(last)));
  while (reader.line() < first && reader.next()) continue;

  std::vector<double> numbers;
  numbers.reserve(numbers_to_expect(first, last));
  for (std::uint64_t line = first; line < last; ++line) {
    const auto text = reader.next();
    if (!text)
      refuse(joined({place_of_line(source(), line), " no longer exists."}),
             "Run again when no program writes to it.");
    const std::uint64_t found = read_line(source(), line, *text, numbers);
    if (found != columns())
      refuse(joined({place_of_line(source(), line), " has ", std::to_string(found),
                     " columns, but line 1 has ", std::to_string(columns()), "."}),
             std::string(how_to_write_csv));
  }
  return numbers;
}

}  // namespace evenkeel::tool
