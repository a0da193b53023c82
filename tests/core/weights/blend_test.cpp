#include "support/harness.hpp"

#include "weights/blend.hpp"

namespace evenkeel::blend_test {
namespace {

const std::vector<double> weights = {1, 2, 0, 5};

std::vector<double> numbers(const exec::Array<double>& array) { return array.on_host(); }

TEST(Blend, GoesFromTheWeightsToTheirMean) {
  const Space host = Space::where(MemoryKind::host);
  EXPECT_EQ(numbers(blended(host, weights, 4, 2, 0)), weights);
  EXPECT_EQ(numbers(blended(host, weights, 4, 2, 0.5)), (std::vector<double>{1.5, 2, 1, 3.5}));
  EXPECT_EQ(numbers(blended(host, weights, 4, 2, 1)), (std::vector<double>{2, 2, 2, 2}));
  EXPECT_EQ(numbers(blended(host, {}, 2, 3, 0.5)), (std::vector<double>{2, 2}));
  EXPECT_TRUE(blended(host, {}, 0, 1, 1).empty());
}

TEST(Blend, ScaledWeightsAddUpToTheLoad) {
  const Space host = Space::where(MemoryKind::host);
  EXPECT_EQ(numbers(scaled(host, weights, 4, 8, 16)), (std::vector<double>{2, 4, 0, 10}));
  EXPECT_EQ(numbers(scaled(host, {}, 4, 4, 1)), (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
  const std::vector<double> tiny(4, 1e-320);  // the load over their sum is not finite
  const double sum = sum_over(host, tiny, 4);
  EXPECT_EQ(numbers(scaled(host, tiny, 4, sum, 1)), (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
}

TEST(Blend, WithoutWeightsObjectsAddUp) {
  const Space host = Space::where(MemoryKind::host);
  EXPECT_EQ(sum_over(host, weights, 4), 8);
  EXPECT_EQ(sum_over(host, {}, 3), 3);
  EXPECT_EQ(sum_over(host, {}, 0), 0);
}

}  // namespace
}  // namespace evenkeel::blend_test
