#include "files/npy.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace evenkeel::tool {

namespace {

// The number of bytes to read at once. It is a multiple of the size of each type, and small enough
// to stay in the cache.
constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20U;

// The product, or nothing if it does not fit in 64 bits.
std::optional<std::uint64_t> product_of(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
  return a * b;
}

std::string text_of_shape(const std::vector<std::uint64_t>& shape) {
  if (shape.size() == 1) return joined({"(", std::to_string(shape[0]), ",)"});
  return joined({"(", std::to_string(shape[0]), ", ", std::to_string(shape[1]), ")"});
}

// Checks that the bytes after the header are exactly the elements that the shape declares.
void check_size(const NpyHeader& header, std::uint64_t rows, std::uint64_t columns,
                const ByteSource& source) {
  const std::uint64_t there = source.size() - header.data;
  const auto elements = product_of(rows, columns);
  const auto bytes = elements ? product_of(*elements, bytes_of(header.type)) : std::nullopt;
  if (bytes && *bytes == there) return;
  const std::string needed = bytes ? std::to_string(*bytes) : "more than 2^64";
  refuse(joined({"The header of ", in_quotes(source.name()), " declares shape ",
                 text_of_shape(header.shape), ", which takes ", needed, " bytes, but ",
                 std::to_string(there), " follow from byte ", std::to_string(header.data), " on."}),
         "Write it again with numpy.save, one array per file.");
}

template <class Stored, class Number>
void decode(std::span<const char> bytes, bool swapped, Number* numbers, std::uint64_t stride) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
    std::array<char, sizeof(Stored)> element;
    std::memcpy(element.data(), bytes.data() + i * sizeof(Stored), sizeof(Stored));
    if (swapped) std::ranges::reverse(element);
    numbers[i * stride] = static_cast<Number>(std::bit_cast<Stored>(element));
  }
}

template <class Number>
void decode(ElementType type, std::span<const char> bytes, bool swapped, Number* numbers,
            std::uint64_t stride) {
  switch (type) {
    case ElementType::real32: return decode<float>(bytes, swapped, numbers, stride);
    case ElementType::real64: return decode<double>(bytes, swapped, numbers, stride);
    case ElementType::integer32: return decode<std::int32_t>(bytes, swapped, numbers, stride);
    case ElementType::integer64: return decode<std::int64_t>(bytes, swapped, numbers, stride);
  }
}

template <class Number>
constexpr ElementType type_in_memory = sizeof(Number) == sizeof(float) ? ElementType::real32
                                                                       : ElementType::real64;

std::string_view name_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::real32: return "f4";
    case ElementType::real64: return "f8";
    case ElementType::integer32: return "i4";
    case ElementType::integer64: return "i8";
  }
  return "";
}

template <class Number>
void write_elements(OutputFile& file, ElementType type, std::span<const Number> numbers,
                    const std::vector<std::uint64_t>& shape) {
  file.write(npy_header(type, shape));
  file.write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

}  // namespace

NpyFile::NpyFile(std::unique_ptr<const ByteSource> owned, Progress progress)
    : ArrayFile(std::move(owned), std::move(progress)) {
  header_ = read_npy_header(source());
  const std::uint64_t rows = header_.shape[0];
  const std::uint64_t columns = header_.shape.size() == 2 ? header_.shape[1] : 1;
  if (columns == 0)
    refuse(joined({"The array in ", in_quotes(name()), " has shape ", text_of_shape(header_.shape),
                   ", so its rows hold no numbers."}),
           "Save an array with a row of numbers for each object.");
  check_size(header_, rows, columns, source());
  set_shape(rows, columns);
}

std::vector<double> NpyFile::read_within(std::uint64_t first, std::uint64_t last) const {
  return read_rows<double>(first, last);
}

std::vector<float> NpyFile::read_floats_within(std::uint64_t first, std::uint64_t last) const {
  if (!has_floats()) return ArrayFile::read_floats_within(first, last);
  return read_rows<float>(first, last);
}

template <class Number>
std::vector<Number> NpyFile::read_rows(std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t count = (last - first) * columns();
  std::vector<Number> numbers;
  numbers.reserve(count);
  detail::touch_first(numbers.data(), count * sizeof(Number));
  std::uint64_t done = 0;
  const auto on_elements = [&](std::uint64_t now) {
    done += now;
    const std::uint64_t element_bytes = bytes_of(header_.type);
    if (progress()) progress()(done * element_bytes, count * element_bytes);
  };
  if (header_.fortran_order) {
    for (std::uint64_t column = 0; column < columns(); ++column)
      read_run(column * rows() + first, last - first, numbers, {column, columns()}, on_elements);
  } else {
    read_run(first * columns(), count, numbers, {0, 1}, on_elements);
  }
  return numbers;
}

// `numbers` grows piece by piece, since resize() sets new numbers to 0. Setting them is cheap while
// they are in the cache.
template <class Number>
void NpyFile::read_run(std::uint64_t begin, std::uint64_t count, std::vector<Number>& numbers,
                       StridedPlaces places,
                       const std::function<void(std::uint64_t count)>& on_elements) const {
  const std::uint64_t element_bytes = bytes_of(header_.type);
  const std::uint64_t offset = header_.data + begin * element_bytes;
  const bool is_as_in_memory =
      header_.type == type_in_memory<Number> && !header_.swapped && places.stride == 1;
  const std::uint64_t piece = chunk_bytes / element_bytes;
  std::vector<char> chunk(is_as_in_memory ? 0 : std::min(piece, count) * element_bytes);
  for (std::uint64_t done = 0; done < count; done += piece) {
    const std::uint64_t now = std::min(piece, count - done);
    const std::uint64_t first = places.of(done), size = places.of(done + now - 1) + 1;
    if (numbers.size() < size) numbers.resize(size);
    if (is_as_in_memory) {
      source().read(offset + done * element_bytes,
                    {reinterpret_cast<char*>(numbers.data() + first), now * element_bytes});
    } else {
      const auto bytes = std::span(chunk).first(now * element_bytes);
      source().read(offset + done * element_bytes, bytes);
      decode(header_.type, bytes, header_.swapped, numbers.data() + first, places.stride);
    }
    on_elements(now);
  }
}

// Pads the header with blanks before its last byte, a line feed, to align the elements to 64 bytes.
std::string npy_header(ElementType type, const std::vector<std::uint64_t>& shape) {
  constexpr std::string_view order = std::endian::native == std::endian::little ? "<" : ">";
  constexpr std::size_t preamble = 10, alignment = 64;
  std::string dictionary =
      joined({"{'descr': '", order, name_of(type),
              "', 'fortran_order': False, 'shape': ", text_of_shape(shape), ", }"});
  const std::size_t unpadded = preamble + dictionary.size() + 1;
  dictionary.append((alignment - unpadded % alignment) % alignment, ' ');
  dictionary.push_back('\n');
  const std::array<char, 4> version_and_length = {1, 0, static_cast<char>(dictionary.size() % 256),
                                                  static_cast<char>(dictionary.size() / 256)};
  return joined({"\x93NUMPY",
                 std::string_view(version_and_length.data(), version_and_length.size()),
                 dictionary});
}

void write_npy(OutputFile& file, std::span<const std::int32_t> numbers) {
  write_elements(file, ElementType::integer32, numbers, {numbers.size()});
}

void write_npy(OutputFile& file, std::span<const double> numbers) {
  write_elements(file, ElementType::real64, numbers, {numbers.size()});
}

void write_npy(OutputFile& file, std::span<const double> numbers, std::uint64_t columns) {
  write_elements(file, ElementType::real64, numbers, {numbers.size() / columns, columns});
}

}  // namespace evenkeel::tool
