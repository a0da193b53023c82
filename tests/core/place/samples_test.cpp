#include "place/samples.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::samples_test {
namespace {

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// Two cells, whose border is the plane x = y; or two halves of a square.
VoronoiDomains two_cells(int dimensions = 3) {
  return {1, dimensions, unit, {}, {{{1 << 20, 0, 0}, 0}, {{0, 1 << 20, 0}, 0}}};
}
SampledDomain first_of(const Domains& domains) {
  return {domains, 0, boxes_of(domains, 0).front()};
}

Samples scattered(const SampledDomain& domain, std::size_t count, SampleRandom& random) {
  Samples samples = drawn(domain, count, std::nullopt, random);
  for (double& weight : samples.weights) weight = 0.1 + random.uniform();
  return samples;
}

SamplePlace centre_of(const Samples& samples) {
  SamplePlace centre = {};
  const double sum = std::accumulate(samples.weights.begin(), samples.weights.end(), 0.0);
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      centre[d] += samples.weights[i] / sum * samples.places[i][d];
  return centre;
}

void expect_inside(const Domains& domains, const Samples& samples) {
  ASSERT_EQ(samples.places.size(), samples.weights.size());
  for (const SamplePlace& place : samples.places)
    EXPECT_EQ(
        owner_of(domains, std::span(place).first(static_cast<std::size_t>(dimensions_of(domains)))),
        0);
}

TEST(Samples, RandomNumbersAreSpreadEvenly) {
  SampleRandom random(3, 5), again(3, 5), other(5, 3);
  EXPECT_EQ(random.uniform(), again.uniform());
  EXPECT_NE(random.uniform(), other.uniform());
  double sum = 0, squares = 0;
  for (int i = 0; i < 10000; ++i) {
    sum += random.uniform();
    const double deviate = random.gaussian();
    squares += deviate * deviate;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
  EXPECT_NEAR(squares / 10000, 1, 0.1);
}

TEST(Samples, AreAsInformativeAsFewerEqualOnes) {
  EXPECT_EQ(effective_number({}), 0);
  EXPECT_EQ(effective_number(std::vector{2.0, 2.0, 2.0}), 3);
  EXPECT_EQ(effective_number(std::vector{5.0, 0.0}), 1);
}

// A tilt is the only factor exp(theta . place) with the given centre.
TEST(Samples, ATiltMovesTheirCentre) {
  const Domains domains = two_cells();
  SampleRandom random(1, 1);
  const Samples before = scattered(first_of(domains), 500, random);
  for (const SamplePlace& centre :
       {SamplePlace{0.7, 0.3, 0.5}, SamplePlace{0.9, 0.1, 0.2}, SamplePlace{0.6, 0.3, 0.9}}) {
    Samples after = before;
    tilt(after, centre, 3);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(centre_of(after)[d], centre[d], 1e-4);
    // the logarithm of the factor is a linear function of the place
    const auto log_factor = [&](std::size_t i) {
      return std::log(after.weights[i] / before.weights[i]);
    };
    for (std::size_t i = 0; i + 1 < 5; ++i) EXPECT_TRUE(std::isfinite(log_factor(i)));
  }
  Samples same = before;
  tilt(same, centre_of(before), 3);
  EXPECT_NEAR(same.weights[7] / same.weights[8], before.weights[7] / before.weights[8], 1e-9);
}

TEST(Samples, ATiltTowardsAPlaceOutsideOfAllLeavesFew) {
  const Domains domains = two_cells();
  SampleRandom random(2, 1);
  Samples samples = scattered(first_of(domains), 500, random);
  tilt(samples, {0.01, 0.99, 0.5}, 3);
  for (const double weight : samples.weights) EXPECT_TRUE(std::isfinite(weight));
  EXPECT_LT(effective_number(samples.weights), 48);
}

TEST(Samples, AreDrawnInTheirDomain) {
  for (const int dimensions : {2, 3}) {
    const Domains domains = two_cells(dimensions);
    SampleRandom random(3, 1);
    const Samples even = drawn(first_of(domains), 1000, std::nullopt, random);
    EXPECT_EQ(even.size(), 1000U);
    expect_inside(domains, even);
    EXPECT_NEAR(centre_of(even)[0], 2.0 / 3, 0.03);
    EXPECT_NEAR(centre_of(even)[2], dimensions == 3 ? 0.5 : 0, 0.03);
    const Samples near = drawn(first_of(domains), 1000, SamplePlace{0.99, 0.3, 0.02}, random);
    EXPECT_EQ(near.size(), 1000U);
    expect_inside(domains, near);
    EXPECT_NEAR(centre_of(near)[0], 0.99, 0.003);
    EXPECT_NEAR(centre_of(near)[2], dimensions == 3 ? 0.02 : 0, 0.005);
  }
}

// The cell is a slice along the diagonal of its box.
TEST(Samples, AreFoundInASliver) {
  const std::int32_t near = (1 << 20) - 4, far = (1 << 20) + 4;
  const Domains domains = VoronoiDomains(
      1, 3, unit, {},
      {{{1 << 20, 1 << 20, 1 << 20}, 0}, {{near, far, 1 << 20}, 0}, {{far, near, 1 << 20}, 0}});
  SampleRandom random(4, 1);
  const Samples samples = drawn(first_of(domains), 64, std::nullopt, random);
  EXPECT_GE(samples.size(), 32U);
  expect_inside(domains, samples);
}

TEST(Samples, AreResampledInProportionToTheirWeights) {
  const Domains domains = two_cells();
  SampleRandom random(5, 1);
  const Samples before = scattered(first_of(domains), 300, random);
  const Samples after = resampled(before, first_of(domains), 3000, random);
  EXPECT_EQ(after.size(), 3000U);
  expect_inside(domains, after);
  EXPECT_NEAR(effective_number(after.weights), 3000, 1e-6);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(centre_of(after)[d], centre_of(before)[d], 0.02);
  std::set<SamplePlace> places(after.places.begin(), after.places.end());
  EXPECT_EQ(places.size(), 3000U) << "no copies";
}

TEST(Samples, AreRefinedByAMeasurement) {
  const Domains domains = two_cells();
  for (const bool are_even : {false, true})
    for (const double share : {0.01, 1.0, 20.0}) {
      const SamplePlace centre = {0.8, 0.3, 0.4};
      const SampledWork known = {.share = share, .centre = centre, .are_even = are_even};
      const Samples samples = refined({}, first_of(domains), known, SampleRandom(6, 1));
      expect_inside(domains, samples);
      EXPECT_NEAR(std::accumulate(samples.weights.begin(), samples.weights.end(), 0.0), share,
                  1e-9);
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(centre_of(samples)[d], centre[d], 0.02);
      const Samples again = refined({}, first_of(domains), known, SampleRandom(6, 1));
      EXPECT_EQ(samples.places, again.places);
    }
}

}  // namespace
}  // namespace evenkeel::samples_test
