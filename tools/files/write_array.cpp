#include "files/write_array.hpp"

#include "files/npy.hpp"

#include <evenkeel/backends/text.hpp>

#include <cstddef>

namespace evenkeel::tool {

namespace {

std::string text_of_number(std::int32_t number) { return std::to_string(number); }
std::string text_of_number(double number) { return text_of(number); }

template <class Number>
void write_csv(OutputFile& file, std::span<const Number> numbers, std::uint64_t columns) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  std::string piece;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    piece += text_of_number(numbers[i]);
    piece += (i + 1) % columns == 0 ? '\n' : ',';
    if (piece.size() < piece_bytes) continue;
    file.write(piece);
    piece.clear();
  }
  file.write(piece);
}

}  // namespace

ColumnWriter::ColumnWriter(OutputFile& file, ArrayFormat format, std::uint64_t count)
    : file_(file), format_(format) {
  if (format_ == ArrayFormat::npy) file_.write(npy_header(ElementType::integer32, {count}));
}

void ColumnWriter::add(std::span<const std::int32_t> numbers) {
  if (format_ == ArrayFormat::csv) return write_csv(file_, numbers, 1);
  file_.write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

void write_array(OutputFile& file, ArrayFormat format, std::span<const std::int32_t> numbers) {
  ColumnWriter(file, format, numbers.size()).add(numbers);
}

void write_array(OutputFile& file, ArrayFormat format, std::span<const double> numbers,
                 std::uint64_t columns) {
  if (format == ArrayFormat::npy) return write_npy(file, numbers, columns);
  write_csv(file, numbers, columns);
}

}  // namespace evenkeel::tool
