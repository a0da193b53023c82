#include "core/phase_costs.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/chain.hpp>

namespace evenkeel::phases_test {
namespace {

using Offsets = std::vector<std::int64_t>;
using test::Pattern;
using test::PhaseCosts;

PhaseChain cut_of(const PhaseCosts& costs, int parts) {
  return cut_phases(test::spans_of(costs), parts);
}

// Checks the properties of a result for any input of whole numbers.
void expect_valid(const PhaseChain& chain, const PhaseCosts& costs, int parts) {
  ASSERT_EQ(std::ssize(chain.offsets), parts + 1);
  EXPECT_EQ(chain.offsets.front(), 0);
  EXPECT_EQ(chain.offsets.back(), std::ssize(costs.front()));
  EXPECT_TRUE(std::is_sorted(chain.offsets.begin(), chain.offsets.end()));
  EXPECT_EQ(chain.loads.parts, parts);
  ASSERT_EQ(chain.loads.phases.size(), costs.size());
  double bound = 0;
  for (std::size_t p = 0; p < costs.size(); ++p) {
    const PhaseLoad& load = chain.loads.phases[p];
    EXPECT_EQ(load.greatest, test::step_of({costs[p]}, chain.offsets));
    EXPECT_EQ(load.sum, std::accumulate(costs[p].begin(), costs[p].end(), 0.0));
    const double heaviest =
        costs[p].empty() ? 0 : *std::max_element(costs[p].begin(), costs[p].end());
    EXPECT_EQ(load.heaviest, heaviest);
    bound += std::max(heaviest, load.sum / parts);
  }
  EXPECT_EQ(chain.loads.step, test::step_of(costs, chain.offsets));
  EXPECT_NEAR(chain.loads.bound, bound, 1e-12 * bound);
}

// --- By hand -------------------------------------------------------------------------------------

// Solver A costs 9 on the left half, and solver B costs 1 on the right half. Two of the three parts
// share A; the second one also takes some of B. Cuts by A alone and by the sum end at 24 or above.
TEST(CutPhases, TwoSolversApart) {
  const PhaseCosts costs = {{9, 9, 9, 9, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1, 1, 1}};
  const PhaseChain chain = cut_of(costs, 3);
  EXPECT_EQ(chain.offsets, (Offsets{0, 2, 6, 8}));
  EXPECT_DOUBLE_EQ(chain.loads.step, 18 + 2);
  EXPECT_DOUBLE_EQ(chain.loads.bound, 12 + 4.0 / 3);
  EXPECT_DOUBLE_EQ(chain.loads.shortfall_percent, 100 * (20 / (12 + 4.0 / 3) - 1));
  EXPECT_DOUBLE_EQ(chain.loads.phases[0].lambda, 1.5);
  EXPECT_DOUBLE_EQ(chain.loads.phases[1].lambda, 1.5);
}

// Phases with the same distribution must be cut like one phase.
TEST(CutPhases, PhasesThatAgree) {
  const PhaseCosts costs = {{1, 1, 2, 2, 1, 1}, {3, 3, 6, 6, 3, 3}, {0, 0, 0, 0, 0, 0}};
  const PhaseChain chain = cut_of(costs, 2);
  EXPECT_EQ(chain.offsets, (Offsets{0, 3, 6}));
  EXPECT_EQ(chain.loads.shortfall_percent, 0);
  EXPECT_EQ(chain.loads.phases[2].lambda, 1);
}

// All items would fit the limits of the first parts. Still the last parts must not be empty.
TEST(CutPhases, SpreadsWhatTheLimitsLeaveOpen) {
  const PhaseCosts costs = {{10, 1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(cut_of(costs, 3).offsets, (Offsets{0, 1, 2, 7}));  // shares: 5.33 and 10.67
  EXPECT_EQ(cut_of({{4, 2, 2}}, 2).offsets, (Offsets{0, 1, 3}));
}

TEST(CutPhases, WithoutCostsByCount) {
  EXPECT_EQ(cut_of({{0, 0, 0, 0}, {0, 0, 0, 0}}, 2).offsets, (Offsets{0, 2, 4}));
  EXPECT_EQ(cut_of({{}, {}}, 3).offsets, (Offsets{0, 0, 0, 0}));
  EXPECT_EQ(cut_of({{}, {}}, 3).loads.shortfall_percent, 0);
}

// --- Against all cuts there are ------------------------------------------------------------------

TEST(CutPhases, NearlyAsGoodAsAnyCutOfShortRows) {
  constexpr double worst[] = {1, 1.0004, 1.0101, 1.10}, worst_mean = 1.004;
  for (const Pattern pattern : test::patterns) {
    double sum = 0;
    int rows = 0;
    for (unsigned seed = 0; seed < 120; ++seed) {
      const int parts = 1 + static_cast<int>(seed % 4);
      const PhaseCosts costs = test::phase_costs(pattern, 1 + seed % 3, 1 + seed % 14, seed);
      const PhaseChain chain = cut_of(costs, parts);
      expect_valid(chain, costs, parts);
      const double best = test::shortest_step(costs, parts);
      if (best == 0) continue;
      EXPECT_GE(chain.loads.step, best);
      EXPECT_LE(chain.loads.step, worst[costs.size()] * best)
          << static_cast<int>(pattern) << ' ' << seed;
      EXPECT_LE(chain.loads.bound, best * (1 + 1e-12));
      sum += chain.loads.step / best;
      ++rows;
    }
    ASSERT_GT(rows, 10);
    EXPECT_LE(sum / rows, worst_mean) << static_cast<int>(pattern);
  }
}

// --- Against the exact cut of one weight ---------------------------------------------------------

TEST(CutPhases, OnePhaseIsAChain) {
  for (const Pattern pattern : test::patterns)
    for (const int parts : {1, 2, 7, 64, 300}) {
      const PhaseCosts costs = test::phase_costs(pattern, 1, 2000, 5);
      const PhaseChain chain = cut_of(costs, parts);
      expect_valid(chain, costs, parts);
      EXPECT_LE(chain.loads.step,
                (1 + 3e-4) * cut_chain(std::span<const double>(costs[0]), {parts}).bottleneck);
    }
}

// Places each offset where the weight before it is nearest to its share, as in a cut by one weight.
Offsets nearest_offsets(const std::vector<double>& weights, int parts) {
  std::vector<double> before(weights.size() + 1);
  std::partial_sum(weights.begin(), weights.end(), before.begin() + 1);
  Offsets offsets;
  for (int part = 0; part <= parts; ++part) {
    const double share = before.back() * part / parts;
    const auto nearest = std::min_element(before.begin(), before.end(), [&](double a, double b) {
      return std::abs(a - share) < std::abs(b - share);
    });
    offsets.push_back(nearest - before.begin());
  }
  offsets.back() = std::ssize(weights);
  return offsets;
}

// The cut must never be worse than a cut by a single weight: the sum of costs, or the sum of shares
// of phases.
TEST(CutPhases, BeatsASingleWeight) {
  for (const Pattern pattern : test::patterns)
    for (const std::size_t phases : {2U, 3U, 8U})
      for (const int parts : {2, 16, 100}) {
        const PhaseCosts costs = test::phase_costs(pattern, phases, 3000, 11);
        const PhaseChain chain = cut_of(costs, parts);
        expect_valid(chain, costs, parts);
        std::vector<double> plain(3000), shares(3000);
        for (const std::vector<double>& phase : costs) {
          const double sum = std::accumulate(phase.begin(), phase.end(), 0.0);
          const double heaviest = std::max(1.0, *std::max_element(phase.begin(), phase.end()));
          for (std::size_t i = 0; i < phase.size(); ++i) {
            plain[i] += phase[i];
            shares[i] += phase[i] / std::max(sum / parts, heaviest);
          }
        }
        for (const std::vector<double>& weights : {plain, shares}) {
          EXPECT_LE(chain.loads.step, test::step_of(costs, nearest_offsets(weights, parts)))
              << static_cast<int>(pattern) << ' ' << phases << ' ' << parts;
        }
      }
}

// With two separate solvers and many parts, the load is (sqrt(a) + sqrt(b))^2 / parts.
TEST(CutPhases, PartsByTheRootsOfCosts) {
  PhaseCosts costs(2, std::vector<double>(40'000));
  for (std::size_t i = 0; i < 20'000; ++i) costs[0][i] = 9;
  for (std::size_t i = 20'000; i < 40'000; ++i) costs[1][i] = 1;
  const PhaseChain chain = cut_of(costs, 200);
  const double expected = std::pow(std::sqrt(180'000) + std::sqrt(20'000), 2) / 200;
  EXPECT_NEAR(chain.loads.step, expected, 0.01 * expected);
}

// --- Degenerate input ----------------------------------------------------------------------------

TEST(CutPhases, MorePartsThanItems) {
  const PhaseCosts costs = {{3, 1}, {1, 5}};
  const PhaseChain chain = cut_of(costs, 5);
  expect_valid(chain, costs, 5);
  EXPECT_EQ(chain.loads.step, 8);
  EXPECT_EQ(chain.loads.shortfall_percent, 0);
}

TEST(CutPhases, GreatAndSmallNumbers) {
  constexpr double most = std::numeric_limits<double>::max(), least = 0x1p-1070;
  const PhaseChain great = cut_of({{most / 8, most / 8}, {most / 8, most / 8}}, 2);
  EXPECT_EQ(great.offsets, (Offsets{0, 1, 2}));
  const PhaseChain small = cut_of({{least, least}, {least, least}}, 2);
  EXPECT_EQ(small.offsets, (Offsets{0, 1, 2}));
  // One phase hardly counts beside the other.
  EXPECT_EQ(cut_of({{1e300, 0, 0, 1e300}, {1e-300, 0, 0, 1e-300}}, 2).loads.step, 1e300);
}

// --- Misuse --------------------------------------------------------------------------------------

void expect_refused(const std::vector<std::vector<double>>& costs, int parts,
                    const std::string& told) {
  try {
    cut_of(costs, parts);
    ADD_FAILURE() << "no Error, expected: " << told;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_EQ(error.where(), "core/chain");
    EXPECT_NE(error.problem().find(told), std::string::npos) << error.what();
  }
}

TEST(CutPhases, RefusesBadInput) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  expect_refused({{1, 2}, {1}}, 2, "Phase 0 has costs of 2 items, but phase 1 has costs of 1.");
  expect_refused({}, 2, "A cut of no phases");
  expect_refused({{1}}, 0, "0 parts");
  expect_refused({{1}}, -3, "-3 parts");
  for (const double bad : {-1.0, std::nan(""), infinity, -infinity})
    expect_refused({{1, 1}, {1, bad}}, 2, "A cost of phase 1 is negative, NaN or infinite.");
  constexpr double half = std::numeric_limits<double>::max() / 1.5;
  expect_refused({{half, half}}, 2, "add up to more than a number can hold");
  expect_refused({{half}, {half}}, 2, "add up to more than a number can hold");
}

}  // namespace
}  // namespace evenkeel::phases_test
