#pragma once

// Numbers separated by commas, one object per line. The first line is a header if no column of it
// is a number or begins like one. The reader accepts blanks around numbers, CR before LF, a byte
// order mark, and empty lines at the end. It refuses quotes around numbers, comments, NaN,
// infinities, and numbers out of the range of a double.
//
// Numbers are read as the nearest double, whatever the locale. Every rank finds the line ends of
// the whole file, which is fast, and converts only the lines of its share.

#include "files/array.hpp"

#include <cstdint>
#include <string_view>

namespace evenkeel::tool {

class CsvFile final : public ArrayFile {
 public:
  // Counts the lines, and the columns of the first line.
  explicit CsvFile(std::unique_ptr<const ByteSource> source, Progress progress = {});

  static constexpr std::uint64_t most_line_bytes = std::uint64_t{1} << 24U;

 private:
  std::vector<double> read_within(std::uint64_t first, std::uint64_t last) const override;
  std::uint64_t count_lines(std::uint64_t begin);
  // An offset at the end of the lines before `last`, or shortly after it.
  std::uint64_t end_of(std::uint64_t last) const;

  // The count of numbers that the lines [first, last) should hold, but not more than their bytes
  // can hold.
  std::uint64_t numbers_to_expect(std::uint64_t first, std::uint64_t last) const;

  // Offsets of the lines 0, lines_per_mark, 2 lines_per_mark, ...
  static constexpr std::uint64_t lines_per_mark = 1024;
  std::vector<std::uint64_t> marks_;
  std::uint64_t header_lines_ = 0;
};

}  // namespace evenkeel::tool
