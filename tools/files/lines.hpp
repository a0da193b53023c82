#pragma once

// All readers of text share this reader, which returns the lines of a source one by one. It reads a
// MiB at a time.

#include "files/byte_source.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace evenkeel::tool {

struct LineOptions {
  // A line of more than `most_bytes` is an Error with this `remedy`.
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
  std::string_view remedy = {};
  Progress progress = {};
};

class LineReader {
 public:
  // Starts at `offset`, where line number `line` begins. Lines count from 0. Keeps a reference to
  // the source.
  explicit LineReader(const ByteSource& source, std::uint64_t offset = 0, std::uint64_t line = 0,
                      LineOptions options = {});

  // The next line without its line end (LF, or CR LF), or nothing after the last line. It is valid
  // until the next call.
  std::optional<std::string_view> next();

  // The offset and the number of the next line. Since lines count from 0, line() is also the number
  // that messages give the last returned line: there, lines count from 1.
  std::uint64_t offset() const noexcept { return read_to_ - (end_ - begin_); }
  std::uint64_t line() const noexcept { return line_; }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;

  bool fill();
  std::string_view take(std::size_t bytes, std::size_t bytes_of_end);

  const ByteSource& source_;
  std::uint64_t read_to_;  // the offset after the bytes in the buffer
  std::uint64_t line_;
  LineOptions options_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the bytes of the buffer that are not returned yet
};

// The offset of the first line, which is behind a byte order mark if there is one.
std::uint64_t begin_of_text(const ByteSource& source);

// "Line 3 of 'F'"; lines are counted from 0 here, and from 1 in messages.
std::string place_of_line(const ByteSource& source, std::uint64_t line);

// Returns text such as "2 too few" or "1 too many".
std::string miscount(std::int64_t declared, std::int64_t found);

inline bool is_blank(char character) { return character == ' ' || character == '\t'; }

inline const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

// The parts before, between and after the separators.
std::vector<std::string_view> split(std::string_view text, char separator);

// The text from `at` to the next blank or the end.
inline std::string_view word_at(const char* at, const char* end) {
  const char* last = at;
  while (last != end && !is_blank(*last)) ++last;
  return {at, static_cast<std::size_t>(last - at)};
}

}  // namespace evenkeel::tool
