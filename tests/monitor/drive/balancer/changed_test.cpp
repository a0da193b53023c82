// Programs that refine their mesh: some objects become more expensive at once. The programs say so,
// or let objects move only now and then.

#include "monitor/drive/balancer/whole.hpp"
#include "support/scratch.hpp"

#include "costs/load_forecast.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace evenkeel::changed_test {
namespace {

using nlohmann::json;
using namespace test;

constexpr std::int64_t objects = 600;

// Objects in a slab cost ten times as much. The slab jumps after every `stay` steps.
template <int stay>
double jumping_slab(const Place& place, int step) {
  return test::around(place[0] - 0.37 * (step / stay)) < 0.25 ? 10 : 1;
}

// Objects in the slab cost 6 % more, which leaves any domains within the default target_lambda.
template <int stay>
double mild_slab(const Place& place, int step) {
  return jumping_slab<stay>(place, step) > 1 ? 1.06 : 1;
}

class Changed : public test::OnRanks {
 protected:
  test::ScratchDirectory scratch;

  Program jumping(double (*cost)(const Place&, int), int stay, bool tells) {
    Program program{test::world_at_rest(objects, cost)};
    program.gives_weights = true;
    program.cost = 0.2;
    program.options.trigger = CostAware{};
    program.options.expected_cost = program.cost;
    program.weighs_ahead = true;
    program.how = [stay, tells](int step) {
      return StepOptions{.changed = tells && (step + 1) % stay == 0};
    };
    return program;
  }
  static double seconds(const Record& record) { return static_cast<double>(record.total()) * 1e-9; }
};

// The load is known as soon as objects have changed, so each jump is answered in the same step.
TEST_F(Changed, IsAnsweredInTheSameStep) {
  constexpr int stay = 25;
  const Record told = run_program(communicator, jumping(&jumping_slab<stay>, stay, true));
  const Record untold = run_program(communicator, jumping(&jumping_slab<stay>, stay, false));
  if (size == 1) return;
  const int jumps = 200 / stay - 1;
  int at_once = 0;
  for (const int move : told.moves) at_once += move % stay == 0 ? 1 : 0;
  EXPECT_GE(at_once, jumps - 1) << "the first jump may come before a rebalance has a price";
  EXPECT_LE(std::ssize(told.moves), jumps + 4);
  EXPECT_LT(seconds(told), 0.95 * seconds(untold));
}

// Nothing else would act here: rebalances would come more often than epochs end.
TEST_F(Changed, IsAnsweredEveryFiveSteps) {
  constexpr int stay = 5;
  Program program = jumping(&jumping_slab<stay>, stay, true);
  const Record told = run_program(communicator, program);
  const Record never = run_with(communicator, program, Never{});
  if (size == 1) return;
  EXPECT_GE(std::ssize(told.moves), 30);
  const double truth = seconds(never) - seconds(told);
  EXPECT_GT(truth, 0.1 * seconds(never));
  EXPECT_NEAR(told.account.saved(), truth, 0.1 * truth);
  EXPECT_TRUE(told.account.knows_never);
  EXPECT_EQ(told.account.steps, program.world.steps);
  EXPECT_NEAR(told.account.actual, static_cast<double>(told.slowest) * 1e-9, 1e-6);
  EXPECT_NEAR(told.account.spent(), static_cast<double>(told.spent) * 1e-9, program.cost);
}

// It is also seen where objects may only move now and then, whether weights are given or not.
TEST_F(Changed, IsSeenWhereObjectsRarelyMove) {
  constexpr int stay = 20;
  Program program = jumping(&jumping_slab<stay>, stay, false);
  program.how = [](int step) { return StepOptions{.may_move = (step + 1) % stay == 0}; };
  const Record record = run_program(communicator, program);
  if (size == 1) return;
  EXPECT_GE(std::ssize(record.moves), 200 / stay - 2);
  for (const int move : record.moves) EXPECT_EQ(move % stay, 0);
}

// A rebalance that does not pay is not made, however often objects change.
TEST_F(Changed, IsNotAnsweredIfItDoesNotPay) {
  constexpr int stay = 5;
  Program program = jumping(&jumping_slab<stay>, stay, true);
  program.cost = program.options.expected_cost = 100;
  const Record record = run_program(communicator, program);
  const Record never = run_with(communicator, program, Never{});
  EXPECT_LE(std::ssize(record.moves), 1) << "in 40 changes";
  EXPECT_LE(seconds(record), 1.01 * seconds(never) + program.cost);
}

// If a rebalance costs next to nothing, it pays below target_lambda, too, and is then made.
TEST_F(Changed, IsAnsweredBelowTheTargetIfThatPays) {
  constexpr int stay = 20;
  Program program = jumping(&mild_slab<stay>, stay, true);
  program.cost = program.options.expected_cost = 0.01;
  const Record told = run_program(communicator, program);
  const Record never = run_with(communicator, program, Never{});
  if (size == 1) return;
  EXPECT_GE(std::ssize(told.moves), 200 / stay - 3);
  EXPECT_LT(seconds(told), 0.998 * seconds(never));
}

// Triggers that judge the load without a survey act by the prediction, too. Others do not.
TEST_F(Changed, ServesOtherTriggers) {
  constexpr int stay = 25;
  Program program = jumping(&jumping_slab<stay>, stay, true);
  const Record threshold = run_with(communicator, program, Threshold{.lambda = 1.2});
  const Record every = run_with(communicator, program, Every{.start = 9, .period = 50});
  const Record never = run_with(communicator, program, Never{});
  EXPECT_TRUE(never.moves.empty());
  if (size == 1) return;
  EXPECT_EQ(every.moves, (std::vector<int>{9, 59, 109, 159}));
  int at_once = 0;
  for (const int move : threshold.moves) at_once += move % stay == 0 ? 1 : 0;
  EXPECT_GE(at_once, 200 / stay - 2);
}

// A change in a step in which nothing may move is answered in the next step that lets objects move.
TEST_F(Changed, WaitsForAStepThatLetsObjectsMove) {
  constexpr int stay = 50;
  Program program = jumping(&jumping_slab<stay>, stay, true);
  program.how = [](int step) {
    const int in_period = (step + 1) % stay;
    return StepOptions{.may_move = in_period != 0 && in_period != 1, .changed = in_period == 0};
  };
  const Record record = run_program(communicator, program);
  if (size == 1) return;
  int soon = 0;
  for (const int move : record.moves) soon += move % stay == 2 ? 1 : 0;
  EXPECT_GE(soon, 2);
}

// The journal names the cause. Its looks lead to the recorded decisions, so it can be replayed.
TEST_F(Changed, IsInTheJournal) {
  constexpr int stay = 5;
  Program program = jumping(&jumping_slab<stay>, stay, true);
  program.options.journal = scratch.path_of("journal");
  run_program(communicator, program);
  if (rank != 0 || size == 1) return;
  int predicted = 0, looks = 0;
  std::ifstream file(program.options.journal);
  std::string text;
  std::getline(file, text);
  while (std::getline(file, text)) {
    const json line = json::parse(text);
    if (line.contains("cause") && line.at("cause") == "predicted") ++predicted;
    if (line.contains("totals")) ++looks;
  }
  EXPECT_GE(predicted, 30);
  EXPECT_GE(looks, 30);
}

// --- Misuse --------------------------------------------------------------------------------------

TEST_F(Changed, SaidByOneRankOnlyIsAnErrorOnAll) {
  if (size == 1) GTEST_SKIP() << "alone, ranks cannot differ";
  virtual_time = 0;
  std::vector<Place> place(20, Place{0.1, 0.1, 0.1});
  Balancer balancer(communicator,
                    {.box = test::room, .own_clock = &virtual_now, .log = LogLevel::off});
  const Kernel kernel = balancer.kernel("work");
  const auto go_on = [&] {
    for (int step = 1; step <= 60; ++step) {
      spend(kernel, 1000 + 100 * rank);
      balancer.step(set(place), {.changed = step == 20 && rank == 0});
    }
  };
  EXPECT_ERROR(go_on(), "The ranks have diverged");
}

// --- Forecasts -----------------------------------------------------------------------------------

class LoadForecastTest : public test::OnRanks {
 protected:
  std::vector<Place> places;
  std::vector<double> weights;

  Set objects_of(std::size_t count) {
    places.assign(count, Place{});
    return set(places);
  }
  Set with_weights(std::vector<double> of_each) {
    weights = std::move(of_each);
    places.assign(weights.size(), Place{});
    return set(places, {}, {.weight = weights});
  }
  static void end_step(LoadForecast& forecast, const Set& given, bool have_changed = false) {
    forecast.end_step({&given, 1}, have_changed);
  }
  std::int64_t load_of(LoadForecast& forecast, const Set& given, double last) const {
    return forecast.of(communicator, {&given, 1}, last);
  }
};

// A rank that begins without objects predicts by what the others have measured.
TEST_F(LoadForecastTest, IsTheMeanOfOthersWhereNothingWasMeasured) {
  LoadForecast forecast;
  EXPECT_EQ(load_of(forecast, objects_of(10), 0), -1);
  forecast.forget_amount();
  const bool is_idle = rank == size - 1 && size > 1;
  for (int step = 0; step < 3; ++step) end_step(forecast, objects_of(is_idle ? 0 : 4));
  EXPECT_EQ(load_of(forecast, objects_of(10), is_idle ? 0 : 12), 30);
  EXPECT_EQ(load_of(forecast, objects_of(0), 0), 0);
}

// The steps before a change count with the amount before it. Weights are read only when needed.
TEST_F(LoadForecastTest, CountsTheAmountThatWasWorkedOn) {
  LoadForecast forecast;
  end_step(forecast, with_weights({3, 4}), true);  // the amount before this change is not known
  end_step(forecast, with_weights({1, 1}));
  end_step(forecast, with_weights({1, 2}));  // not read
  end_step(forecast, with_weights({4, 4}), true);
  EXPECT_EQ(load_of(forecast, with_weights({1}), 12), 6);
  end_step(forecast, with_weights({5}));  // the amount is that of the forecast
  EXPECT_EQ(load_of(forecast, with_weights({1}), 12), 12);
  forecast.forget_amount();
  end_step(forecast, with_weights({3}));
  EXPECT_EQ(load_of(forecast, with_weights({1}), 12), 4);
  end_step(forecast, objects_of(4));
  end_step(forecast, objects_of(2));
  EXPECT_EQ(load_of(forecast, objects_of(1), 12), 4);
}

}  // namespace
}  // namespace evenkeel::changed_test
