// The trigger cost_aware, through fold(): small worlds whose ranks take what a rule says, step by
// step, with a rebalance at once when it is decided.

#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

#include <evenkeel/monitor/decision.hpp>
#include <evenkeel/monitor/state.hpp>
#include <evenkeel/monitor/truncated_mean.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

// What each of the ranks takes in a step, in units of about a mean load; `cut` is the step before
// which the last rebalance was, 0 where there was none.
using Loads = std::vector<double>;
using World = std::function<Loads(std::int64_t step, std::int64_t cut)>;

struct Setting {
  std::int64_t steps = 400;
  double cost = 5;              // of a rebalance, in units
  std::int64_t epoch = 1;       // 0: as the trigger asks for
  std::int64_t unit = 1 << 20;  // nanoseconds
  bool knows_horizon = true;
  double expected_cost = 5;  // in mean steps, until one was measured
};

struct Played {
  State state;
  std::vector<std::int64_t> rebalances;  // the first step after each
  std::vector<Reason> reasons;           // of all looks
  std::vector<std::int64_t> epochs;
  double total = 0;  // units: the slowest rank of each step, and the rebalances

  bool has(Reason reason) const { return std::ranges::count(reasons, reason) > 0; }
};

class Player {
 public:
  explicit Player(const Setting& setting) : setting_(setting) {
    played_.state.trigger = CostAware{};
    played_.state.epoch_steps = setting.epoch;
    played_.state.horizon = setting.knows_horizon ? setting.steps : 0;
    played_.state.expected_cost = setting.expected_cost;
    played_.state.mean_load = setting.unit;  // by which spreads are counted
  }

  Played through(const World& world) {
    for (std::int64_t step = 0; step < setting_.steps; ++step) {
      take(world(step, cut_));
      if (std::ssize(epoch_.front()) == epoch_length(played_.state)) look(step + 1);
    }
    return played_;
  }

 private:
  void take(const Loads& loads) {
    epoch_.resize(loads.size());
    first_.resize(loads.size());
    for (std::size_t rank = 0; rank < loads.size(); ++rank)
      epoch_[rank].push_back(std::llround(loads[rank] * 1024) * (setting_.unit / 1024));
    played_.total += std::ranges::max(loads);
  }

  Totals totals(std::int64_t step) {
    const State& state = played_.state;
    const double unit = static_cast<double>(totals_of({}, state.mean_load).unit);
    return test::over_ranks(epoch_.size(), [&](std::size_t rank) {
      Sample sample = {.step = step, .steps = std::ssize(epoch_[rank])};
      sample.generation = state.generation;
      sample.load = sample.duration = truncated_sum(epoch_[rank]);
      constexpr double most = 1ULL << 40U;
      sample.variance = static_cast<std::int64_t>(
          std::min(most, truncated_sum_variance(epoch_[rank]) / (unit * unit)));
      sample.cost = paid_;
      if (state.interval.looks == 0)
        first_[rank] = static_cast<double>(sample.load) / static_cast<double>(sample.steps);
      sample.growth = state.interval.growth_of(sample.load, sample.steps, first_[rank]);
      return totals_of(sample, state.mean_load);
    });
  }

  void look(std::int64_t step) {
    played_.epochs.push_back(std::ssize(epoch_.front()));
    const Verdict verdict = fold(played_.state, totals(step));
    played_.state = verdict.state;
    played_.reasons.push_back(verdict.decision.reason);
    paid_ = 0;
    for (auto& loads : epoch_) loads.clear();
    if (verdict.decision.action != Action::rebalance || step == setting_.steps) return;
    played_.state = rebalanced(played_.state, step, played_.state.generation + 1);
    played_.rebalances.push_back(step);
    played_.total += setting_.cost;
    paid_ = std::llround(setting_.cost * static_cast<double>(setting_.unit));
    cut_ = step;
  }

  Setting setting_;
  Played played_;
  std::vector<std::vector<std::int64_t>> epoch_;  // nanoseconds, of each rank and step
  Loads first_;
  std::int64_t cut_ = 0, paid_ = 0;
};

Played play(const World& world, const Setting& setting = {}) {
  return Player(setting).through(world);
}

double never(const World& world, const Setting& setting) {
  double total = 0;
  for (std::int64_t step = 0; step < setting.steps; ++step)
    total += std::ranges::max(world(step, 0));
  return total;
}

// Without any rebalance, and those that it takes until it is off, and one for each time that it is
// on again.
double bound(const Played& played, const World& world, const Setting& setting) {
  const auto rebalances = static_cast<double>(2 + played.state.outlook.rearmed);
  return never(world, setting) * (1 + 1e-12) + rebalances * setting.cost;
}

// Four ranks, one of which takes longer than the mean of 1 by so much.
Loads uneven(double waste) { return {1 + waste, 1 - waste / 3, 1 - waste / 3, 1 - waste / 3}; }

// Single steps, and epochs as the trigger asks for them.
const std::vector<std::int64_t> cadences = {1, 0};

// --- When it acts --------------------------------------------------------------------------------

TEST(CostAware, CuresAConstantImbalanceOnce) {
  for (const std::int64_t epoch : cadences)
    for (const double waste : {0.05, 0.1, 0.75, 2.0}) {
      const Setting setting = {.epoch = epoch};
      const Played played = play(
          [=](std::int64_t, std::int64_t cut) { return uneven(cut > 0 ? 0.01 : waste); }, setting);
      ASSERT_EQ(played.rebalances.size(), 1U) << waste;
      // As soon as twice its cost was lost, or at the second look.
      const auto lost = static_cast<double>(played.rebalances.front()) * waste;
      EXPECT_LE(lost, std::max(2 * setting.cost, 12 * waste)) << waste;
      EXPECT_TRUE(played.has(Reason::growth_pays) || played.has(Reason::excess_pays));
    }
}

TEST(CostAware, LeavesAnEvenLoadAlone) {
  for (const std::int64_t epoch : cadences) {
    const Played played =
        play([](std::int64_t, std::int64_t) { return uneven(0); }, {.epoch = epoch});
    EXPECT_TRUE(played.rebalances.empty());
    EXPECT_EQ(played.state.outlook.excess, 0);
    const std::set<Reason> reasons(played.reasons.begin(), played.reasons.end());
    EXPECT_TRUE(reasons == std::set<Reason>({Reason::below_noise}) ||
                reasons == std::set<Reason>({Reason::too_early, Reason::below_noise}));
  }
}

// A rank's load in a step is 1, with a deviation of a tenth, whatever the cut.
TEST(CostAware, HardlyActsOnNoise) {
  constexpr int runs = 20;
  for (const std::int64_t epoch : cadences) {
    std::size_t all = 0;
    for (unsigned seed = 0; seed < runs; ++seed) {
      std::mt19937_64 random(seed);
      std::normal_distribution<double> load(1, 0.1);
      const Played played = play(
          [&](std::int64_t, std::int64_t) {
            Loads loads(8);
            for (double& one : loads) one = std::max(0.0, load(random));
            return loads;
          },
          {.steps = 500, .epoch = epoch});
      EXPECT_LE(played.rebalances.size(), 2U) << seed;
      all += played.rebalances.size();
    }
    EXPECT_LE(all, 3U) << epoch;
  }
}

// 30 steps of 0.75 do not pay for 20; nobody knows that where the length of the run is unknown.
TEST(CostAware, DoesNothingNearTheEnd) {
  const World constant = [](std::int64_t, std::int64_t) { return uneven(0.75); };
  for (const std::int64_t epoch : cadences) {
    Setting setting = {.steps = 30, .cost = 20, .epoch = epoch, .expected_cost = 20};
    const Played played = play(constant, setting);
    EXPECT_TRUE(played.rebalances.empty());
    EXPECT_TRUE(played.has(Reason::near_end));
    setting.knows_horizon = false;
    EXPECT_EQ(play(constant, setting).rebalances.size(), 1U);
    EXPECT_FALSE(play(constant, setting).has(Reason::near_end));
  }
}

TEST(CostAware, ActsOnAJumpThatStays) {
  for (const std::int64_t epoch : cadences) {
    const Played played =
        play([](std::int64_t step,
                std::int64_t cut) { return uneven(step >= 100 && cut < 100 ? 0.8 : 0.02); },
             {.epoch = epoch});
    ASSERT_EQ(played.rebalances.size(), 1U);
    EXPECT_GT(played.rebalances.front(), 100);
    EXPECT_LE(played.rebalances.front(), 112);
  }
}

// It has come in 8 steps and stays: n u - sum(u) stands still at 1.4, far below the cost.
TEST(CostAware, ActsOnAnExcessThatGrowthDoesNotSee) {
  const World plateau = [](std::int64_t step, std::int64_t cut) {
    return uneven(cut > 0 ? 0.01 : std::min(0.4, static_cast<double>(step) / 20));
  };
  for (const std::int64_t epoch : cadences) {
    const Played played = play(plateau, {.epoch = epoch});
    ASSERT_EQ(played.rebalances.size(), 1U);
    EXPECT_LE(played.rebalances.front(), 80);
    EXPECT_TRUE(played.has(Reason::excess_pays));
    EXPECT_FALSE(played.has(Reason::growth_pays));
  }
}

// 20 of 50 steps are uneven, whatever the cut: a rebalance in them cures nothing.
TEST(CostAware, LearnsThatAnImbalanceGoesByItself) {
  const World bursts = [](std::int64_t step, std::int64_t) {
    return uneven(step % 50 >= 30 ? 0.8 : 0.02);
  };
  for (const std::int64_t epoch : cadences) {
    const Setting setting = {.steps = 1000, .cost = 8, .epoch = epoch};
    const Played played = play(bursts, setting);
    ASSERT_FALSE(played.rebalances.empty());  // the first is not foreseen
    EXPECT_LE(played.rebalances.size(), 5U);  // of 20
    EXPECT_LT(played.rebalances.back(), 500);
    EXPECT_TRUE(played.has(Reason::heals_itself));
    EXPECT_LE(played.total, bound(played, bursts, setting));
  }
}

// --- What does not pay ---------------------------------------------------------------------------

TEST(CostAware, TriesAnIncurableImbalanceOnce) {
  const World incurable = [](std::int64_t, std::int64_t) { return uneven(0.5); };
  for (const std::int64_t epoch : cadences)
    EXPECT_EQ(play(incurable, {.steps = 5000, .epoch = epoch}).rebalances.size(), 1U);
}

// It grows, so that each time there is something new to hope for.
TEST(CostAware, SwitchesItselfOff) {
  const World growing = [](std::int64_t step, std::int64_t) {
    return uneven(static_cast<double>(step) / 2000);
  };
  for (const std::int64_t epoch : cadences) {
    const Setting setting = {.steps = 5000, .epoch = epoch};
    const Played played = play(growing, setting);
    EXPECT_TRUE(played.has(Reason::not_paying));
    EXPECT_TRUE(played.has(Reason::switched_off));
    EXPECT_GE(played.state.outlook.losses, 2);
    EXPECT_GE(played.state.outlook.rearmed, 2);
    EXPECT_LE(played.rebalances.size(), 12U);
    EXPECT_LE(played.total, bound(played, growing, setting));
    const std::vector<std::int64_t>& at = played.rebalances;  // ever less often
    ASSERT_GE(at.size(), 4U);
    EXPECT_GT(at.back() - at[at.size() - 2], 4 * (at[1] - at[0]));
  }
}

TEST(CostAware, SwitchesItselfOnAgain) {
  constexpr std::int64_t curable_from = 1200;
  const World world = [](std::int64_t step, std::int64_t cut) {
    return uneven(cut >= curable_from ? 0.01 : static_cast<double>(step) / 2000);
  };
  for (const std::int64_t epoch : cadences) {
    const Played played = play(world, {.steps = 4000, .epoch = epoch});
    EXPECT_TRUE(played.has(Reason::switched_off));
    EXPECT_GT(played.state.outlook.rearmed, 0);
    ASSERT_FALSE(played.rebalances.empty());
    EXPECT_GE(played.rebalances.back(), curable_from);
    EXPECT_LT(played.state.outlook.off_until, 4000);
  }
}

// --- Costs ---------------------------------------------------------------------------------------

// u grows by a hundredth in each step after a cut: the best interval is sqrt(200 C).
TEST(CostAware, KeepsTheBestIntervalOfSteadyGrowth) {
  const World saw = [](std::int64_t step, std::int64_t cut) {
    return uneven(static_cast<double>(step - cut) / 100);
  };
  for (const std::int64_t epoch : cadences)
    for (const double cost : {2.0, 5.0, 20.0}) {
      const Played played = play(saw, {.steps = 2000, .cost = cost, .epoch = epoch});
      const double best = std::sqrt(200 * cost);
      ASSERT_GE(played.rebalances.size(), 5U);
      for (std::size_t i = 2; i + 3 < played.rebalances.size(); ++i)
        EXPECT_NEAR(static_cast<double>(played.rebalances[i] - played.rebalances[i - 1]), best,
                    6 + best / 10);
    }
}

TEST(CostAware, BelievesTheExpectedCostUntilItKnows) {
  const World saw = [](std::int64_t step, std::int64_t cut) {
    return uneven(static_cast<double>(step - cut) / 100);
  };
  const Setting setting = {.steps = 500, .cost = 1, .expected_cost = 50};
  const auto& dear = play(saw, setting).rebalances;
  Setting cheap = setting;
  cheap.expected_cost = 1;
  ASSERT_GE(dear.size(), 3U);
  EXPECT_GT(dear.front(), 4 * play(saw, cheap).rebalances.front());
  EXPECT_LT(dear[2] - dear[1], 20);
}

// --- Invariants ----------------------------------------------------------------------------------

// Growth, jumps, bursts and noise at random; a cut cures a share of what there is.
struct RandomWorld {
  double slope, jump, burst, noise, curable;
  std::int64_t jumps_at, period;
  std::uint64_t seed;

  explicit RandomWorld(unsigned drawn) : seed(drawn) {
    std::mt19937_64 random(drawn);
    std::uniform_real_distribution<double> unit(0, 1);
    const auto sometimes = [&](double most) {
      return unit(random) < 0.5 ? most * unit(random) : 0;
    };
    slope = sometimes(0.02);
    jump = sometimes(1);
    burst = sometimes(1);
    noise = sometimes(0.2);
    curable = unit(random) < 0.3 ? 0 : 1;
    jumps_at = static_cast<std::int64_t>(400 * unit(random));
    period = 20 + static_cast<std::int64_t>(80 * unit(random));
  }

  Loads operator()(std::int64_t step, std::int64_t cut) const {
    std::mt19937_64 random(seed * 100'000 + static_cast<std::uint64_t>(step));
    std::uniform_real_distribution<double> unit(-1, 1);
    const double since = static_cast<double>(step - (curable > 0 ? cut : 0));
    double waste = 0.01 + slope * since;
    if (step >= jumps_at && (curable == 0 || cut < jumps_at)) waste += jump;
    if (step % period < period / 3) waste += burst;
    return uneven(std::clamp(waste + noise * unit(random), 0.0, 3.0));
  }
};

constexpr unsigned worlds = 60;

// In these worlds no cut is worse than an older one, so that a rebalance can lose its cost and no
// more. That what does not pay is always seen to is not promised: bursts that end just after a
// rebalance look like its merit.
TEST(CostAware, IsHardlySlowerThanNever) {
  constexpr double most = 7;  // rebalances lost in 400 steps
  for (const std::int64_t epoch : cadences) {
    int within = 0;
    for (unsigned seed = 0; seed < worlds; ++seed) {
      const RandomWorld world(seed);
      const Setting setting = {.epoch = epoch};
      const Played played = play(world, setting);
      EXPECT_LE(played.total, never(world, setting) + most * setting.cost) << seed;
      if (played.total <= bound(played, world, setting)) ++within;
    }
    EXPECT_GE(within, worlds * 9 / 10);
  }
}

// All times, and the cost, times a power of two.
TEST(CostAware, DoesNotDependOnTheUnitOfTime) {
  for (const std::int64_t epoch : cadences)
    for (unsigned seed = 0; seed < worlds; seed += 3) {
      const RandomWorld world(seed);
      const Played usual = play(world, {.epoch = epoch});
      for (const int power : {14, 17, 28, 36}) {
        const Played other = play(world, {.epoch = epoch, .unit = std::int64_t{1} << power});
        EXPECT_EQ(other.rebalances, usual.rebalances) << seed << " 2^" << power;
        EXPECT_EQ(other.reasons, usual.reasons) << seed << " 2^" << power;
      }
    }
}

TEST(CostAware, LooksEverySixToTenSteps) {
  std::set<std::int64_t> seen;
  for (unsigned seed = 0; seed < worlds; ++seed) {
    const Played played = play(RandomWorld(seed), {.epoch = 0});
    EXPECT_EQ(played.epochs.front(), 6);
    seen.insert(played.epochs.begin(), played.epochs.end());
  }
  EXPECT_EQ(seen, std::set<std::int64_t>({6, 8, 10}));
}

// What is even is looked at less often the longer it is so, and often again when it is not.
TEST(CostAware, LooksLessOftenWhileAllIsCalm) {
  constexpr std::int64_t jump = 150;
  const World world = [](std::int64_t step, std::int64_t cut) {
    return uneven(step < jump || cut > jump ? 0 : 0.2);
  };
  const Played played = play(world, {.cost = 50, .epoch = 0, .expected_cost = 1000});
  std::vector<std::int64_t> expected(5, 6);
  expected.insert(expected.end(), 4, 8);
  expected.insert(expected.end(), 8, 10);
  const auto calm = static_cast<std::ptrdiff_t>(expected.size());
  ASSERT_GT(std::ssize(played.epochs), calm);
  EXPECT_EQ(std::vector(played.epochs.begin(), played.epochs.begin() + calm), expected);
  const Played uneasy = play(world, {.cost = 2, .epoch = 0, .expected_cost = 2});
  EXPECT_EQ(uneasy.rebalances.size(), 1U);
  const auto after = std::ranges::find(uneasy.epochs, 10);
  EXPECT_NE(std::find(after, uneasy.epochs.end(), 6), uneasy.epochs.end());
}

TEST(CostAware, IsPure) {
  for (const std::int64_t epoch : cadences)
    for (unsigned seed = 0; seed < worlds; ++seed) {
      const Played first = play(RandomWorld(seed), {.epoch = epoch});
      const Played second = play(RandomWorld(seed), {.epoch = epoch});
      EXPECT_EQ(hash_of(first.state), hash_of(second.state));
      EXPECT_EQ(first.rebalances, second.rebalances);
    }
}

}  // namespace
}  // namespace evenkeel
