#include "files/write_array.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

namespace evenkeel::tool::array_test {
namespace {

using test::error_of;

TEST(Array, TheNameTellsTheFormat) {
  const test::ScratchDirectory directory;
  const auto csv = open_array(directory.with_file("points.csv", "1,2\n3,4\n5,6\n"));
  EXPECT_EQ(csv->rows(), 3U);
  EXPECT_EQ(csv->columns(), 2U);
  EXPECT_EQ(csv->read(1, 3), (std::vector<double>{3, 4, 5, 6}));
  const std::string npy = directory.with_file("points.npy", "1,2\n");
  EXPECT_ERROR(open_array(npy), "this is not a .npy file");
  for (const char* name : {"points", "points.txt", "npy", "points.npy.gz", ""})
    EXPECT_EQ(
        error_of([&] { open_array(name); }),
        std::string("evenkeel: tools/files: The name '") + name +
            "' does not say which format the file has. Name a file that ends in .npy or .csv.");
}

TEST(Array, OnlyRowsThatAreThereAreRead) {
  const test::ScratchDirectory directory;
  const auto file = open_array(directory.with_file("points.csv", "1\n2\n"));
  EXPECT_TRUE(file->read(0, 0).empty());
  EXPECT_TRUE(file->read(2, 2).empty());
  const std::string name = "'" + file->name() + "'";
  EXPECT_EQ(error_of([&] { file->read(0, 3); }),
            "evenkeel: tools/files: Rows 0 to 3 of " + name +
                " were asked for, but it has 2. Ask for rows that it has.");
  EXPECT_ERROR(file->read(2, 1), "Rows 2 to 1 of ");
}

// --- Writing -------------------------------------------------------------------------------------

template <class... Columns, class Number>
std::string written(const std::string& path, const std::vector<Number>& numbers,
                    const Columns&... columns) {
  OutputFile file(path);
  write_array(file, format_of(path), std::span<const Number>(numbers), columns...);
  file.commit();
  return path;
}

TEST(WrittenArray, IsRead) {
  const test::ScratchDirectory directory;
  const std::vector<double> numbers = {0.1, -1e300, 5e-324, 0, 1.0 / 3, 7};
  const std::vector<std::int32_t> parts = {0, 1, -1, 2147483647};
  for (const char* name : {"array.npy", "array.csv"}) {
    const std::string path = directory.path_of(name);
    for (const std::uint64_t columns : {1U, 2U, 3U, 6U}) {
      const auto read = open_array(written(path, numbers, columns));
      EXPECT_EQ(read->columns(), columns);
      EXPECT_EQ(read->read(0, read->rows()), numbers) << name;
    }
    const auto read = open_array(written(path, parts));
    EXPECT_EQ(read->columns(), 1U);
    EXPECT_EQ(read->read(0, 4), std::vector<double>(parts.begin(), parts.end()));
  }
  EXPECT_EQ(test::content_of(written(directory.path_of("parts.csv"), parts)),
            "0\n1\n-1\n2147483647\n");
}

TEST(WrittenArray, MayBeLongOrEmpty) {
  const test::ScratchDirectory directory;
  const std::vector<std::int32_t> many(700'000, 12), none;
  for (const char* name : {"array.npy", "array.csv"}) {
    const auto read = open_array(written(directory.path_of(name), many));
    EXPECT_EQ(read->rows(), many.size());
    EXPECT_EQ(read->read(0, read->rows()), std::vector<double>(many.size(), 12));
  }
  EXPECT_EQ(open_array(written(directory.path_of("none.npy"), none))->rows(), 0U);
  EXPECT_EQ(test::content_of(written(directory.path_of("none.csv"), none)), "");
}

}  // namespace
}  // namespace evenkeel::tool::array_test
