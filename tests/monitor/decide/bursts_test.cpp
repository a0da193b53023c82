// Tests cost_aware on imbalances that pass. A burst raises the work and the waste of cuts that were
// made outside of it. A cut that was made in a burst is bad outside of it.

#include "monitor/decide/cut_world.hpp"
#include "support/harness.hpp"

namespace evenkeel::bursts_test {
namespace {

using test::CutRun;
using test::CutWorld;
using test::play;
using test::Played;

struct Bursts {
  std::int64_t length, period;
  std::int64_t stays_from = 1'000'000;  // the burst that begins here does not end

  bool is_in(std::int64_t step) const {
    return step >= stays_from || (step > 0 && step % period >= period - length);
  }
  double waste(std::int64_t step, std::int64_t cut) const {
    const bool fits = is_in(step) == is_in(cut - 3);
    return fits ? 0.02 : is_in(step) ? 0.8 : 0.6;
  }
  CutWorld world(bool has_weights) const {
    const auto of_cut = [*this](std::int64_t step, std::int64_t cut) { return waste(step, cut); };
    return {.waste = of_cut,
            .mean = [*this](std::int64_t step, std::int64_t) { return is_in(step) ? 1.5 : 1.0; },
            .weighed = has_weights ? test::Waste(of_cut) : test::Waste()};
  }
  double without_rebalances(std::int64_t steps) const {
    double sum = 0;
    for (std::int64_t step = 0; step < steps; ++step)
      sum += (is_in(step) ? 1.5 : 1.0) * (1 + waste(step, 0));
    return sum;
  }
};

constexpr CutRun run = {
    .steps = 1000, .cost = 2, .epoch = 0, .latency = 5, .expected_cost = 5, .kept_from = 0};

std::ptrdiff_t rebalances_from(const Played& played, std::int64_t begin) {
  return std::ranges::count_if(played.rebalances, [=](std::int64_t step) { return step >= begin; });
}

// A burst that is answered too late can cost several C: its cut, the return, and the steps between
// them. The sum must not grow with the number of bursts: up to 25 bursts lose at most 15 C.
TEST(Bursts, CostLittleMoreThanNoRebalances) {
  for (const bool has_weights : {false, true})
    for (const std::int64_t period : {40, 80, 150, 300})
      for (const std::int64_t length : {5, 10, 15, 20, 30, 60}) {
        if (2 * length > period) continue;
        const Bursts bursts = {length, period};
        const Played played = play(bursts.world(has_weights), run);
        EXPECT_LE(played.total(), bursts.without_rebalances(run.steps) + 15 * run.cost)
            << length << " of " << period << ", weights " << has_weights << ", "
            << played.rebalances.size() << " rebalances";
      }
}

// The first burst can be answered, and its end by a return. The lengths of later ones are known.
TEST(Bursts, AreNotAnsweredOnceTheirLengthIsKnown) {
  for (const std::int64_t length : {12, 15}) {
    const Bursts bursts = {length, 100};
    const Played played = play(bursts.world(false), run);
    EXPECT_GE(played.rebalances.size(), 1U);
    EXPECT_LE(played.rebalances.size(), 2U);
    EXPECT_EQ(rebalances_from(played, 2 * 100 - length), 0) << length;
    EXPECT_LT(bursts.waste(50, played.cut), 0.1) << length;
  }
}

TEST(Bursts, OfGreatLengthAreAnswered) {
  for (const bool has_weights : {false, true}) {
    const Bursts bursts = {120, 300};
    const Played played = play(bursts.world(has_weights), run);
    EXPECT_LT(played.total(), bursts.without_rebalances(run.steps) - 10 * run.cost);
  }
}

// An imbalance is expected to last as long again if it has lasted longer than all others.
TEST(Bursts, DoNotHideAnImbalanceThatStays) {
  for (const bool has_weights : {false, true}) {
    const Bursts bursts = {20, 100, 680};
    const Played played = play(bursts.world(has_weights), run);
    ASSERT_GE(rebalances_from(played, 680), 1);
    EXPECT_LE(*std::ranges::lower_bound(played.rebalances, 680), 680 + 60);
    EXPECT_LT(bursts.waste(999, played.cut), 0.1);
  }
}

TEST(Bursts, AreJudgedEquallyOnAllRanks) {
  for (const test::CutLook& look : play(Bursts{20, 80}.world(false), run).looks) {
    const DecisionState restored = state_from_text(to_text(look.before), "the test");
    const Verdict one = fold(look.before, look.totals), other = fold(restored, look.totals);
    ASSERT_EQ(hash_of(one.state), hash_of(other.state));
    ASSERT_EQ(hash_of(one.decision), hash_of(other.decision));
  }
}

}  // namespace
}  // namespace evenkeel::bursts_test
