#include "files/csv.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view how_to_write =
    "Write one object a line, finite numbers separated by commas, below at most one header line.";

// Lines are counted from 0 here, and from 1 in messages.
std::string place_of_line(const ByteSource& source, std::uint64_t line) {
  return joined({"Line ", std::to_string(line + 1), " of ", in_quotes(source.name())});
}

// --- Lines ---------------------------------------------------------------------------------------

// Reads the lines of a source one by one, starting at the offset of one of them.
class LineReader {
 public:
  LineReader(const ByteSource& source, std::uint64_t offset, std::uint64_t line)
      : source_(source), read_to_(offset), line_(line) {}

  // The next line without its line end, or nothing after the last. Valid until the next call.
  std::optional<std::string_view> next();

  // Offset and number of the next line.
  std::uint64_t offset() const noexcept { return read_to_ - (end_ - begin_); }
  std::uint64_t line() const noexcept { return line_; }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;

  bool fill();
  std::string_view take(std::size_t bytes, std::size_t bytes_of_end);

  const ByteSource& source_;
  std::uint64_t read_to_;  // the offset after the bytes in the buffer
  std::uint64_t line_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the bytes of the buffer that were not returned yet
};

std::optional<std::string_view> LineReader::next() {
  for (std::size_t searched = 0;;) {
    const char* unread = buffer_.data() + begin_;
    const std::size_t bytes = end_ - begin_;
    const void* found = bytes == searched ? nullptr  // memchr must not get a null pointer
                                          : std::memchr(unread + searched, '\n', bytes - searched);
    if (found != nullptr)
      return take(static_cast<std::size_t>(static_cast<const char*>(found) - unread), 1);
    if (bytes > CsvFile::most_line_bytes)
      refuse(joined({place_of_line(source_, line_), " is longer than ",
                     std::to_string(CsvFile::most_line_bytes >> 20U), " MiB."}),
             std::string(how_to_write));
    searched = bytes;
    if (fill()) continue;
    if (bytes == 0) return std::nullopt;
    return take(bytes, 0);
  }
}

std::string_view LineReader::take(std::size_t bytes, std::size_t bytes_of_end) {
  std::string_view line(buffer_.data() + begin_, bytes);
  begin_ += bytes + bytes_of_end;
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// False at the end of the source. The buffer grows only when it holds nothing but one long line.
bool LineReader::fill() {
  const std::uint64_t ahead = source_.size() - read_to_;
  if (ahead == 0) return false;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(end_ + std::min<std::uint64_t>(ahead, chunk_bytes));
  const std::size_t bytes = std::min<std::uint64_t>(ahead, buffer_.size() - end_);
  source_.read(read_to_, std::span(buffer_).subspan(end_, bytes));
  read_to_ += bytes;
  end_ += bytes;
  return true;
}

// --- Numbers -------------------------------------------------------------------------------------

bool is_blank(char character) { return character == ' ' || character == '\t'; }

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// Whether a nonzero number was read as 0, being too small for a double: libraries differ in whether
// they call that out of range.
bool has_vanished(double number, const char* begin, const char* end) {
  if (number != 0) return false;
  const char* exponent = std::find_if(begin, end, [](char c) { return c == 'e' || c == 'E'; });
  return std::any_of(begin, exponent, [](char c) { return is_digit(c) && c != '0'; });
}

// Reads the number at the start of [at, end). Accepts one '+', which std::from_chars does not.
std::from_chars_result read_number(const char* at, const char* end, double& number) {
  const bool has_plus = end - at > 1 && *at == '+' && *(at + 1) != '-';
  auto result = std::from_chars(has_plus ? at + 1 : at, end, number);
  if (result.ec == std::errc() && has_vanished(number, at, result.ptr))
    result.ec = std::errc::result_out_of_range;
  return result;
}

enum class Cell { number, empty, not_finite, out_of_range, no_text, no_number };

Cell kind_of(std::string_view cell) {
  if (cell.empty()) return Cell::empty;
  double number = 0;
  const char* end = cell.data() + cell.size();
  const auto [read, error] = read_number(cell.data(), end, number);
  if (read == end && error == std::errc())
    return std::isfinite(number) ? Cell::number : Cell::not_finite;
  if (read == end && error == std::errc::result_out_of_range) return Cell::out_of_range;
  const auto is_printable = [](char c) { return c >= ' ' && c != '\x7F'; };
  const auto is_of_utf8 = [](char c) { return static_cast<unsigned char>(c) >= 0x80U; };
  if (!std::ranges::all_of(cell, [&](char c) { return is_printable(c) || is_of_utf8(c); }))
    return Cell::no_text;
  return Cell::no_number;
}

std::string problem_with(std::string_view cell) {
  switch (kind_of(cell)) {
    case Cell::number: break;
    case Cell::empty: return " is empty.";
    case Cell::not_finite: return joined({" is ", in_quotes(cell), ", which is not finite."});
    case Cell::out_of_range:
      return joined({" is ", in_quotes(cell), ", which is out of the range of a double."});
    case Cell::no_text: return " holds bytes that are not text.";
    case Cell::no_number: return joined({" is ", in_quotes(cell), ", which is not a number."});
  }
  return " is not a number.";
}

// Whether the writer must have meant a number, even if it has a typing error.
bool begins_like_number(std::string_view cell) {
  if (kind_of(cell) == Cell::not_finite) return true;
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
         std::string(how_to_write));
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

CsvFile::CsvFile(std::unique_ptr<const ByteSource> owned) : ArrayFile(std::move(owned)) {
  std::array<char, byte_order_mark.size()> start = {};
  const auto read = std::span(start).first(std::min<std::uint64_t>(start.size(), source().size()));
  source().read(0, read);
  const bool marked = std::string_view(read.data(), read.size()) == byte_order_mark;
  const std::uint64_t begin = marked ? byte_order_mark.size() : 0;

  const std::uint64_t lines = count_lines(begin);
  if (lines == 0)
    refuse(joined({"The file ", in_quotes(name()), " is empty."}), std::string(how_to_write));
  const FirstLine first = look_at_first(LineReader(source(), begin, 0).next().value_or(""));
  header_lines_ = first.is_header ? 1 : 0;
  if (lines == header_lines_)
    refuse(joined({"The file ", in_quotes(name()), " ends after its header, in line 1."}),
           std::string(how_to_write));
  set_shape(lines - header_lines_, first.columns);
}

// Empty lines are allowed only at the end, so that the number of a line identifies its object.
std::uint64_t CsvFile::count_lines(std::uint64_t begin) {
  LineReader reader(source(), begin, 0);
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
             std::string(how_to_write));
    if (lines % lines_per_mark == 0) marks_.push_back(offset);
    ++lines;
  }
}

// A number takes at least one byte, and the comma or line end after it another.
std::uint64_t CsvFile::numbers_to_expect(std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t end_mark = (last + lines_per_mark - 1) / lines_per_mark;
  const std::uint64_t end = end_mark < marks_.size() ? marks_[end_mark] : source().size();
  const std::uint64_t fit = (end - marks_[first / lines_per_mark]) / 2 + 1;
  return columns() > fit / (last - first) ? fit : columns() * (last - first);
}

std::vector<double> CsvFile::read_within(std::uint64_t first, std::uint64_t last) const {
  first += header_lines_;
  last += header_lines_;
  const std::uint64_t mark = first / lines_per_mark;
  LineReader reader(source(), marks_[mark], mark * lines_per_mark);
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
             std::string(how_to_write));
  }
  return numbers;
}

}  // namespace evenkeel::tool
