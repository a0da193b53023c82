#include "support/harness.hpp"

#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/speeds.hpp>

namespace evenkeel::speeds_test {
namespace {

using Speeds = std::vector<double>;

TEST(Speeds, LambdaComparesTimes) {
  const Speeds loads = {2, 4, 9}, speeds = {1, 2, 3}, none, equal = {5, 5, 5};
  EXPECT_DOUBLE_EQ(lambda_of(loads, speeds), 3 * 6.0 / 15);
  EXPECT_EQ(lambda_of(loads, none), lambda_of(loads));
  EXPECT_DOUBLE_EQ(lambda_of(loads, equal), lambda_of(loads));
  EXPECT_EQ(lambda_of(Speeds{0, 0, 0}, speeds), 1);
  EXPECT_DOUBLE_EQ(lambda_of(Speeds{1, 2, 3}, speeds), 1);
}

TEST(Speeds, EqualOnesAreNone) {
  const Speeds equal = {0.1, 0.1}, different = {1, 2};
  EXPECT_TRUE(unless_equal({}).empty());
  EXPECT_TRUE(unless_equal(equal).empty());
  EXPECT_EQ(unless_equal(different).data(), different.data());
}

TEST(Speeds, OfPartsAreThoseOfTheirRanks) {
  const Speeds speeds = {1, 2, 3};
  const std::vector<int> ranks = {2, 0, 1};
  EXPECT_EQ(speeds_of_parts(speeds, {}), speeds);
  EXPECT_EQ(speeds_of_parts(speeds, ranks), (Speeds{3, 1, 2}));
  EXPECT_EQ(speeds_of_parts({}, ranks), Speeds());
}

}  // namespace
}  // namespace evenkeel::speeds_test
