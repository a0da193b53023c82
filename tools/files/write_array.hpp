#pragma once

// Writes arrays to files: the counterpart of array.hpp. Each function writes the whole file, but
// does not commit it.

#include "files/array.hpp"
#include "files/output_file.hpp"

#include <cstdint>
#include <span>

namespace evenkeel::tool {

// Writes a single column of `count` numbers, which come in pieces. Keeps a reference to the file.
class ColumnWriter {
 public:
  ColumnWriter(OutputFile& file, ArrayFormat format, std::uint64_t count);
  void add(std::span<const std::int32_t> numbers);

 private:
  OutputFile& file_;
  ArrayFormat format_;
};

// Writes a single column.
void write_array(OutputFile& file, ArrayFormat format, std::span<const std::int32_t> numbers);

// Writes rows of `columns` numbers, one after the other. Numbers in a .csv read back as the same
// bits.
void write_array(OutputFile& file, ArrayFormat format, std::span<const double> numbers,
                 std::uint64_t columns);

}  // namespace evenkeel::tool
