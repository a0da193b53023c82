#include "core/weights/ranks_of_types.hpp"
#include "support/harness.hpp"

namespace evenkeel::work_model_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using test::Alike;
using test::errors_of;
using test::Numbers;
using test::Ranks;
using test::types;

// --- The least norm ------------------------------------------------------------------------------

// The example of Niemoeller et al.
const Numbers seed_amounts = {10, 7, 13, 4, 12, 2, 5, 8}, seed_loads = {1.2, 0.9, 0.8, 1.1};

TEST(MinimumNorm, TheExampleOfItsPaper) {
  const Numbers costs = minimum_norm_costs(seed_amounts, 2, seed_loads);
  EXPECT_NEAR(costs[0], 0.0420, 5e-5);
  EXPECT_NEAR(costs[1], 0.1097, 5e-5);
  EXPECT_NEAR(costs[1] / costs[0], 2.61, 5e-3);
}

TEST(MinimumNorm, IsTheSameFromSumsOfRanks) {
  Ranks ranks(4, types(2), {.minimum_norm = true});
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].observe(Numbers{1, 1}, 100);  // older measurements do not count
    ranks[r].observe(Numbers{seed_amounts[2 * r], seed_amounts[2 * r + 1]}, seed_loads[r]);
  }
  const Numbers direct = minimum_norm_costs(seed_amounts, 2, seed_loads);
  const Numbers& found = ranks.fit(2).costs;
  EXPECT_NEAR(found[0], direct[0], 1e-12);
  EXPECT_NEAR(found[1], direct[1], 1e-12);
}

// The costs are the shortest vector that fits. Equal columns share the cost, and a column without
// amounts costs nothing.
TEST(MinimumNorm, WhereManyFit) {
  const Numbers amounts = {1, 1, 0, 2, 2, 0}, loads = {6, 12};
  for (const Numbers& costs : {minimum_norm_costs(amounts, 3, loads), [&] {
                                 Ranks ranks(2, types(3), {.minimum_norm = true});
                                 ranks[0].observe(Numbers{1, 1, 0}, 6);
                                 ranks[1].observe(Numbers{2, 2, 0}, 12);
                                 return ranks.fit(2).costs;
                               }()}) {
    EXPECT_NEAR(costs[0], 3, 1e-9);
    EXPECT_NEAR(costs[1], 3, 1e-9);
    EXPECT_NEAR(costs[2], 0, 1e-9);
  }
}

TEST(MinimumNorm, RefusesWhatIsNoProblem) {
  EXPECT_ERROR(minimum_norm_costs(seed_amounts, 3, seed_loads), "for each column");
  EXPECT_ERROR(minimum_norm_costs({}, 0, {}), "columns");
  EXPECT_ERROR(minimum_norm_costs(Numbers{1, not_a_number}, 2, Numbers{1}), "finite");
  EXPECT_ERROR(minimum_norm_costs(Numbers{1, 1}, 2, Numbers{infinity}), "finite");
}

// --- The model -----------------------------------------------------------------------------------

TEST(WorkModel, IsFiveTimesAsGoodAsTheLeastNorm) {
  if (test::is_sanitized) GTEST_SKIP() << "counts cases";
  constexpr int seeds = 100;
  for (const Alike alike : {Alike::diverse, Alike::similar, Alike::balanced})
    for (const int epochs : {4, 10, 20}) {
      const auto [least_norm, ours] = errors_of({32, 3, epochs, alike, 0}, seeds);
      EXPECT_LE(5 * ours, least_norm)
          << "alike " << static_cast<int>(alike) << ", epochs " << epochs;
    }
}

// The numbers of ranks and types vary. Fewer epochs give less information.
TEST(WorkModel, IsBetterElsewhereToo) {
  if (test::is_sanitized) GTEST_SKIP() << "counts cases";
  constexpr int seeds = 15;
  for (const Alike alike : {Alike::diverse, Alike::similar, Alike::balanced})
    for (const std::size_t ranks : {16U, 100U})
      for (const std::size_t types : {2U, 8U})
        for (const int epochs : {1, 10}) {
          const auto [least_norm, ours] = errors_of({ranks, types, epochs, alike, 0}, seeds);
          EXPECT_LE((epochs == 1 ? 1.1 : 3) * ours, least_norm)
              << ranks << " ranks, " << types << " types, similar " << static_cast<int>(alike)
              << ", epochs " << epochs;
        }
}

TEST(WorkModel, IsExactWithoutNoise) {
  Ranks ranks(7, types(3));
  const Numbers costs = {2, 0.5, 30};
  std::mt19937_64 random(5);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    Numbers amounts(3);
    double load = 400;
    for (std::size_t t = 0; t < 3; ++t) {
      amounts[t] = static_cast<double>(random() % 1000);
      load += amounts[t] * costs[t];
    }
    ranks[r].observe(amounts, load);
  }
  const WorkEstimate& found = ranks.fit(30);
  for (std::size_t t = 0; t < 3; ++t) EXPECT_NEAR(found.costs[t], costs[t], 0.02 * costs[t]) << t;
  EXPECT_NEAR(found.fixed, 400, 40);
  EXPECT_EQ(found.frozen, 0);
  EXPECT_NEAR(ranks[0].predicted(Numbers{1, 1, 1}), 32.5 + 400, 45);
}

// A kernel works on a single type, so the cost is its seconds over its count.
TEST(WorkModel, OfOneTypeIsTheRatio) {
  Ranks ranks(5, types(1), {.has_fixed = false});
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto count = static_cast<double>(100 * r);  // rank 0 has no objects
    ranks[r].observe(Numbers{count}, 3 * count);
  }
  const WorkEstimate& found = ranks.fit();
  EXPECT_NEAR(found.costs[0], 3, 1e-6);
  EXPECT_EQ(found.fixed, 0);
  EXPECT_EQ(found.frozen, 0);
  EXPECT_NEAR(found.condition, 1, 1e-12);
}

// One wild measurement must count less than ten others.
TEST(WorkModel, IsNotMisledByOneRank) {
  Ranks ranks(10, types(1), {.has_fixed = false});
  for (std::size_t r = 0; r < ranks.size(); ++r)
    ranks[r].observe(Numbers{100}, r == 3 ? 30'000 : 300 + static_cast<double>(r % 3));
  EXPECT_NEAR(ranks.fit(20).costs[0], 3.01, 0.05);
}

// If all ranks have the same amounts, no measurement separates two types. So they must have the
// same cost, or the expected costs.
TEST(WorkModel, KeepsWhatTheMeasurementsCannotTell) {
  const auto fit = [](const Numbers& expected) {
    Ranks ranks(6, types(2), {.has_fixed = false});
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (!expected.empty()) ranks[r].expect(expected);
      ranks[r].observe(Numbers{50, 50}, 300);
    }
    return ranks.fit();
  };
  const WorkEstimate plain = fit({});
  EXPECT_NEAR(plain.costs[0], 3, 1e-3);
  EXPECT_NEAR(plain.costs[1], 3, 1e-3);
  EXPECT_EQ(plain.frozen, 1);
  EXPECT_GT(plain.condition, 1e12);
  EXPECT_GT(plain.errors[0], 1);
  const WorkEstimate told = fit({1, 5});
  EXPECT_NEAR(told.costs[0], 1, 1e-3);
  EXPECT_NEAR(told.costs[1], 5, 1e-3);
}

// Measurements must override expectations.
TEST(WorkModel, ExpectationsThatAreWrongByFive) {
  Ranks ranks(8, types(2));
  std::mt19937_64 random(3);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].expect(Numbers{5, 1});
    for (int epoch = 0; epoch < 5; ++epoch) {
      const auto a = static_cast<double>(random() % 100), b = static_cast<double>(random() % 100);
      ranks[r].observe(Numbers{a, b}, 1 * a + 5 * b);
    }
  }
  const WorkEstimate& found = ranks.fit();
  EXPECT_NEAR(found.costs[1] / found.costs[0], 5, 0.1);
}

// A type that no rank has must cost the average of all types, with a large error.
TEST(WorkModel, OfTypesThatNobodyHas) {
  Ranks ranks(4, types(2), {.has_fixed = false});
  for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].observe(Numbers{10, 0}, 20);
  const WorkEstimate& found = ranks.fit();
  EXPECT_NEAR(found.costs[0], 2, 1e-6);
  EXPECT_NEAR(found.costs[1], 2, 1e-6);
  EXPECT_GT(found.errors[1], found.costs[1]);
  EXPECT_LT(found.errors[0], 0.1 * found.costs[0]);
  EXPECT_EQ(found.frozen, 1);
}

// Features may cost nothing, but never less.
TEST(WorkModel, Features) {
  using enum WorkModel::Column;
  Ranks ranks(12, {type, feature, feature}, {.has_fixed = false});
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (int epoch = 0; epoch < 4; ++epoch) {
      const auto cells = static_cast<double>(100 + random() % 100),
                 particles = static_cast<double>(random() % 1000),
                 level = static_cast<double>(random() % 500);
      ranks[r].observe(Numbers{cells, particles, level},
                       (cells + 0.2 * particles) * (1 + 0.01 * normal(random)));
    }
  const WorkEstimate& found = ranks.fit();
  EXPECT_NEAR(found.costs[0], 1, 0.03);
  EXPECT_NEAR(found.costs[1], 0.2, 0.01);
  EXPECT_GE(found.costs[2], 0);
  EXPECT_LT(found.costs[2], 0.01);
}

// Newer measurements must count more.
TEST(WorkModel, ForgetsWhatWas) {
  Ranks ranks(6, types(1), {.has_fixed = false});
  for (const double cost : {9.0, 2.0})
    for (int epoch = 0; epoch < 40; ++epoch)
      for (std::size_t r = 0; r < ranks.size(); ++r)
        ranks[r].observe(Numbers{100 + static_cast<double>(r)},
                         cost * (100 + static_cast<double>(r)));
  EXPECT_NEAR(ranks.fit().costs[0], 2, 0.05);
}

// Ranks are on different nodes. The slow half takes 40 % longer for the same work.
TEST(WorkModel, SpeedsOfRanks) {
  const auto worst = [](bool has_speeds) {
    Ranks ranks(16, types(2), {.has_fixed = false, .has_speeds = has_speeds});
    std::mt19937_64 random(2);
    double error = 0;
    for (int epoch = 0; epoch < 40; ++epoch) {
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        // On average, the slow ranks have fewer objects of the expensive type.
        const auto a = static_cast<double>(100 + random() % 400),
                   b = static_cast<double>((r < 8 ? 100 : 200) + random() % 300);
        ranks[r].observe(Numbers{a, b}, (r < 8 ? 1.4 : 1.0) * (a + 4 * b));
      }
      error = std::abs(ranks.fit(2).costs[1] / ranks.fit(2).costs[0] / 4 - 1);
    }
    if (has_speeds) {
      EXPECT_NEAR(ranks[0].speed() / ranks[15].speed(), 1.4, 0.07);
    } else {
      EXPECT_EQ(ranks[0].speed(), 1);
    }
    return error;
  };
  EXPECT_LT(worst(true), 0.02);
  EXPECT_GT(worst(false), worst(true));
}

TEST(WorkModel, WithoutMeasurementsKnowsNothing) {
  Ranks ranks(3, types(2));
  const WorkEstimate& found = ranks.fit();
  EXPECT_FALSE(found.is_known());
  ranks[0].observe(Numbers{1, 1}, 0);  // a load of 0 does not count
  EXPECT_FALSE(ranks.fit().is_known());
  EXPECT_FALSE(ranks[0].has_observed());
}

// All objects are on one rank. The costs must be positive and finite, and fit its load.
TEST(WorkModel, OfOneRank) {
  Ranks ranks(3, types(2));
  ranks[1].observe(Numbers{30, 10}, 80);
  const WorkEstimate& found = ranks.fit();
  EXPECT_TRUE(found.is_known());
  EXPECT_NEAR(ranks[2].predicted(Numbers{30, 10}), 80, 4);
  for (const double cost : found.costs) {
    EXPECT_GT(cost, 0);
    EXPECT_TRUE(std::isfinite(cost));
  }
}

// For numbers of any magnitude, costs must stay finite and positive.
TEST(WorkModel, AnyNumbers) {
  std::mt19937_64 random(17);
  for (int trial = 0; trial < (test::is_sanitized ? 20 : 200); ++trial) {
    const std::size_t count = 1 + random() % 6;
    Ranks ranks(1 + random() % 5, types(count), {.has_fixed = random() % 2 == 0});
    const double unit = std::exp2(static_cast<double>(random() % 400) - 200);
    for (std::size_t r = 0; r < ranks.size(); ++r)
      for (std::uint64_t epoch = random() % 4; epoch > 0; --epoch) {
        Numbers amounts(count);
        for (double& amount : amounts)
          amount = random() % 3 == 0 ? 0 : std::exp2(static_cast<double>(random() % 40));
        ranks[r].observe(amounts, unit * static_cast<double>(random() % 1000));
      }
    const WorkEstimate& found = ranks.fit();
    for (std::size_t t = 0; t < count && found.is_known(); ++t) {
      EXPECT_GT(found.costs[t], 0);
      EXPECT_TRUE(std::isfinite(found.costs[t]));
      EXPECT_TRUE(std::isfinite(found.errors[t]));
    }
    EXPECT_TRUE(std::isfinite(found.condition));
  }
}

TEST(WorkModel, RefusesWhatMakesNoSense) {
  WorkModel model(types(2));
  EXPECT_ERROR(WorkModel(types(0)), "columns");
  EXPECT_ERROR(WorkModel(types(WorkModel::most_columns + 1)), "columns");
  EXPECT_ERROR(WorkModel(types(1), {.forgetting = 0}), "forgetting");
  EXPECT_ERROR(WorkModel(types(1), {.forgetting = not_a_number}), "forgetting");
  EXPECT_ERROR(model.observe(Numbers{1}, 1), "more or fewer amounts than columns");
  EXPECT_ERROR(model.observe(Numbers{1, -1}, 1), "negative");
  EXPECT_ERROR(model.observe(Numbers{1, not_a_number}, 1), "not finite");
  EXPECT_ERROR(model.observe(Numbers{1, 1}, -1), "load");
  EXPECT_ERROR(model.observe(Numbers{1, 1}, not_a_number), "load");
  EXPECT_ERROR(model.expect(Numbers{1}), "each column");
  EXPECT_ERROR(model.expect(Numbers{1, -1}), "negative");
  EXPECT_ERROR(model.expect(Numbers{1, 1}, 0), "positive");
  EXPECT_FALSE(model.has_observed());
}

}  // namespace
}  // namespace evenkeel::work_model_test
