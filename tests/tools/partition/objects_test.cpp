#include "partition/objects.hpp"

#include "clouds.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

namespace evenkeel::tool::objects_test {
namespace {

using test::npy_of;

// Every rank reads files of its own, with the same content.
class PartitionObjects : public testing::Test {
 protected:
  FileObjects read(const PartitionOptions& options) const { return read_objects(ranks_, options); }
  PartitionOptions points(const std::string& name, const std::string& content) const {
    PartitionOptions options;
    options.points = directory_.with_file(name, content);
    return options;
  }
  void add_weights(PartitionOptions& options, const std::string& name,
                   const std::string& content) const {
    options.weights = directory_.with_file(name, content);
    options.work_is_count = false;
  }
  // The text of an Error, which is the same on all ranks because of a vote.
  std::string refusal_of(const PartitionOptions& options) const {
    return test::error_everywhere([&] { read(options); });
  }
  std::vector<double> gathered(const std::vector<double>& mine) const {
    return ranks_.all_gather(std::span<const double>(mine)).values;
  }

  Communicator ranks_ = test::world();
  test::ScratchDirectory directory_;
};

// Converts to doubles, whatever the type of the file.
std::vector<double> coordinates_of(const FileObjects& objects) {
  if (objects.float_places.empty()) return objects.places;
  return {objects.float_places.begin(), objects.float_places.end()};
}

std::vector<double> whole_numbers(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

TEST_F(PartitionObjects, RowsAreSharedInOrder) {
  for (const std::size_t rows : {0U, 1U, 2U, 3U, 4U, 7U, 100U}) {
    const std::vector<double> places = whole_numbers(3 * rows), weights = whole_numbers(rows);
    PartitionOptions options = points("points.npy", npy_of<double>(3, places));
    add_weights(options, "weights.npy", npy_of<double>(0, weights));
    const FileObjects mine = read(options);
    EXPECT_EQ(mine.dimensions, 3);
    EXPECT_EQ(mine.everywhere, static_cast<std::int64_t>(rows));
    EXPECT_EQ(gathered(mine.places), places);
    EXPECT_EQ(gathered(mine.weights), weights);
    const auto fewest = static_cast<std::int64_t>(rows) / ranks_.size();
    EXPECT_GE(mine.count(), fewest);
    EXPECT_LE(mine.count(), fewest + 1);
  }
}

TEST_F(PartitionObjects, AllTypes) {
  const std::vector<double> places = whole_numbers(20), weights = whole_numbers(10);
  std::string csv = "x,y\n", column = "weight\n";
  for (int i = 0; i < 10; ++i) {
    csv.append(std::to_string(2 * i)).append(",").append(std::to_string(2 * i + 1)).append("\n");
    column.append(std::to_string(i)).append("\n");
  }
  const std::vector<std::pair<std::string, std::string>> all_points = {
      {"points.csv", csv},
      {"f4.npy", npy_of<float>(2, places)},
      {"f8.npy", npy_of<double>(2, places)},
      {"i4.npy", npy_of<std::int32_t>(2, places)},
      {"i8.npy", npy_of<std::int64_t>(2, places)}};
  const std::vector<std::pair<std::string, std::string>> all_weights = {
      {"weights.csv", column},
      {"column.npy", npy_of<float>(1, weights)},
      {"w8.npy", npy_of<double>(0, weights)},
      {"w4.npy", npy_of<std::int32_t>(0, weights)},
      {"wi8.npy", npy_of<std::int64_t>(0, weights)}};
  for (std::size_t i = 0; i < all_points.size(); ++i) {
    PartitionOptions options = points(all_points[i].first, all_points[i].second);
    add_weights(options, all_weights[i].first, all_weights[i].second);
    const FileObjects mine = read(options);
    EXPECT_EQ(mine.dimensions, 2);
    EXPECT_EQ(mine.places.empty(), all_points[i].first == "f4.npy" || mine.count() == 0);
    EXPECT_EQ(gathered(coordinates_of(mine)), places) << options.points;
    EXPECT_EQ(gathered(mine.weights), weights) << *options.weights;
  }
}

TEST_F(PartitionObjects, WeightsThatAreNoWorkAreCheckedAllTheSame) {
  PartitionOptions options = points("points.csv", "1,2\n3,4\n");
  add_weights(options, "weights.csv", "1\n2\n");
  options.work_is_count = true;
  EXPECT_TRUE(read(options).weights.empty());
  add_weights(options, "weights.csv", "1\n-2\n");
  options.work_is_count = true;
  EXPECT_MENTIONS(refusal_of(options), "is -2. Give weights that are finite and not negative.");
}

TEST_F(PartitionObjects, Columns) {
  for (const std::size_t columns : {1U, 4U})
    EXPECT_MENTIONS(refusal_of(points("points.npy", npy_of<double>(columns, whole_numbers(8)))),
                    "have " + std::to_string(columns) +
                        " columns. Give the 2 or 3 coordinates of an object in each row.");
  PartitionOptions options = points("points.csv", "1,2\n3,4\n");
  add_weights(options, "weights.csv", "1,2\n3,4\n");
  EXPECT_MENTIONS(refusal_of(options), "have 2 columns. Give one weight in each row.");
}

TEST_F(PartitionObjects, AsManyWeightsAsPoints) {
  PartitionOptions options = points("points.csv", "1,2\n3,4\n");
  add_weights(options, "weights.csv", "1\n2\n3\n");
  const std::string text = refusal_of(options);
  EXPECT_MENTIONS(text, "There are 3 weights in ");
  EXPECT_MENTIONS(text, ", but 2 points in ");
}

TEST_F(PartitionObjects, Weights) {
  for (const double weight : {-1.0, -1e-300, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> weights(50, 1);
    weights[49] = weight;
    PartitionOptions options = points("points.npy", npy_of<float>(2, whole_numbers(100)));
    add_weights(options, "weights.npy", npy_of<double>(0, weights));
    const std::string text = refusal_of(options);
    EXPECT_MENTIONS(text, "rank " + std::to_string(ranks_.size() - 1) + ": ");
    EXPECT_MENTIONS(text, "The weight of object 49 in ");
  }
}

// The other ranks have read their rows, and must not wait for this rank.
TEST_F(PartitionObjects, RowsThatOneRankAloneCannotRead) {
  std::string csv;
  for (int i = 0; i < 99; ++i) csv.append("1,2\n");
  const std::string text = refusal_of(points("points.csv", csv.append("1,two\n")));
  EXPECT_MENTIONS(text, "rank " + std::to_string(ranks_.size() - 1) + ": ");
  EXPECT_MENTIONS(text, "Column 2 in line 100 of ");
}

TEST_F(PartitionObjects, AFileThatOneRankAloneDoesNotSee) {
  PartitionOptions options = points("points.csv", "1,2\n3,4\n");
  if (ranks_.rank() == ranks_.size() - 1) options.points = "missing.csv";
  EXPECT_MENTIONS(refusal_of(options), "'missing.csv' cannot be read");
}

TEST_F(PartitionObjects, FilesThatDiffer) {
  if (ranks_.size() == 1) GTEST_SKIP();
  const bool odd = ranks_.rank() == 1;
  EXPECT_ERROR(read(points("points.csv", odd ? "1,2\n3,4\n" : "1,2\n")),
               "The ranks do not see the same ");
  EXPECT_ERROR(read(points("points.csv", odd ? "1,2,3\n" : "1,2\n")),
               "The ranks do not see the same ");
}

}  // namespace
}  // namespace evenkeel::tool::objects_test
