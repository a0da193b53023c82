#include "decide/decision.hpp"
#include "decide/ledger.hpp"
#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"

namespace evenkeel::account_test {
namespace {

using test::StepLoads;

// --- In seconds ----------------------------------------------------------------------------------

TEST(AccountOf, NothingIsNothing) {
  const Account account = account_of(Ledger{});
  EXPECT_EQ(account.steps, 0);
  EXPECT_EQ(account.actual, 0);
  EXPECT_EQ(account.never, 0);
  EXPECT_EQ(account.saved(), 0);
  EXPECT_FALSE(account.knows_never);
}

TEST(AccountOf, ByHand) {
  Ledger ledger;
  ledger.run = {.steps = 100, .measured_steps = 80, .worked = 8e9, .never_steps = 60};
  ledger.slowest = 10e9;
  ledger.spent = 0.5e9;
  ledger.rebuilt = 0.25e9;
  ledger.never.add(4e9, 1);
  ledger.never.add(2e9, 0.5);
  ledger.never.add(2e9);
  ledger.run.doubtful = 0.125e9;
  const Account account = account_of(ledger);
  EXPECT_EQ(account.steps, 100);
  EXPECT_EQ(account.measured_steps, 80);
  EXPECT_DOUBLE_EQ(account.mean, 8);
  EXPECT_DOUBLE_EQ(account.actual, 10);
  EXPECT_DOUBLE_EQ(account.never, 14);
  EXPECT_TRUE(account.knows_never);
  EXPECT_DOUBLE_EQ(account.own_cost, 0.5);
  EXPECT_DOUBLE_EQ(account.rebuild_cost, 0.25);
  EXPECT_DOUBLE_EQ(account.spent(), 0.75);
  EXPECT_DOUBLE_EQ(account.saved(), 3.25);
  EXPECT_DOUBLE_EQ(account.uncertainty, 1.6 * 0.125 + 2 * 0.5);
  EXPECT_DOUBLE_EQ(account.saved(), ledger.saved() * 1e-9);
}

// --- A run ---------------------------------------------------------------------------------------

// A run in which the loads under all alternatives are known. It looks as a Monitor does; every look
// completes before the next step begins.
class ToyRun {
 public:
  // `now` and `first` are the loads of each rank in a step, under the present and under the first
  // domains. `extra` is the additional time of kernels after a rebalance. A step with such time is
  // not measured.
  void step(const StepLoads& now, const StepLoads& first, std::int64_t extra = 0) {
    ++step_;
    now_.resize(now.size());
    measured_.resize(now.size());
    first_.resize(now.size());
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
      now_[rank].push_back(now[rank] + extra);
      first_[rank].push_back(first[rank]);
      if (extra == 0) measured_[rank].push_back(now[rank]);
    }
    extra_ += extra;
    slowest += static_cast<double>(std::ranges::max(now) + extra);
    never += static_cast<double>(std::ranges::max(first));
  }

  // Sets the measured load of each step since the last look. It is not the step's own time:
  // recurring work is spread over its period.
  void measure_instead(const StepLoads& now, const StepLoads& first) {
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
      measured_[rank].assign(measured_[rank].size(), now[rank]);
      first_[rank].assign(first_[rank].size(), first[rank]);
    }
  }

  // Runs `count` equal steps, and then looks at them.
  void steps(int count, const StepLoads& now, const StepLoads& first, bool is_surveyed = false) {
    for (int i = 0; i < count; ++i) step(now, first);
    look(is_surveyed);
  }

  void look(bool is_surveyed = false) {
    const Totals totals = test::over_ranks(
        now_.size(), [&](std::size_t rank) { return totals_of(sample_of(rank, is_surveyed), 0); });
    state = accounted(state, totals);
    now_.clear();
    measured_.clear();
    first_.clear();
    first_cost_ = cost_ = rebuild_ = extra_ = 0;
  }

  void rebalance(std::int64_t cost = 0, std::int64_t rebuild = 0,
                 RebalanceKind kind = RebalanceKind::fresh) {
    if (kind == RebalanceKind::earlier)
      state.outlook.wanted_generation = state.outlook.first.generation;
    state = rebalanced(state, step_, state.generation + 1, kind);
    (step_ == 0 ? first_cost_ : cost_) += cost;
    rebuild_ += rebuild;
  }

  // The account must be exact up to rounding to nanoseconds.
  void expect_account(double spent = 0) const {
    const Account account = account_of(state.ledger);
    constexpr double seconds = 1e-9;
    const double rounding = 1e-9 * slowest + static_cast<double>(step_);
    EXPECT_NEAR(account.actual, slowest * seconds, 1e-9 * slowest * seconds);
    EXPECT_NEAR(account.never, never * seconds, rounding * seconds);
    EXPECT_NEAR(account.spent(), spent * seconds, 1e-18);
    EXPECT_NEAR(account.saved(), (never - slowest - spent) * seconds, rounding * seconds);
    EXPECT_TRUE(account.knows_never);
  }

  DecisionState state;
  double slowest = 0, never = 0;  // the truth

 private:
  Sample sample_of(std::size_t rank, bool is_surveyed) const {
    Sample sample = test::sample_of_steps(measured_[rank]);
    test::tell_all_steps(sample, now_[rank]);
    sample.step = step_;
    sample.generation = state.generation;
    sample.cost = cost_;
    sample.first_cost = first_cost_;
    sample.first_bytes = 1;
    sample.rebuild = rebuild_;
    sample.extra = extra_;
    if (!is_surveyed) return sample;
    const AllSteps first = test::all_of(first_[rank]);
    sample.other_slots = first.sums();
    sample.would_be.first = first.sum();
    return sample;
  }

  std::int64_t step_ = 0, first_cost_ = 0, cost_ = 0, rebuild_ = 0, extra_ = 0;
  std::vector<StepLoads> now_, measured_, first_;
};

constexpr std::int64_t thousand = 1000;
const StepLoads even(3, 100 * thousand);

// Three ranks, always with the same sum. The first is `percent` above the average.
StepLoads uneven(double percent) {
  const auto more = std::llround(percent * thousand);
  return {100 * thousand + more, 100 * thousand - more / 2, 100 * thousand - (more - more / 2)};
}

StepLoads any_load(std::mt19937_64& random) {
  StepLoads loads(3);
  for (std::int64_t& load : loads) load = static_cast<std::int64_t>(random() % (200 * thousand));
  return loads;
}

// While the first domains are in use, no survey is needed.
TEST(AccountOfARun, WhileTheFirstDomainsAreThereNeverIsWhatIs) {
  std::mt19937_64 random(20);
  ToyRun run;
  for (int looks = 0; looks < 30; ++looks) {
    const auto steps = 1 + random() % 16;
    for (std::size_t i = 0; i < steps; ++i) {
      const StepLoads loads = any_load(random);
      run.step(loads, loads);
    }
    run.look();
    run.expect_account();
  }
  EXPECT_EQ(run.state.ledger.run.never_steps, run.state.ledger.run.steps);
}

TEST(AccountOfARun, ALoadThatHasJumpedIsNoDebt) {
  ToyRun run;
  for (const double percent : {0.0, 0.0, 90.0, 90.0}) {
    run.steps(8, uneven(percent), uneven(percent));
    EXPECT_NEAR(run.state.ledger.saved(), 0, 1e-6);
  }
}

TEST(AccountOfARun, NeverIsMeasuredAtEveryLook) {
  std::mt19937_64 random(21);
  ToyRun run;
  double spent = 0;
  for (int looks = 0; looks < 60; ++looks) {
    const auto steps = 1 + random() % 16;
    for (std::size_t i = 0; i < steps; ++i) {
      const StepLoads loads = any_load(random);
      StepLoads others = loads;  // the same objects, on other ranks
      if (looks >= 3) std::ranges::shuffle(others, random);
      others[0] += others[1] / 2;
      others[1] -= others[1] / 2;
      run.step(looks < 3 ? others : loads, others);
    }
    run.look(true);
    run.expect_account(spent);
    if (looks % 7 != 2) continue;
    run.rebalance(50 * thousand, 7 * thousand);
    spent += 57 * thousand;
  }
  EXPECT_EQ(run.state.rebalances, 9);
}

// The first domains get worse step by step. The present domains stay even.
TEST(AccountOfARun, NeverIsMeasuredAtEveryThirdLook) {
  ToyRun run;
  std::int64_t step = 0;
  for (int looks = 0; looks < 31; ++looks) {
    for (int i = 0; i < 8; ++i, ++step) {
      const StepLoads first = uneven(0.1 * static_cast<double>(step));
      run.step(looks < 4 ? first : even, first);
    }
    run.look(looks % 3 == 0);
    if (looks == 3) run.rebalance();
    if (looks % 3 == 0) run.expect_account();
  }
  EXPECT_GT(run.never, 1.1 * run.slowest);
  EXPECT_EQ(run.state.ledger.run.never_steps, (4 + 9) * 8);
}

// Until the next survey, the last known level counts.
TEST(AccountOfARun, ALineLeadsOverWhatIsNotKnown) {
  ToyRun run;
  run.steps(8, uneven(30), uneven(30));
  run.rebalance();
  run.steps(8, even, uneven(40));
  EXPECT_NEAR(run.state.ledger.never.total(), 16 * 130 * thousand, 1);
  run.steps(8, even, uneven(50), true);
  run.expect_account();
}

TEST(AccountOfARun, AfterGoingBackNeverIsWhatIs) {
  ToyRun run;
  run.steps(8, uneven(10), uneven(10));
  run.rebalance(3 * thousand);
  run.steps(8, uneven(40), uneven(20), true);
  run.expect_account(3 * thousand);
  run.rebalance(4 * thousand, 0, RebalanceKind::earlier);
  EXPECT_EQ(run.state.outlook.first.generation, run.state.generation);
  for (const double percent : {20.0, 60.0, 5.0}) {
    run.steps(8, uneven(percent), uneven(percent));
    run.expect_account(7 * thousand);
  }
  run.rebalance(5 * thousand);
  run.steps(8, even, uneven(5));
  run.expect_account(12 * thousand);
  EXPECT_NE(run.state.outlook.first.generation, run.state.generation);
}

// The first distribution is inevitable, so it is no rebalance. But its cost is learned.
TEST(AccountOfARun, TheFirstDistributionIsNoRebalance) {
  ToyRun run;
  run.rebalance(900 * thousand);
  EXPECT_EQ(run.state.rebalances, 0);
  EXPECT_EQ(run.state.generation, 1);
  run.steps(8, uneven(20), uneven(20));
  run.expect_account(0);
  EXPECT_FALSE(run.state.ledger.cost.knows());
  EXPECT_EQ(run.state.ledger.cost.first_cost, 900 * thousand);
  EXPECT_EQ(run.state.ledger.last.open, 0);
  EXPECT_EQ(run.state.outlook.first.generation, 1);
  run.rebalance(500 * thousand);
  EXPECT_EQ(run.state.rebalances, 1);
  EXPECT_EQ(run.state.ledger.last.open, 1);
  run.steps(8, even, uneven(20));
  run.expect_account(500 * thousand);
}

TEST(AccountOfARun, ARebalanceThatLeavesEverythingWhereItWasIsCounted) {
  DecisionState state;
  state.generation = 4;
  state = rebalanced(state, 10, 4);
  EXPECT_EQ(state.rebalances, 1);
  EXPECT_EQ(state.ledger.gains.unchanged, 1);
  state = rebalanced(state, 20, 5);
  EXPECT_EQ(state.rebalances, 2);
  EXPECT_EQ(state.ledger.gains.unchanged, 1);
  state = rebalanced({}, 0, 0);
  EXPECT_EQ(state.rebalances, 0);
  EXPECT_EQ(state.ledger.gains.unchanged, 0) << "nor is the first distribution";
  EXPECT_EQ(state.rebalanced_at, 0);
}

// In the step after the rebalance, kernels take 80 longer on all ranks. Without the rebalance they
// would not.
TEST(AccountOfARun, KernelsThatRunAgainAfterARebalance) {
  ToyRun run;
  run.steps(8, uneven(30), uneven(30));
  run.rebalance(200 * thousand, 25 * thousand);
  run.step(even, uneven(30), 80 * thousand);
  run.steps(8, even, uneven(30), true);
  run.expect_account(225 * thousand);
  const Ledger& ledger = run.state.ledger;
  EXPECT_EQ(ledger.slowest, (8 * 130 + 180 + 8 * 100) * thousand);
  EXPECT_NEAR(ledger.never.total(), 17 * 130 * thousand, 1);
  EXPECT_EQ(ledger.cost.cost, 305 * thousand) << "the next one will cost this";
  EXPECT_EQ(account_of(ledger).rebuild_cost, 25e-6);
}

TEST(AccountOfARun, KernelsThatRunAgainAreNotUnevenness) {
  ToyRun run;
  run.steps(8, uneven(30), uneven(30));
  run.rebalance();
  run.step(even, uneven(30), 1000 * thousand);
  run.steps(8, even, uneven(30));
  run.expect_account();
}

// Every fourth step takes twice as long as the others. The measured factor is 1.25 in each step,
// whether the look has one or two of the long steps. It is the same for the first domains.
TEST(AccountOfARun, WorkThatRecurs) {
  ToyRun run;
  std::int64_t step = 0;
  for (int looks = 0; looks < 12; ++looks) {
    const auto times = [](StepLoads loads, double factor) {
      for (std::int64_t& load : loads) load = std::llround(static_cast<double>(load) * factor);
      return loads;
    };
    const StepLoads now = looks < 2 ? uneven(40) : uneven(4), first = uneven(40);
    for (int i = 0; i < 6; ++i, ++step) {
      const double factor = step % 4 == 3 ? 2 : 1;
      run.step(times(now, factor), times(first, factor));
    }
    run.measure_instead(times(now, 1.25), times(first, 1.25));
    run.look(looks >= 2);
    run.expect_account();
    if (looks == 1) run.rebalance();
  }
  EXPECT_NEAR(run.state.ledger.run.worked, 72 * 125 * thousand, 1);
  EXPECT_NEAR(run.state.ledger.run.covered, 72 * 125 * thousand, 1);
}

// --- The time without rebalances is unknown ------------------------------------------------------

TEST(AccountOfARun, NeverIsUnknownForEver) {
  ToyRun run;
  run.steps(8, uneven(50), uneven(50));
  EXPECT_TRUE(account_of(run.state.ledger).knows_never);
  run.rebalance();
  for (int looks = 1; looks < 20; ++looks) {
    run.steps(8, even, uneven(50));
    const Account account = account_of(run.state.ledger);
    EXPECT_NEAR(account.never, run.never * 1e-9, 1e-12) << "as uneven as it was last";
    EXPECT_TRUE(account.knows_never);
    const double imbalance =
        account.never - account.mean - 8 * 50e-6;  // of steps after the first 8
    EXPECT_NEAR(account.uncertainty, imbalance, 1e-9) << "it may be between nothing and twice that";
  }
  EXPECT_EQ(run.state.ledger.run.never_steps, 8);
  run.steps(8, even, uneven(50), true);
  run.expect_account();
}

// The first domains had no load, so no time without rebalances is known.
TEST(AccountOfARun, NeverWasNeverKnown) {
  ToyRun run;
  const StepLoads nothing(3, 0);
  run.steps(8, nothing, nothing);
  run.rebalance();
  run.steps(8, uneven(20), even);
  EXPECT_FALSE(account_of(run.state.ledger).knows_never);
  EXPECT_LT(run.state.ledger.never.level, 0);
  run.steps(8, uneven(20), even, true);
  run.expect_account();
}

// --- Data of a look ------------------------------------------------------------------------------

// One step with an average of 100 on two ranks, in which the slower rank takes `slowest`.
Totals step_of(std::int64_t slowest, std::int64_t generation = 0) {
  return test::over_ranks(2, [&](std::size_t rank) {
    Sample sample = test::sample_of_steps({rank == 0 ? slowest : 200 - slowest});
    sample.generation = generation;
    return totals_of(sample, 0);
  });
}

TEST(Accounted, WithoutRanksNothingChanges) {
  const DecisionState before = accounted({}, step_of(150));
  EXPECT_EQ(hash_of(accounted(before, Totals{})), hash_of(before));
}

TEST(Accounted, TheFirstDomainsAreThoseOfTheFirstLook) {
  DecisionState state;
  state.generation = 7;
  state = accounted(state, step_of(150, 6));
  EXPECT_EQ(state.outlook.first.generation, 6);
  EXPECT_DOUBLE_EQ(state.ledger.never.total(), 150);
  state = accounted(state, step_of(120, 7));
  EXPECT_EQ(state.outlook.first.generation, 6);
  EXPECT_DOUBLE_EQ(state.ledger.never.total(), 300) << "carried on";
}

// The application rebalances while a look is under way.
TEST(Accounted, ALookThatIsOutdatedCountsWithItsStepsAndCosts) {
  DecisionState state = accounted({}, step_of(150));
  state = rebalanced(state, 3, 1);
  Totals late = step_of(160);
  late.cost = 11;
  state = accounted(state, late);
  EXPECT_EQ(state.ledger.run.steps, 2);
  EXPECT_EQ(state.ledger.slowest, 310);
  EXPECT_DOUBLE_EQ(state.ledger.never.total(), 310);
  EXPECT_EQ(state.ledger.spent, 11);
  EXPECT_EQ(state.ledger.last.price, 0) << "of an earlier one";
}

}  // namespace
}  // namespace evenkeel::account_test
