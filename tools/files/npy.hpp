#pragma once

// NumPy's format .npy, versions 1.0 to 3.0, as numpy.lib.format describes it: a magic string, the
// length of a header, a Python dictionary with the keys descr, fortran_order and shape, and then
// nothing but the elements. Read: f4, f8, i4 and i8 in either byte order, C or Fortran order, in
// one dimension (a single column) or two. Written: version 1.0, in this machine's byte order.

#include "files/array.hpp"
#include "files/npy_header.hpp"
#include "files/output_file.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace evenkeel::tool {

class NpyFile final : public ArrayFile {
 public:
  // Reads the header. An Error when it is not as above, or does not fit the size of the source.
  explicit NpyFile(std::unique_ptr<const ByteSource> source);

  ElementType type() const noexcept { return header_.type; }

 private:
  std::vector<double> read_within(std::uint64_t first, std::uint64_t last) const override;

  // `count` elements from the element `begin` of the file on, into every `stride`-th of `numbers`.
  void read_run(std::uint64_t begin, std::uint64_t count, double* numbers,
                std::uint64_t stride) const;

  NpyHeader header_;
};

// What stands before the elements of an array of one dimension.
std::string npy_header(ElementType type, std::uint64_t elements);

// The whole file, except that it stays to be committed.
void write_npy(OutputFile& file, std::span<const std::int32_t> numbers);
void write_npy(OutputFile& file, std::span<const double> numbers);

}  // namespace evenkeel::tool
