#include "support/harness.hpp"

#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::load_test {
namespace {

double lambda(const std::vector<double>& loads) { return lambda_of(loads); }

TEST(Lambda, IsGreatestOverAverage) {
  EXPECT_EQ(lambda({2, 2, 2, 2}), 1);
  EXPECT_EQ(lambda({4, 0, 0, 0}), 4);
  EXPECT_EQ(lambda({3, 1}), 1.5);
  EXPECT_EQ(lambda_of(3, 4, 2), 1.5);
}

TEST(Lambda, WhereNothingWeighsAnythingAllIsEven) {
  EXPECT_EQ(lambda({}), 1);
  EXPECT_EQ(lambda({0, 0, 0}), 1);
  EXPECT_EQ(lambda({5}), 1);
}

TEST(Lambda, IsFiniteAlsoWhereTheGreatestTimesThePartsIsNot) {
  EXPECT_EQ(lambda_of(1e308, 1e308, 3), 3);
}

TEST(Quality, IsTheAverageOverTheGreatest) {
  EXPECT_DOUBLE_EQ(quality_of(std::vector<double>{9, 8, 11, 8}), 9.0 / 11);  // as published
  EXPECT_EQ(quality_of(std::vector<double>{}), 1);
  EXPECT_EQ(quality_of(std::vector<double>{0, 0}), 1);
}

TEST(ImbalancePercent, IsTheShareOfTheOthersThatWait) {
  EXPECT_EQ(imbalance_percent_of(4, 4, 4), 100);
  EXPECT_EQ(imbalance_percent_of(2, 8, 4), 0);
  EXPECT_EQ(imbalance_percent_of(0, 0, 4), 0);
  EXPECT_EQ(imbalance_percent_of(7, 7, 1), 0);
  EXPECT_NEAR(imbalance_percent_of(3, 4, 2), 200.0 / 3, 1e-12);
}

}  // namespace
}  // namespace evenkeel::load_test
