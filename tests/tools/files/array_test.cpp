#include "files/array.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <string>
#include <vector>

namespace evenkeel::tool {
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

}  // namespace
}  // namespace evenkeel::tool
