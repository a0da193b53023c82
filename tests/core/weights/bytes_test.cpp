#include "core/values.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/bytes.hpp>

namespace evenkeel::bytes_test {
namespace {

using Numbers = std::vector<double>;

struct Objects {
  std::vector<std::array<double, 3>> x = std::vector<std::array<double, 3>>(3);
  std::vector<int> kind = {1, 2, 3};
  std::vector<std::int64_t> offsets = {0, 2, 2, 5};
  std::vector<float> values = std::vector<float>(5);

  Set as_set(const SetOptions& options = {}) { return set(x, carry(kind), options); }
  Set with_payload(const SetOptions& options = {}) {
    return set(x, carry(kind, csr(offsets, values)), options);
  }
};

Numbers bytes_of(const Set& set) { return bytes_of_objects(test::space(), set).on_host(); }

TEST(BytesOfObjects, AreThoseOfFieldsAndPayloads) {
  Objects objects;
  EXPECT_EQ(bytes_of(objects.as_set()), Numbers(3, 28));
  EXPECT_EQ(bytes_of_all_objects(objects.as_set()), 84);
  EXPECT_EQ(bytes_of(objects.with_payload()), (Numbers{36, 28, 40}));
  EXPECT_EQ(bytes_of_all_objects(objects.with_payload()), 104);
  EXPECT_EQ(bytes_of(objects.as_set({.count = 2})), Numbers(2, 28));
  std::vector<double> more(3);
  Set set = objects.as_set();
  set.accompany(field_of(more));
  EXPECT_EQ(bytes_of(set), Numbers(3, 28)) << "companions do not belong to the application";
}

TEST(BytesOfObjects, AreThoseThatAreGiven) {
  Objects objects;
  EXPECT_EQ(bytes_of(objects.with_payload({.bytes_per_object = 7})), Numbers(3, 7));
  EXPECT_EQ(bytes_of_all_objects(objects.with_payload({.bytes_per_object = 7})), 21);
  const std::vector<float> sizes = {4, 0, 2.5};
  const SetOptions options = {.bytes_per_object = 7, .bytes = sizes};
  EXPECT_EQ(bytes_of(objects.with_payload(options)), (Numbers{4, 0, 2.5}));
  EXPECT_EQ(bytes_of_all_objects(objects.with_payload(options)), 6.5);
}

TEST(BytesOfObjects, BadNumbersAreErrors) {
  Objects objects;
  for (const double bad :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const Numbers sizes = {1, bad, 3};
    EXPECT_ERROR(bytes_of(objects.as_set({.bytes = sizes})),
                 "core/weights: Object 1 has " + text_of(bad) +
                     " bytes in 'std::vector'. Bytes are finite and not negative.");
  }
  const Numbers two(2);
  EXPECT_ERROR(check(objects.as_set({.bytes = two})),
               "There are 2 sizes for 3 objects. Give one size per owned object.");
}

TEST(FullestOf, IsTheLowestRankWithTheGreatestShare) {
  const Numbers bytes = {1, 4, 2, 6}, memory = {10, 8, 4, 13};
  const RankFill fullest = fullest_of(bytes, memory);
  EXPECT_EQ(fullest.rank, 1);
  EXPECT_EQ(fullest.bytes, 4);
  EXPECT_EQ(fullest.memory, 8);
  EXPECT_EQ(fullest.share(), 0.5);
  EXPECT_EQ(RankFill().share(), 0);
}

}  // namespace
}  // namespace evenkeel::bytes_test
