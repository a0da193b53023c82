#include "files/array.hpp"

#include "files/csv.hpp"
#include "files/npy.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <utility>

namespace evenkeel::tool {

ArrayFile::ArrayFile(std::unique_ptr<const ByteSource> source, Progress progress)
    : source_(std::move(source)), progress_(std::move(progress)) {}

void ArrayFile::set_shape(std::uint64_t rows, std::uint64_t columns) noexcept {
  rows_ = rows;
  columns_ = columns;
}

void ArrayFile::check_rows(std::uint64_t first, std::uint64_t last) const {
  if (first > last || last > rows_)
    refuse(joined({"Rows ", std::to_string(first), " to ", std::to_string(last), " of ",
                   in_quotes(name()), " were asked for, but it has ", std::to_string(rows_), "."}),
           "Ask for rows that it has.");
}

std::vector<double> ArrayFile::read(std::uint64_t first, std::uint64_t last) const {
  check_rows(first, last);
  if (first == last) return {};
  return read_within(first, last);
}

std::vector<float> ArrayFile::read_floats(std::uint64_t first, std::uint64_t last) const {
  check_rows(first, last);
  if (first == last) return {};
  return read_floats_within(first, last);
}

std::vector<float> ArrayFile::read_floats_within(std::uint64_t, std::uint64_t) const {
  refuse(joined({"Floats were asked for, but ", in_quotes(name()), " does not have them."}),
         "Ask for doubles.");
}

std::unique_ptr<const ArrayFile> open_array(const std::string& path, Progress progress) {
  const ArrayFormat format = format_of(path);
  auto source = std::make_unique<FileSource>(path);
  if (format == ArrayFormat::npy)
    return std::make_unique<NpyFile>(std::move(source), std::move(progress));
  return std::make_unique<CsvFile>(std::move(source), std::move(progress));
}

ArrayFormat format_of(const std::string& path) {
  if (path.ends_with(".npy")) return ArrayFormat::npy;
  if (path.ends_with(".csv")) return ArrayFormat::csv;
  refuse(joined({"The name ", in_quotes(path), " does not say which format the file has."}),
         "Name a file that ends in .npy or .csv.");
}

}  // namespace evenkeel::tool
