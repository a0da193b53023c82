#pragma once

// Parses the header of a .npy file. Checks it against the format, but not against the size of the
// file.

#include "files/byte_source.hpp"

#include <vector>

namespace evenkeel::tool {

enum class ElementType { real32, real64, integer32, integer64 };

struct NpyHeader {
  ElementType type = ElementType::real64;
  bool swapped = false;  // the byte order of the elements is not this machine's
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // one or two dimensions
  std::uint64_t data = 0;            // offset of the first element
};

NpyHeader read_npy_header(const ByteSource& source);

std::uint64_t bytes_of(ElementType type) noexcept;

}  // namespace evenkeel::tool
