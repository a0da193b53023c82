#pragma once

// A table of numbers in a file: one row for each object. Every rank opens the file and then reads
// the rows of its share. Opening reads only what determines the shape. Memory use is bounded by the
// size of the file, whatever its content claims.

#include "files/byte_source.hpp"

#include <memory>
#include <vector>

namespace evenkeel::tool {

class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  ArrayFile(const ArrayFile&) = delete;
  ArrayFile& operator=(const ArrayFile&) = delete;

  const std::string& name() const noexcept { return source_->name(); }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t columns() const noexcept { return columns_; }

  // Rows [first, last), one after the other. Integers beyond 2^53 are rounded.
  std::vector<double> read(std::uint64_t first, std::uint64_t last) const;
  // Reads the same rows of a file that has floats, in half the memory.
  std::vector<float> read_floats(std::uint64_t first, std::uint64_t last) const;
  virtual bool has_floats() const noexcept { return false; }

 protected:
  // Throws an Error. Formats that can have floats override it.
  virtual std::vector<float> read_floats_within(std::uint64_t first, std::uint64_t last) const;
  ArrayFile(std::unique_ptr<const ByteSource> source, Progress progress);
  void set_shape(std::uint64_t rows, std::uint64_t columns) noexcept;
  const ByteSource& source() const noexcept { return *source_; }
  const Progress& progress() const noexcept { return progress_; }

 private:
  void check_rows(std::uint64_t first, std::uint64_t last) const;
  virtual std::vector<double> read_within(std::uint64_t first, std::uint64_t last) const = 0;

  std::unique_ptr<const ByteSource> source_;
  Progress progress_;
  std::uint64_t rows_ = 0, columns_ = 0;
};

enum class ArrayFormat : int { npy, csv };

// The end of the name, .npy or .csv, determines the format. Throws an Error for any other name.
ArrayFormat format_of(const std::string& path);

// `progress` covers both opening and reading. If a file is opened and then read as a whole, the
// reported number rises once, from 0 to all bytes.
std::unique_ptr<const ArrayFile> open_array(const std::string& path, Progress progress = {});

}  // namespace evenkeel::tool
