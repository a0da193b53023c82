#include "replay/schedule.hpp"

#include "chains.hpp"
#include "support/harness.hpp"

namespace evenkeel::tool::run_test {
namespace {

using test::Costs;

// --- The oracle: the formulas of trigger.hpp, in plain doubles -----------------------------------

// The loads per step in the steps between two looks.
struct Look {
  double most, average;
  double waste() const { return most - average; }
};

// The looks since the last rebalance or the start, and the number of steps in each.
struct Past {
  std::vector<Look> looks;
  double steps_of_look = 1;
  double cost = 0;

  const Look& last() const { return looks.back(); }
  double steps() const { return static_cast<double>(looks.size()) * steps_of_look; }
  double wasted() const {
    double sum = 0;
    for (const Look& look : looks) sum += look.waste() * steps_of_look;
    return sum;
  }
};

using Rule = std::function<bool(const Past&)>;

bool menon(const Past& past) { return past.wasted() >= past.cost; }

bool boulmier(const Past& past) {
  return past.steps() * past.last().waste() - past.wasted() >= past.cost;
}

// The median of the last three values. If there are fewer, the median of all.
double median_of_last(std::vector<double> values) {
  if (values.size() > 3) values.erase(values.begin(), values.end() - 3);
  std::ranges::sort(values);
  const std::size_t count = values.size();
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

bool zhai(const Past& past) {
  double degradation = 0, sum = 0;
  std::vector<double> peaks;
  peaks.reserve(past.looks.size());
  for (const Look& look : past.looks) {
    peaks.push_back(look.most);
    sum += look.most;
    degradation +=
        past.steps_of_look * (median_of_last(peaks) - sum / static_cast<double>(peaks.size()));
  }
  return degradation >= past.cost;
}

Rule procassini(double rho) {
  return [rho](const Past& past) {
    const auto efficiency = [](const Look& look) {
      return look.most > 0 ? look.average / look.most : 1;
    };
    const double peak = past.last().most;
    const double gain = efficiency(past.last()) / efficiency(past.looks.front());
    return peak * gain + past.cost < rho * peak;
  };
}

Rule threshold(double lambda) {
  return [lambda](const Past& past) { return past.last().most >= lambda * past.last().average; };
}

// Imbalance is (max - avg) / max * N / (N - 1) in percent. The trigger compares it with a
// threshold.
Rule threshold_percent(double percent, int ranks) {
  return [percent, ranks](const Past& past) {
    const Look& last = past.last();
    return ranks > 1 && 100 * last.waste() / last.most * ranks / (ranks - 1) >= percent;
  };
}

bool never(const Past&) { return false; }

// The load of a rank in some steps, as in a measurement: the number of steps times their 25 %
// truncated mean. With three steps or more, the least and the greatest are left out; from 12 steps
// upwards, an eighth at each end is left out.
double measured_load(std::vector<double> steps) {
  const std::size_t count = steps.size();
  const std::size_t ends = count < 3 ? 0 : std::max<std::size_t>(1, (count + 4) / 8);
  std::ranges::sort(steps);
  double sum = 0;
  for (std::size_t i = ends; i < count - ends; ++i) sum += steps[i];
  return sum * static_cast<double>(count) / static_cast<double>(count - 2 * ends);
}

// A run that looks at its ranks every `epoch` steps. It carries out a decision `latency` steps
// later.
Schedule oracle(const Costs& costs, const Setting& setting, const Rule& rule, std::int64_t epoch,
                std::int64_t latency) {
  Past past;
  past.steps_of_look = static_cast<double>(epoch);
  past.cost = setting.rebalance;
  Schedule schedule;
  Ranges ranges = setting.start;
  std::set<std::int64_t> ordered;          // for this cut, before these steps
  std::vector<std::vector<double>> taken;  // of each rank, since the last look
  const auto forget = [&] { taken.assign(ranges.size() - 1, {}); };
  forget();
  for (std::int64_t step = 0; step < costs.steps(); ++step) {
    if (ordered.contains(step)) {
      ranges = setting.chain.cut(step - 1, setting.ranks);
      schedule.push_back(step);
      ordered.clear();
      past.looks.clear();
      forget();
    }
    const std::vector<double> loads = test::loads_of(costs, ranges, step);
    for (std::size_t i = 0; i < loads.size(); ++i) taken[i].push_back(loads[i]);
    if (std::ssize(taken.front()) < epoch) continue;
    double most = 0, all = 0;
    for (const std::vector<double>& of_rank : taken) {
      most = std::max(most, measured_load(of_rank));
      all += measured_load(of_rank);
    }
    past.looks.push_back({most / past.steps_of_look, all / setting.ranks / past.steps_of_look});
    if (all > 0 && rule(past)) ordered.insert(step + 1 + latency);
    forget();
  }
  return schedule;
}

// --- Comparisons ---------------------------------------------------------------------------------

// A rebalance costs `cost` times the mean load of a rank in step 0.
struct Case : test::ReplayCase {
  Case(Costs given, int ranks, double cost, ReplayStart start = ReplayStart::optimal)
      : ReplayCase(std::move(given), ranks, 0, start) {
    setting.rebalance = cost * chain.sum(0) / ranks;
  }
};

Schedule run(const Case& one, const std::string& trigger, std::int64_t epoch = 1,
             std::int64_t latency = 0) {
  ChainReplayOptions options;
  options.trigger = trigger_from_text(trigger);
  options.epoch_steps = epoch;
  options.latency = latency;
  return tool::run(one.setting, options);
}

struct Named {
  std::string text;
  Rule rule;
};

std::vector<Named> published(int ranks) {
  return {{"menon", menon},
          {"zhai", zhai},
          {"procassini", procassini(1)},
          {"procassini 1.5", procassini(1.5)},
          {"boulmier", boulmier},
          {"threshold lambda 1.25", threshold(1.25)},
          {"threshold imbalance_percent 30", threshold_percent(30, ranks)},
          {"never", never}};
}

// Returns the number of rebalances, summed over all triggers.
std::size_t expect_as_oracle(const Case& one, std::int64_t epoch, std::int64_t latency) {
  std::size_t rebalances = 0;
  for (const Named& named : published(one.setting.ranks)) {
    const Schedule schedule = run(one, named.text, epoch, latency);
    rebalances += schedule.size();
    EXPECT_EQ(schedule, oracle(one.costs, one.setting, named.rule, epoch, latency))
        << named.text << ", " << one.costs.name << ", ranks " << one.setting.ranks << ", rebalance "
        << one.setting.rebalance << ", epoch " << epoch << ", latency " << latency;
  }
  return rebalances;
}

// Adds rows without any cost.
Costs with_pauses(Costs costs) {
  costs.name += ", with pauses";
  for (std::int64_t step = 0; step < costs.steps(); ++step)
    if (step % 11 >= 9 || step == 0)
      std::fill_n(costs.values.begin() + step * costs.bins, costs.bins, 0);
  return costs;
}

TEST(Run, AsTheFormulasSay) {
  std::size_t rebalances = 0;
  for (unsigned seed = 0; seed < 10; ++seed)
    for (const int ranks : {1, 2, 3, 7, 16})
      for (const double cost : {0.03, 0.4, 3.0}) {
        const ReplayStart start = seed % 2 == 0 ? ReplayStart::optimal : ReplayStart::uniform;
        rebalances +=
            expect_as_oracle(Case(test::drifting_costs(80, 60, seed), ranks, cost, start), 1, 0);
      }
  EXPECT_GT(rebalances, 1000U) << "or little is compared";
}

TEST(Run, AsTheFormulasSayAtAnyEpochAndLatency) {
  if (test::is_sanitized) GTEST_SKIP() << "the same code at one epoch";
  std::size_t rebalances = 0;
  for (unsigned seed = 20; seed < 26; ++seed)
    for (const std::int64_t epoch : {1, 2, 3, 10, 20})
      for (const std::int64_t latency : {0, 1, 2, 5, 13, 1000}) {
        const Case one(test::drifting_costs(90, 40, seed), 4, 0.5);
        rebalances += expect_as_oracle(one, epoch, latency);
      }
  EXPECT_GT(rebalances, 1000U) << "or little is compared";
}

// If a rebalance costs nothing, no loss is needed, so one follows every look.
TEST(Run, RebalancesThatCostNothing) {
  const Case one(test::drifting_costs(20, 30, 1), 3, 0);
  for (const char* trigger : {"menon", "zhai", "boulmier"})
    EXPECT_EQ(run(one, trigger).size(), 19U) << trigger;
  // Before the first row with a cost there is no load to decide by.
  const Case paused({"pause", 2, {0, 0, 0, 0, 1, 2, 1, 2, 1, 2}}, 2, 5);
  EXPECT_EQ(run(paused, "menon"), (Schedule{3, 4}));
}

// A look without load must lead to no decision.
TEST(Run, StepsWithoutCost) {
  for (unsigned seed = 0; seed < 5; ++seed)
    for (const std::int64_t epoch : {1, 3}) {
      Case one(with_pauses(test::drifting_costs(60, 30, seed)), 3, 0);
      one.setting.rebalance = 20;
      expect_as_oracle(one, epoch, 1);
    }
}

TEST(Run, ManyRanksOnFewBins) {
  if (test::is_sanitized) GTEST_SKIP() << "the same code at one epoch";
  const Case one(test::drifting_costs(8, 9, 3), 100'000, 2000);
  EXPECT_GT(expect_as_oracle(one, 1, 0), 10U) << "or little is compared";
  EXPECT_EQ(run(one, "threshold lambda 11111").size(), 7U) << "9 ranks of 100000 work";
  EXPECT_TRUE(run(one, "threshold lambda 99999").empty());
}

// Later steps may cost far more than the first step, or far less.
TEST(Run, ChainsThatGrowAndShrink) {
  for (const double factor : {1e-6, 1e-3, 1e3, 1e9, 1e13}) {
    Costs costs = test::drifting_costs(40, 30, 4);
    for (auto value = costs.values.begin() + 2 * costs.bins; value != costs.values.end(); ++value)
      *value *= factor;
    costs.name += ", times " + std::to_string(factor);
    expect_as_oracle(Case(costs, 4, 0.1), 1, 0);
  }
}

// --- The unit of the costs -----------------------------------------------------------------------

TEST(Run, TheUnitOfCostsDoesNotMatter) {
  const Costs costs = test::drifting_costs(50, 40, 6), paused = with_pauses(costs);
  for (const auto& [text, rule] : published(5))
    for (const Costs& unscaled : {costs, paused}) {
      const Case reference(unscaled, 5, 0.7);
      const Schedule expected = run(reference, text, 2, 1);
      for (int k = -40; k <= 40; ++k) {
        const Case one(test::scaled(unscaled, std::ldexp(1, k)), 5, 0.7);
        ASSERT_EQ(run(one, text, 2, 1), expected) << text << ", 2^" << k;
        ASSERT_EQ(std::ldexp(cost_of(one.setting, expected), -k),
                  cost_of(reference.setting, expected));
      }
    }
}

TEST(Run, NorDoesOneThatIsExtreme) {
  const Costs costs = test::drifting_costs(50, 40, 6);
  for (const auto& [text, rule] : published(5)) {
    const Schedule expected = run(Case(costs, 5, 0.7), text);
    for (const int k : {-1000, -980, -900, 900, 1000})
      EXPECT_EQ(run(Case(test::scaled(costs, std::ldexp(1, k)), 5, 0.7), text), expected)
          << text << ", 2^" << k;
  }
}

// --- By hand -------------------------------------------------------------------------------------

// One bin has three times the load of the other, so no cut is even.
Case two_bins(int steps) {
  return {test::costs_of("3 and 1", steps, [](int) { return std::vector<double>{3, 1}; }), 2, 1};
}

TEST(Run, ALookIsActedOnAfterItsLatency) {
  const Case one = two_bins(20);
  const std::string always = "threshold lambda 1.5";
  EXPECT_EQ(run(one, always, 4, 0), (Schedule{4, 8, 12, 16}));
  EXPECT_EQ(run(one, always, 3, 2), (Schedule{5, 10, 15})) << "an epoch begins with the new cut";
  EXPECT_EQ(run(one, always, 19, 0), (Schedule{19}));
  EXPECT_EQ(run(one, always, 20, 0), Schedule{}) << "there is no step to act before";
  EXPECT_EQ(run(one, always, 3, 16), (Schedule{19}));
  EXPECT_EQ(run(one, always, 3, 17), Schedule{});
}

// Several looks at the same cut order rebalances. The first rebalance replaces the cut, so the
// other orders must be dropped.
TEST(Run, OrdersForACutThatIsGoneAreDropped) {
  const Case one = two_bins(20);
  const std::string always = "threshold lambda 1.5";
  EXPECT_EQ(run(one, always, 1, 2), (Schedule{3, 6, 9, 12, 15, 18}));
  EXPECT_EQ(run(one, always, 2, 5), (Schedule{7, 14}));
  EXPECT_EQ(run(one, always, 1, 1), (Schedule{2, 4, 6, 8, 10, 12, 14, 16, 18}));
}

TEST(Run, AnAdaptiveEpochOfAPublishedTriggerHasEightSteps) {
  const Case one = two_bins(30);
  EXPECT_EQ(run(one, "threshold lambda 1.5", 0, 0), (Schedule{8, 16, 24}));
}

TEST(Run, EveryActsAtItsStepsWhateverIsLookedAt) {
  const Case one = two_bins(21);
  for (const std::int64_t epoch : {0, 1, 3, 100})
    for (const std::int64_t latency : {0, 1, 7, 1000}) {
      const auto at = [&](const std::string& trigger) { return run(one, trigger, epoch, latency); };
      EXPECT_EQ(at("every 5"), (Schedule{5, 10, 15, 20}));
      EXPECT_EQ(at("every 3:12:4"), (Schedule{3, 7, 11}));
      EXPECT_EQ(at("every 0:10:5"), (Schedule{5, 10}));
      EXPECT_EQ(at("every 20:0:7"), (Schedule{20}));
      EXPECT_EQ(at("every 21"), Schedule{});
      EXPECT_EQ(at("always").size(), 20U);
    }
}

// At first, lambda is (4 + 2 s) / (4 + s) in step s: 1, 1.2, 1.33.., 1.43.., 1.5, .. Once a rank
// has bin 0 alone, lambda is (2 + 2 s) / (4 + s): 1 at step 2, then 1.14.., 1.25, 1.33.., 1.4,
// 1.45..
TEST(Run, ThresholdByHand) {
  const Case one(test::costs_of("growing", 8,
                                [](int step) {
                                  return std::vector<double>{2.0 + 2 * step, 2, 2, 2};
                                }),
                 2, 1);
  ASSERT_EQ(one.setting.start, (Ranges{0, 2, 4}));
  EXPECT_EQ(run(one, "threshold lambda 1.2"), (Schedule{2, 5, 6, 7}));
  EXPECT_EQ(run(one, "threshold lambda 1.21"), (Schedule{3, 5, 6, 7}));
  EXPECT_EQ(run(one, "threshold lambda 1.5"), Schedule{5});
}

// The work of one rank grows by 1 per step, and no cut makes it even: u = s / 2.
TEST(Run, LossesByHand) {
  Case one(test::costs_of("growing", 10,
                          [](int step) {
                            return std::vector<double>{4.0 + step, 4};
                          }),
           2, 1);
  ASSERT_EQ(one.setting.rebalance, 4);
  // The sums of u after steps 0, 1, .. are 0, 0.5, 1.5, 3, 5. They start again after a rebalance:
  // from step 5 on 2.5, 5.5; then 3.5, 7.5; ..
  EXPECT_EQ(run(one, "menon"), (Schedule{5, 7, 9}));
  // The values of n u - sum(u) are 0, 0.5, 1.5, 3, 5; then 0, 0.5, ..
  EXPECT_EQ(run(one, "boulmier"), (Schedule{5}));
  one.setting.rebalance = 5;
  EXPECT_EQ(run(one, "menon"), (Schedule{5, 7, 9})) << "enough is enough";
  one.setting.rebalance = 5.001;
  EXPECT_EQ(run(one, "menon"), (Schedule{6, 8})) << "7.5, then 3 + 3.5, then 4 + 4.5";
  EXPECT_EQ(run(one, "boulmier"), (Schedule{6}));
}

// The next step must become strictly cheaper. A rebalance that only just pays off is not made.
TEST(Run, ProcassiniWantsToGain) {
  // The load is even at first, then 8 and 4. After a rebalance, the slowest rank would have 6.
  Case one({"jump", 2, {4, 4, 8, 4, 8, 4, 8, 4}}, 2, 0.5);
  ASSERT_EQ(one.setting.rebalance, 2);
  EXPECT_EQ(run(one, "procassini"), Schedule{}) << "6 + 2 is not less than 8";
  one.setting.rebalance = 1.75;
  EXPECT_EQ(run(one, "procassini"), (Schedule{2})) << "and then 8 to 4 is what can be had";
}

// Until step 10 no cut can be even; from then on any even cut is. The first three surveys are made
// at any cost. If surveys are expensive, later ones are too rare to find the change.
TEST(Run, DearSurveysAreFew) {
  const Costs costs = test::costs_of("mended", 60, [](int step) {
    return step < 10 ? std::vector<double>{9, 1, 1, 1} : std::vector<double>(4, 3);
  });
  const Case one(costs, 2, 1);
  ASSERT_EQ(one.setting.start, (Ranges{0, 1, 4}));
  ChainReplayOptions options;
  EXPECT_EQ(tool::run(one.setting, options).size(), 1U);
  options.survey = 1000;
  EXPECT_TRUE(tool::run(one.setting, options).empty());
  options.trigger = Menon{};
  EXPECT_FALSE(tool::run(one.setting, options).empty()) << "it makes no survey";
}

}  // namespace
}  // namespace evenkeel::tool::run_test
