#include "files/npy.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"
#include "tools/npy.hpp"

namespace evenkeel::tool::npy_test {
namespace {

using test::elements;
using test::error_of;
using test::header_of;

NpyFile open(std::string_view bytes) {
  return NpyFile(std::make_unique<MemorySource>("points.npy", bytes));
}

std::vector<double> numbers_of(std::string_view bytes) {
  const NpyFile file = open(bytes);
  return file.read(0, file.rows());
}

std::string refusal_of(const test::NpyArray& array, std::size_t bytes) {
  const std::string file = header_of(array) + std::string(bytes, '\0');
  return error_of([&] { open(file); });
}

template <class Number>
void reads_in_all_orders(const std::string& type, const std::vector<Number>& numbers) {
  const std::vector<double> row_by_row(numbers.begin(), numbers.end());
  const std::vector<Number> column_by_column = {numbers[0], numbers[2], numbers[4],
                                                numbers[1], numbers[3], numbers[5]};
  for (const auto& [mark, order] :
       {std::pair("<", std::endian::little), std::pair(">", std::endian::big),
        std::pair("=", std::endian::native)}) {
    const std::string c = header_of({mark + type, "(3, 2)"}) + elements(numbers, order);
    const std::string fortran =
        header_of({mark + type, "(3, 2)", true}) + elements(column_by_column, order);
    for (const std::string& bytes : {c, fortran}) {
      const NpyFile file = open(bytes);
      EXPECT_EQ(file.rows(), 3U);
      EXPECT_EQ(file.columns(), 2U);
      EXPECT_EQ(file.read(0, 3), row_by_row) << mark << type;
      EXPECT_EQ(file.read(1, 2), std::vector<double>(row_by_row.begin() + 2, row_by_row.end() - 2));
      EXPECT_EQ(file.read(2, 3), std::vector<double>(row_by_row.begin() + 4, row_by_row.end()));
    }
    for (const bool fortran_order : {false, true})
      EXPECT_EQ(
          numbers_of(header_of({mark + type, "(6,)", fortran_order}) + elements(numbers, order)),
          row_by_row);
  }
}

TEST(Npy, EveryTypeInEveryOrder) {
  reads_in_all_orders<float>("f4", {1.5F, -2.25F, 3e-45F, 3.4e38F, -0.0F, 0.1F});
  reads_in_all_orders<double>("f8", {1.5, -2.25, 5e-324, 1.7e308, -0.0, 0.1});
  reads_in_all_orders<std::int32_t>("i4",
                                    {1, -2, std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max(), 0, 0x01020304});
  reads_in_all_orders<std::int64_t>("i8", {1, -2, std::numeric_limits<std::int64_t>::min(),
                                           std::int64_t{1} << 53U, 0, 0x01020304050607});
}

// The bytes that numpy.save wrote for arange(4, dtype='>i4').reshape(2, 2) in Fortran order.
TEST(Npy, BytesWrittenByHand) {
  using namespace std::string_literals;
  const std::string bytes =
      "\x93NUMPY\x01\x00\x76\x00{'descr': '>i4', 'fortran_order': True, 'shape': (2, 2), }"s +
      std::string(59, ' ') + "\n" +
      "\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03"s;
  EXPECT_EQ(bytes.size(), 128U + 16U);
  EXPECT_EQ(open(bytes).type(), ElementType::integer32);
  EXPECT_EQ(numbers_of(bytes), (std::vector<double>{0, 1, 2, 3}));
}

TEST(Npy, NotANumberIsPassedOn) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers =
      numbers_of(header_of({"f8", "(2,)"}) + elements<double>({std::nan(""), -infinity}));
  EXPECT_TRUE(std::isnan(numbers[0]));
  EXPECT_EQ(numbers[1], -infinity);
}

// For every way of reading, the file is longer than one read.
TEST(Npy, AnyShareOfALongFile) {
  constexpr std::uint64_t rows = 300001;
  std::vector<double> by_rows(3 * rows), by_columns(3 * rows);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < 3; ++column)
      by_rows[3 * row + column] = by_columns[column * rows + row] =
          static_cast<double>(10 * row + column);
  const std::vector<float> single(by_rows.begin(), by_rows.end());
  const std::string shape = "(300001, 3)";
  const std::string other = std::endian::native == std::endian::little ? ">f8" : "<f8";
  const auto swapped =
      std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  const std::vector<std::string> files = {header_of({"=f8", shape}) + elements(by_rows),
                                          header_of({"=f8", shape, true}) + elements(by_columns),
                                          header_of({other, shape}) + elements(by_rows, swapped),
                                          header_of({"=f4", shape}) + elements(single)};
  for (const std::string& bytes : files) {
    const NpyFile file = open(bytes);
    for (const auto& [first, last] : {std::pair(0U, 300001U), std::pair(1U, 300000U),
                                      std::pair(299999U, 300001U), std::pair(7U, 8U)})
      EXPECT_EQ(file.read(first, last),
                std::vector<double>(by_rows.begin() + 3 * first, by_rows.begin() + 3 * last));
  }
}

TEST(Npy, NoRows) {
  for (const char* shape : {"(0,)", "(0, 3)", "(0, 18446744073709551615)"}) {
    const std::string bytes = header_of({"<f8", shape});
    EXPECT_EQ(open(bytes).rows(), 0U);
    EXPECT_TRUE(numbers_of(bytes).empty());
  }
}

TEST(Npy, TheShapeMustFitTheFile) {
  const auto refusal = [](const std::string& shape, const std::string& needed, int there) {
    const std::size_t data = header_of({"<f8", shape}).size();
    return "evenkeel: tools/files: The header of 'points.npy' declares shape " + shape +
           ", which takes " + needed + " bytes, but " + std::to_string(there) +
           " follow from byte " + std::to_string(data) +
           " on. Write it again with numpy.save, one array per file.";
  };
  EXPECT_EQ(refusal_of({"<f8", "(3,)"}, 23), refusal("(3,)", "24", 23));
  EXPECT_EQ(refusal_of({"<f8", "(3,)"}, 25), refusal("(3,)", "24", 25));
  EXPECT_EQ(refusal_of({"<f8", "(3, 2)"}, 0), refusal("(3, 2)", "48", 0));
  EXPECT_EQ(refusal_of({"<f8", "(0, 2)"}, 8), refusal("(0, 2)", "0", 8));
  EXPECT_EQ(refusal_of({"<f8", "(1000000000000, 1)"}, 8),
            refusal("(1000000000000, 1)", "8000000000000", 8));
  for (const char* shape : {"(4294967296, 4294967296)", "(18446744073709551615,)",
                            "(2305843009213693953, 1)", "(2, 9223372036854775809)"})
    EXPECT_EQ(refusal_of({"<f8", shape}, 8), refusal(shape, "more than 2^64", 8));
}

TEST(Npy, RowsWithoutNumbers) {
  for (const std::string shape : {"(5, 0)", "(0, 0)", "(18446744073709551615, 0)"})
    EXPECT_EQ(refusal_of({"<f8", shape}, 0),
              "evenkeel: tools/files: The array in 'points.npy' has shape " + shape +
                  ", so its rows hold no numbers."
                  " Save an array with a row of numbers for each object.");
}

TEST(Npy, AFileThatShrinksIsRefused) {
  const test::ScratchDirectory directory;
  const std::string bytes = header_of({"<f8", "(4,)"}) + elements<double>({1, 2, 3, 4});
  const std::string path = directory.with_file("points.npy", bytes);
  const NpyFile file(std::make_unique<FileSource>(path));
  std::filesystem::resize_file(path, bytes.size() - 8);
  EXPECT_EQ(file.read(0, 3).size(), 3U);
  EXPECT_ERROR(file.read(3, 4),
               "bytes when it was opened. Run again when no program writes to it.");
}

// --- Writing -------------------------------------------------------------------------------------

TEST(Npy, AHeaderIsWrittenAsNumPyDoes) {
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  const std::string header = npy_header(ElementType::integer32, {12345});
  EXPECT_EQ(header.size(), 128U);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(header.substr(10), std::string("{'descr': '") + order +
                                   "i4', 'fortran_order': False, 'shape': (12345,), }" +
                                   std::string(56, ' ') + "\n");
  for (std::uint64_t elements = 1; elements < std::uint64_t{1} << 60U; elements *= 10)
    EXPECT_EQ(npy_header(ElementType::real32, {elements}).size() % 64, 0U);
}

template <class Number>
void is_read_as_written(ElementType type, const std::vector<Number>& numbers) {
  const test::ScratchDirectory directory;
  const std::string path = directory.path_of("parts.npy");
  OutputFile file(path);
  write_npy(file, std::span<const Number>(numbers));
  file.commit();
  const NpyFile written(std::make_unique<FileSource>(path));
  EXPECT_EQ(written.type(), type);
  EXPECT_EQ(written.columns(), 1U);
  EXPECT_EQ(written.read(0, written.rows()), std::vector<double>(numbers.begin(), numbers.end()));
}

TEST(Npy, WhatIsWrittenIsRead) {
  is_read_as_written<std::int32_t>(ElementType::integer32, {0, 1, -1, 2147483647});
  is_read_as_written<std::int32_t>(ElementType::integer32, {});
  is_read_as_written<double>(ElementType::real64, {0.1, -1e300, 5e-324});
}

TEST(Npy, FloatsStayFloats) {
  const std::vector<float> stored = {1.5F, -2, 3e38F, 1e-45F, 0.1F, 7};
  const std::vector<float> by_columns = {1.5F, 3e38F, 0.1F, -2, 1e-45F, 7};
  constexpr auto other =
      std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  const std::string swapped = other == std::endian::big ? ">f4" : "<f4";
  for (const std::string& bytes : {header_of({"=f4", "(3, 2)"}) + elements(stored),
                                   header_of({"=f4", "(3, 2)", true}) + elements(by_columns),
                                   header_of({swapped, "(3, 2)"}) + elements(stored, other)}) {
    const NpyFile file = open(bytes);
    EXPECT_TRUE(file.has_floats());
    EXPECT_EQ(file.read_floats(0, 3), stored);
    EXPECT_EQ(file.read_floats(1, 2), (std::vector<float>{3e38F, 1e-45F}));
    EXPECT_EQ(file.read(0, 3), std::vector<double>(stored.begin(), stored.end()));
  }
  const std::string doubles = header_of({"=f8", "(1, 2)"}) + elements<double>({1, 2});
  EXPECT_FALSE(open(doubles).has_floats());
  EXPECT_ERROR(open(doubles).read_floats(0, 1), "Floats were asked for, but 'points.npy'");
}

TEST(Npy, TellsHowMuchItHasRead) {
  const std::string bytes = header_of({"=f8", "(4, 2)", true}) + elements(std::vector<double>(8));
  std::vector<std::uint64_t> told;
  const NpyFile file(std::make_unique<MemorySource>("points.npy", bytes),
                     [&](std::uint64_t done, std::uint64_t of) {
                       EXPECT_EQ(of, 48U);
                       told.push_back(done);
                     });
  file.read(1, 4);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{24, 48}));
}

}  // namespace
}  // namespace evenkeel::tool::npy_test
