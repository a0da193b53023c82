#pragma once

// NumPy's format .npy, versions 1.0 to 3.0, as numpy.lib.format describes it: a magic string, the
// length of a header, a Python dictionary with the keys descr, fortran_order and shape, and then
// only the elements. Reads f4, f8, i4 and i8 in either byte order, in C or Fortran order, in one
// dimension (a single column) or two. Writes version 1.0, in this machine's byte order.

#include "files/array.hpp"
#include "files/npy_header.hpp"
#include "files/output_file.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace evenkeel::tool {

class NpyFile final : public ArrayFile {
 public:
  // Reads the header. Throws an Error if the file does not have the format above, or if its size
  // does not match the header.
  explicit NpyFile(std::unique_ptr<const ByteSource> source, Progress progress = {});

  ElementType type() const noexcept { return header_.type; }
  bool has_floats() const noexcept override { return header_.type == ElementType::real32; }

 private:
  std::vector<double> read_within(std::uint64_t first, std::uint64_t last) const override;
  std::vector<float> read_floats_within(std::uint64_t first, std::uint64_t last) const override;
  template <class Number>
  std::vector<Number> read_rows(std::uint64_t first, std::uint64_t last) const;

  // Reads `count` elements, from element `begin` of the file on, into these places of `numbers`,
  // and enlarges `numbers` if it is too short. After each piece, calls `on_elements` with the
  // number of elements in the piece.
  struct StridedPlaces {
    std::uint64_t first, stride;
    std::uint64_t of(std::uint64_t element) const noexcept { return first + element * stride; }
  };
  template <class Number>
  void read_run(std::uint64_t begin, std::uint64_t count, std::vector<Number>& numbers,
                StridedPlaces places,
                const std::function<void(std::uint64_t count)>& on_elements) const;

  NpyHeader header_;
};

// The bytes before the elements of a file with an array of one dimension or two.
std::string npy_header(ElementType type, const std::vector<std::uint64_t>& shape);

// Writes the whole file, but does not commit it.
void write_npy(OutputFile& file, std::span<const std::int32_t> numbers);
void write_npy(OutputFile& file, std::span<const double> numbers);
void write_npy(OutputFile& file, std::span<const double> numbers, std::uint64_t columns);

}  // namespace evenkeel::tool
