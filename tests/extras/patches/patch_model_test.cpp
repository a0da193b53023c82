#include "support/harness.hpp"

#include <evenkeel/extras/patches/patch_model.hpp>

namespace evenkeel::patch_model_test {
namespace {

using Timings = std::vector<PatchTiming>;

// The numbers that AstroBEAR has published.
PatchModel published() { return {2, 1.597e-5, {3.766, 5.490, 0}, 7.668}; }
PatchModel solid() { return {3, 2e-6, {4, 3, 6}, 200}; }

Timings timed(const PatchModel& model, const std::vector<PatchSize>& sizes, double noise = 0,
              unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> error(0, 1);
  Timings timings;
  for (const PatchSize& size : sizes)
    timings.push_back({size, model.seconds_of(size) * (1 + noise * error(random))});
  return timings;
}

std::vector<PatchSize> any_sizes(int count, unsigned seed, int dimensions = 2) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> side(1, 32);
  std::vector<PatchSize> sizes;
  for (int i = 0; i < count; ++i)
    sizes.push_back({side(random), side(random), dimensions == 3 ? side(random) : 1});
  return sizes;
}

std::array<double, 5> values_of(const PatchModel& model) {
  return {model.seconds_per_cell, model.ghosts[0], model.ghosts[1], model.ghosts[2],
          model.overhead_cells};
}

void expect_near(const PatchModel& found, const PatchModel& expected, double tolerance) {
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(values_of(found)[k], values_of(expected)[k],
                tolerance * (values_of(expected)[k] + 1e-12))
        << "number " << k;
}

// The relative errors of a, B, C and D over seeds, sorted.
std::array<std::vector<double>, 4> errors_over_seeds(bool designed, double outliers) {
  std::array<std::vector<double>, 4> errors;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto sizes = designed ? patch_sizes_to_time(2, 1, 32, 100) : any_sizes(100, seed);
    Timings timings = timed(published(), sizes, 0.05, seed + 1000);
    std::mt19937 random(seed + 2000);
    std::uniform_real_distribution<double> share(0, 1);
    for (PatchTiming& timing : timings)
      if (share(random) < outliers) timing.seconds *= 20;
    const PatchFit fit = fit_patches(2, timings);
    const std::array<double, 4> truth = {1.597e-5, 3.766, 5.490, 7.668};
    for (std::size_t k = 0; k < 4; ++k)
      errors[k].push_back(std::abs(fit.numbers[k].value / truth[k] - 1));
  }
  for (auto& of_number : errors) std::sort(of_number.begin(), of_number.end());
  return errors;
}

double median(const std::vector<double>& sorted) { return sorted[sorted.size() / 2]; }

TEST(PatchModel, CostsByHand) {
  const PatchModel flat{2, 0.5, {2, 4, 9}, 10};
  EXPECT_EQ(flat.seconds_of({1, 1, 7}), 0.5 * (3 * 5 + 10));
  const PatchModel deep{3, 0.5, {2, 4, 1}, 10};
  EXPECT_EQ(deep.seconds_of({1, 1, 3}), 0.5 * (3 * 5 * 4 + 10));
}

TEST(PatchModel, ExactTimingsGiveTheNumbersBack) {
  const std::vector<PatchSize> few = {{1, 1, 1}, {1, 32, 1}, {32, 1, 1}, {32, 32, 1}, {5, 9, 1}};
  for (const auto& sizes : {few, any_sizes(100, 3)}) {
    const PatchFit fit = fit_patches(2, timed(published(), sizes));
    expect_near(fit.model, published(), 1e-4);
    EXPECT_TRUE(fit.is_told());
    EXPECT_EQ(fit.outliers, 0);
  }
  const PatchFit fit = fit_patches(3, timed(solid(), any_sizes(60, 4, 3)));
  expect_near(fit.model, solid(), 1e-4);
  EXPECT_TRUE(fit.is_told());
  ASSERT_EQ(fit.numbers.size(), 5U);
  EXPECT_EQ(std::string(fit.numbers[3].name) + fit.numbers[4].name, "ED");
}

// Any unit and size must be allowed. One case is a device with an overhead of thousands of cells,
// in nanoseconds.
TEST(PatchModel, AnyScale) {
  for (const double unit : {1e-9, 1.0, 1e12}) {
    const PatchModel device{3, 3 * unit, {2, 2, 2}, 40000};
    expect_near(fit_patches(3, timed(device, patch_sizes_to_time(3, 4, 64, 64))).model, device,
                1e-3);
  }
}

// A fit of A x y + B x + C y + D to all sizes from 1 to 32 must yield the published numbers.
TEST(PatchModel, TheGeneralFormIsTheSame) {
  Timings timings;
  for (std::int64_t x = 1; x <= 32; ++x)
    for (std::int64_t y = 1; y <= 32; ++y) {
      const auto mx = static_cast<double>(x), my = static_cast<double>(y);
      timings.push_back({{x, y, 1},
                         1.5968758191034787e-5 * mx * my + 8.7672454209933808e-5 * mx +
                             6.0130874797035275e-5 * my + 4.5258365576023019e-4});
    }
  const PatchFit fit = fit_patches(2, timings);
  expect_near(fit.model, {2, 1.5968758191034787e-5, {3.765532302, 5.490248719, 0}, 7.668110194},
              1e-5);
  EXPECT_NEAR(fit.fixed_seconds, 4.5258365576023019e-4, 1e-9);
}

TEST(PatchModel, NumbersThatAreZero) {
  const PatchModel plain{2, 1e-6, {0, 0, 0}, 0};
  const PatchFit exact = fit_patches(2, timed(plain, any_sizes(40, 5)));
  EXPECT_NEAR(exact.model.seconds_per_cell, 1e-6, 1e-12);
  EXPECT_TRUE(exact.is_told());
  for (unsigned seed = 0; seed < 50; ++seed) {
    const PatchFit fit = fit_patches(2, timed(plain, any_sizes(40, 5), 0.1, seed));
    for (const PatchNumber& number : fit.numbers) EXPECT_GE(number.value, 0);
    EXPECT_GT(fit.model.seconds_per_cell, 0);
  }
}

// 100 timings have 5 % noise. Cramer and Rao bound the standard errors of any unbiased fit from
// below. For sizes that are drawn evenly from 1 to 32, the bounds are 1.9 % of a, 6.5 % of B, 5.4 %
// of C and 49 % of D; for the best sizes of this range they are 1.6, 2.7, 2.5 and 11 %. A median
// error is 0.67 of a standard error.
TEST(PatchModel, NoisyTimingsTellWhatTheyCan) {
  if (test::is_sanitized) GTEST_SKIP();
  const auto drawn = errors_over_seeds(false, 0), designed = errors_over_seeds(true, 0);
  const std::array<double, 4> bound_drawn = {0.019, 0.065, 0.054, 0.49},
                              bound_designed = {0.016, 0.027, 0.025, 0.113};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LT(median(drawn[k]), 0.67 * 1.2 * bound_drawn[k]) << k;
    EXPECT_LT(median(designed[k]), 0.67 * 1.25 * bound_designed[k]) << k;
    EXPECT_LT(designed[k].back(), 5 * bound_designed[k]) << k;
  }
}

// The cost of an empty patch is known even if D is not.
TEST(PatchModel, FixedCosts) {
  const PatchFit exact = fit_patches(2, timed(published(), any_sizes(50, 3)));
  const double fixed = 1.597e-5 * (3.766 * 5.490 + 7.668);
  EXPECT_NEAR(exact.fixed_seconds, fixed, 1e-5 * fixed);
  if (test::is_sanitized) return;  // the rest needs many fits
  int within = 0, close = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const PatchFit fit =
        fit_patches(2, timed(published(), patch_sizes_to_time(2, 1, 32, 100), 0.05, seed));
    within += std::abs(fit.fixed_seconds - fixed) < fit.fixed_uncertainty ? 1 : 0;
    close += std::abs(fit.fixed_seconds / fixed - 1) < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(within / 200.0, 0.683, 0.08);
  EXPECT_GT(close, 190);
}

TEST(PatchModel, OutliersDoLittle) {
  if (test::is_sanitized) GTEST_SKIP();
  const auto clean = errors_over_seeds(true, 0), dirty = errors_over_seeds(true, 0.05);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_LT(median(dirty[k]), 1.5 * median(clean[k])) << k;
}

TEST(PatchModel, OutliersAreCounted) {
  Timings timings = timed(published(), any_sizes(100, 6), 0.02);
  for (const std::size_t i : {3U, 50U, 77U}) timings[i].seconds *= 5;
  const PatchFit fit = fit_patches(2, timings);
  EXPECT_EQ(fit.outliers, 3);
  EXPECT_EQ(fit.timings, 100);
  EXPECT_NEAR(fit.noise, 0.02, 0.006);
}

// The true number must be within one standard error in two of three cases.
TEST(PatchModel, UncertaintiesHold) {
  if (test::is_sanitized) GTEST_SKIP();
  int within = 0, all = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const PatchFit fit =
        fit_patches(2, timed(published(), patch_sizes_to_time(2, 1, 32, 100), 0.05, seed));
    const std::array<double, 4> truth = {1.597e-5, 3.766, 5.490, 7.668};
    for (std::size_t k = 0; k < 4; ++k, ++all)
      within += std::abs(fit.numbers[k].value - truth[k]) < fit.numbers[k].uncertainty ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(within) / all, 0.683, 0.06);
}

// --- Timings that do not determine the numbers ---------------------------------------------------

PatchDoubt doubt_of(const PatchFit& fit, const std::string& name) {
  for (const PatchNumber& number : fit.numbers)
    if (name == number.name) return number.doubt;
  return PatchDoubt::none;
}

// The model must be close to the measured costs, even if the timings do not determine its numbers.
void expect_close_at(const PatchFit& fit, const Timings& timings, double tolerance) {
  for (const PatchTiming& timing : timings)
    EXPECT_NEAR(fit.model.seconds_of(timing.size) / timing.seconds, 1, tolerance);
}

TEST(PatchModel, SizesAllAlike) {
  const Timings timings = timed(published(), std::vector<PatchSize>(50, {8, 8, 1}), 0.01);
  const PatchFit fit = fit_patches(2, timings);
  for (const char* name : {"a", "B", "C", "D"}) EXPECT_EQ(doubt_of(fit, name), PatchDoubt::alike);
  EXPECT_LT(fit.model.ghosts[0], 80);
  expect_close_at(fit, timings, 0.05);
}

TEST(PatchModel, OneAxisAllAlike) {
  std::vector<PatchSize> sizes;
  for (int i = 1; i <= 32; ++i) sizes.push_back({i, 8, 1});
  const Timings timings = timed(published(), sizes);
  const PatchFit fit = fit_patches(2, timings);
  EXPECT_EQ(doubt_of(fit, "C"), PatchDoubt::alike);
  EXPECT_EQ(doubt_of(fit, "D"), PatchDoubt::alike);
  expect_close_at(fit, timings, 1e-3);
}

TEST(PatchModel, SquaresAlone) {
  std::vector<PatchSize> sizes;
  for (int i = 1; i <= 32; ++i) sizes.push_back({i, i, 1});
  const Timings timings = timed(published(), sizes);
  const PatchFit fit = fit_patches(2, timings);
  EXPECT_EQ(doubt_of(fit, "a"), PatchDoubt::none);
  for (const char* name : {"B", "C", "D"}) EXPECT_EQ(doubt_of(fit, name), PatchDoubt::squares);
  EXPECT_NEAR(fit.model.ghosts[0] + fit.model.ghosts[1], 3.766 + 5.490, 0.01);
  EXPECT_NEAR(fit.model.seconds_per_cell, 1.597e-5, 1e-7);
  expect_close_at(fit, timings, 1e-3);
}

TEST(PatchModel, TooFew) {
  for (const int count : {1, 2, 3, 4}) {
    const Timings timings = timed(published(), any_sizes(count, 8));
    const PatchFit fit = fit_patches(2, timings);
    EXPECT_FALSE(fit.is_told());
    for (const PatchNumber& number : fit.numbers) {
      EXPECT_EQ(number.doubt, PatchDoubt::few);
      EXPECT_EQ(number.uncertainty, std::numeric_limits<double>::infinity());
      EXPECT_TRUE(std::isfinite(number.value));
    }
  }
}

TEST(PatchModel, TooNoisy) {
  const PatchFit fit = fit_patches(2, timed(published(), any_sizes(100, 9), 0.05));
  EXPECT_EQ(doubt_of(fit, "a"), PatchDoubt::none);
  EXPECT_EQ(doubt_of(fit, "D"), PatchDoubt::noise);
  const PatchFit wild = fit_patches(2, timed(published(), any_sizes(12, 9), 0.4));
  EXPECT_EQ(doubt_of(wild, "D"), PatchDoubt::noise);
}

// For all timings, costs must be positive, finite, and greater for larger patches.
TEST(PatchModel, CostsGrowWithTheSize) {
  std::mt19937 random(10);
  std::uniform_real_distribution<double> decades(-7, 1);
  for (unsigned seed = 0; seed < 200; ++seed) {
    Timings timings;
    for (const PatchSize& size : any_sizes(1 + static_cast<int>(seed % 30), seed, 3))
      timings.push_back({size, std::pow(10, decades(random))});
    const PatchModel model = fit_patches(3, timings).model;
    double before = 0;
    for (std::int64_t side = 1; side < 100; side *= 3) {
      const double cost = model.seconds_of({side, 2 * side, side + 1});
      EXPECT_GT(cost, before);
      EXPECT_TRUE(std::isfinite(cost));
      before = cost;
    }
  }
}

// Contradictory timings must give a usable model, or an Error.
TEST(PatchModel, AnyTimings) {
  std::mt19937_64 random(11);
  for (const double reach : {1.0, 10.0, 30.0})
    for (const std::int64_t longest :
         {std::int64_t{32}, std::int64_t{1} << 20, std::int64_t{1} << 40})
      for (int count = 1; count < 60; count += test::is_sanitized ? 7 : 1) {
        std::uniform_real_distribution<double> decades(-reach, reach);
        std::uniform_int_distribution<std::int64_t> side(1, longest);
        Timings timings;
        for (int i = 0; i < count; ++i)
          timings.push_back({{side(random), side(random), side(random)},
                             std::pow(10, std::clamp(decades(random), -29.0, 29.0))});
        const PatchFit fit = fit_patches(3, timings);
        EXPECT_GT(fit.model.seconds_of({1, 1, 1}), 0);
        EXPECT_TRUE(std::isfinite(fit.model.seconds_of({32, 32, 32})));
        for (const PatchNumber& number : fit.numbers) EXPECT_FALSE(std::isnan(number.uncertainty));
      }
}

// --- The sizes to time ---------------------------------------------------------------------------

TEST(PatchSizes, CornersFirstAndOthersBetween) {
  const auto flat = patch_sizes_to_time(2, 2, 32, 8);
  EXPECT_EQ(flat[0], (PatchSize{2, 2, 1}));
  EXPECT_EQ(flat[1], (PatchSize{32, 2, 1}));
  EXPECT_EQ(flat[2], (PatchSize{2, 32, 1}));
  EXPECT_EQ(flat[4], (PatchSize{32, 32, 1}));
  for (const int dimensions : {2, 3})
    for (const PatchSize& size : patch_sizes_to_time(dimensions, 2, 32, 200))
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool counts = axis < static_cast<std::size_t>(dimensions);
        EXPECT_GE(size[axis], counts ? 2 : 1);
        EXPECT_LE(size[axis], counts ? 32 : 1);
      }
  EXPECT_TRUE(fit_patches(3, timed(solid(), patch_sizes_to_time(3, 1, 32, 12))).is_told());
}

// --- On the fly ----------------------------------------------------------------------------------

TEST(PatchFitter, TheSameAsAtOnceWhileTimingsAreKept) {
  const Timings timings = timed(published(), any_sizes(31, 11), 0.05);
  PatchFitter fitter(2);
  for (const PatchTiming& timing : timings) fitter.add(timing);
  EXPECT_EQ(values_of(fitter.fit().model), values_of(fit_patches(2, timings).model));
}

TEST(PatchFitter, NearWhatAllTogetherTell) {
  const Timings timings = timed(published(), patch_sizes_to_time(2, 1, 32, 400), 0.05);
  PatchFitter fitter(2, 1);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    fitter.add(timings[i]);
    if (i % 20 == 19) fitter.end_epoch();
  }
  const PatchFit found = fitter.fit(), expected = fit_patches(2, timings);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(found.numbers[k].value, expected.numbers[k].value, expected.numbers[k].uncertainty);
  EXPECT_NEAR(found.noise, 0.05, 0.01);
}

TEST(PatchFitter, FollowsAMachineThatBecomesSlower) {
  PatchFitter fitter(2, 0.8);
  PatchModel truth = published();
  for (unsigned epoch = 0; epoch < 60; ++epoch) {
    if (epoch == 20) truth.seconds_per_cell *= 3;
    for (const PatchTiming& timing : timed(truth, any_sizes(40, epoch), 0.02, epoch))
      fitter.add(timing);
    fitter.end_epoch();
  }
  for (const PatchSize& size : any_sizes(20, 99))
    EXPECT_NEAR(fitter.fit().model.seconds_of(size) / truth.seconds_of(size), 1, 0.05);
}

// After many steps with patches of a single size, a run must still know the costs of other sizes.
TEST(PatchFitter, DoesNotUnlearnWhatTheRunNoLongerShows) {
  PatchFitter fitter(2, 0.8);
  for (const PatchTiming& timing : timed(published(), patch_sizes_to_time(2, 1, 32, 100), 0.02))
    fitter.add(timing);
  for (unsigned epoch = 0; epoch < 100; ++epoch) {
    for (const PatchTiming& timing :
         timed(published(), std::vector<PatchSize>(30, {16, 16, 1}), 0.02, epoch))
      fitter.add(timing);
    fitter.end_epoch();
  }
  for (const PatchSize& size : any_sizes(20, 99))
    EXPECT_NEAR(fitter.fit().model.seconds_of(size) / published().seconds_of(size), 1, 0.1);
}

// --- Misuse --------------------------------------------------------------------------------------

TEST(PatchModel, BadInput) {
  const Timings good = timed(published(), any_sizes(10, 12));
  const auto with = [&](const PatchTiming& bad) {
    Timings timings = good;
    timings[7] = bad;
    return timings;
  };
  EXPECT_ERROR(fit_patches(2, {}), "There are no timings of patches.");
  EXPECT_ERROR(fit_patches(4, good), "A model of patches in 4 dimensions was asked for.");
  EXPECT_ERROR(fit_patches(2, with({{0, 3, 1}, 1})), "A patch has 0 cells along axis 0.");
  EXPECT_ERROR(fit_patches(2, with({{3, (std::int64_t{1} << 40) + 1, 1}, 1})), "Give patches of 1");
  EXPECT_ERROR(fit_patches(2, with({{3, 3, 1}, 1e-31})), "is 1e-31 seconds.");
  EXPECT_ERROR(fit_patches(3, with({{3, 3, -1}, 1})), "A patch has -1 cells along axis 2.");
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()})
    EXPECT_ERROR(fit_patches(2, with({{3, 3, 1}, seconds})), "The timing of a patch is");
  EXPECT_ERROR(published().seconds_of({1, 0, 1}), "A patch has 0 cells along axis 1.");
  for (const PatchModel& bad : {PatchModel{2, 0, {}, 0}, PatchModel{2, 1, {-1, 0, 0}, 0},
                                PatchModel{2, 1, {}, std::nan("")}})
    EXPECT_ERROR(bad.seconds_of({1, 1, 1}), "A model of patches has a number that is negative");
  EXPECT_ERROR(patch_sizes_to_time(2, 4, 4, 10),
               "Give a least size of 1 or more, a greatest size above it");
  EXPECT_ERROR(PatchFitter(2, 0), "The memory of earlier timings is");
  EXPECT_ERROR(PatchFitter(2, 2), "The memory of earlier timings is");
  EXPECT_ERROR(PatchFitter(2).fit(), "There are no timings of patches.");
  PatchFitter fitter(2);
  EXPECT_ERROR(fitter.add({{1, 1, 1}, -1}), "The timing of a patch is -1 seconds.");
}

}  // namespace
}  // namespace evenkeel::patch_model_test
