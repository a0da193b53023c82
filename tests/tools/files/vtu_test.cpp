#include "files/vtu.hpp"

#include "scratch.hpp"
#include "support/harness.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace evenkeel::tool {
namespace {

std::string written(int dimensions, const std::vector<DomainCell>& cells) {
  const test::ScratchDirectory directory;
  const std::string path = directory.path_of("domains.vtu");
  OutputFile file(path);
  write_vtu(file, dimensions, cells);
  file.commit();
  return test::content_of(path);
}

template <class Number>
Number number_at(const std::string& bytes, std::size_t offset) {
  Number number = 0;
  EXPECT_LE(offset + sizeof(Number), bytes.size());
  std::memcpy(&number, bytes.data() + offset, sizeof(Number));
  return number;
}

// As a reader of the format goes about it: the offset in the XML, counted from behind the '_'.
template <class Number>
std::vector<Number> array_of(const std::string& bytes, const std::string& declared) {
  const std::size_t element = bytes.find("<DataArray " + declared);
  EXPECT_NE(element, std::string::npos) << declared;
  const std::string mark = "offset=\"";
  const std::size_t offset = bytes.find(mark, element) + mark.size();
  const std::string start = "encoding=\"raw\">\n_";
  const std::size_t block = bytes.find(start) + start.size() + std::stoul(bytes.substr(offset, 20));
  const auto size = number_at<std::uint64_t>(bytes, block);
  EXPECT_EQ(size % sizeof(Number), 0U);
  std::vector<Number> numbers;
  for (std::uint64_t at = 0; at < size; at += sizeof(Number))
    numbers.push_back(number_at<Number>(bytes, block + 8 + at));
  return numbers;
}

const std::string points = R"(type="Float64" Name="Points" NumberOfComponents="3")";

TEST(Vtu, BoxesInThreeDimensions) {
  const std::string bytes =
      written(3, {{{{0, 1, 2}, {10, 11, 12}}, 7, 0.5}, {{{-1, -1, -1}, {-1, -1, -1}}, -1, 1e300}});
  EXPECT_TRUE(test::mentions(bytes, R"(<Piece NumberOfPoints="16" NumberOfCells="2">)"));
  std::vector<double> corners = {0, 1, 2,  10, 1, 2,  0, 11, 2,  10, 11, 2,
                                 0, 1, 12, 10, 1, 12, 0, 11, 12, 10, 11, 12};
  corners.insert(corners.end(), 24, -1.0);
  EXPECT_EQ(array_of<double>(bytes, points), corners);
  EXPECT_EQ(array_of<std::int64_t>(bytes, R"(type="Int64" Name="connectivity")"),
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(array_of<std::int64_t>(bytes, R"(type="Int64" Name="offsets")"),
            (std::vector<std::int64_t>{8, 16}));
  EXPECT_EQ(array_of<std::uint8_t>(bytes, R"(type="UInt8" Name="types")"),
            (std::vector<std::uint8_t>{11, 11}));
  EXPECT_EQ(array_of<std::int32_t>(bytes, R"(type="Int32" Name="part")"),
            (std::vector<std::int32_t>{7, -1}));
  EXPECT_EQ(array_of<double>(bytes, R"(type="Float64" Name="weight")"),
            (std::vector<double>{0.5, 1e300}));
  EXPECT_TRUE(bytes.ends_with("\n  </AppendedData>\n</VTKFile>\n"));
}

TEST(Vtu, BoxesInTwoDimensions) {
  const double any = std::numeric_limits<double>::quiet_NaN();
  const std::string bytes = written(2, {{{{0, 1, any}, {10, 11, any}}, 3, 2.0}});
  EXPECT_TRUE(test::mentions(bytes, R"(<Piece NumberOfPoints="4" NumberOfCells="1">)"));
  EXPECT_EQ(array_of<double>(bytes, points),
            (std::vector<double>{0, 1, 0, 10, 1, 0, 0, 11, 0, 10, 11, 0}));
  EXPECT_EQ(array_of<std::int64_t>(bytes, R"(type="Int64" Name="offsets")"),
            (std::vector<std::int64_t>{4}));
  EXPECT_EQ(array_of<std::uint8_t>(bytes, R"(type="UInt8" Name="types")"),
            (std::vector<std::uint8_t>{8}));
}

TEST(Vtu, NoBoxes) {
  const std::string bytes = written(3, {});
  EXPECT_TRUE(test::mentions(bytes, R"(<Piece NumberOfPoints="0" NumberOfCells="0">)"));
  EXPECT_TRUE(array_of<std::int32_t>(bytes, R"(type="Int32" Name="part")").empty());
}

TEST(Vtu, WhatIsNoBox) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(written(1, {}), "tools/files: Boxes in 1 dimensions have no place in a .vtu.");
  EXPECT_ERROR(written(3, {{{{infinity, 0, 0}, {-infinity, 0, 0}}, 4, 0}}),
               "tools/files: The box of part 4 is not finite. Leave out parts without objects.");
}

}  // namespace
}  // namespace evenkeel::tool
