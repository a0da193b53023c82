#include "support/harness.hpp"

#include "decide/decision.hpp"
#include "monitor/over_ranks.hpp"

#include <evenkeel/monitor/trigger.hpp>

#include <locale>

namespace evenkeel::trigger_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

bool always(const LoadView&) { return true; }

// --- Text ----------------------------------------------------------------------------------------

void expect_text(const Trigger& trigger, const std::string& text) {
  EXPECT_EQ(to_text(trigger), text);
  EXPECT_TRUE(trigger_from_text(text) == trigger) << text;
}

TEST(TriggerText, BothWays) {
  expect_text(Never{}, "never");
  expect_text(Every{}, "always");
  expect_text(Every{.period = 10}, "every 10");
  expect_text(Every{.stop = 500, .period = 10}, "every 0:500:10");
  expect_text(Every{.start = 7, .period = 1}, "every 7:0:1");
  expect_text(Every{.start = most, .stop = most, .period = most},
              "every 9223372036854775807:9223372036854775807:9223372036854775807");
  expect_text(Threshold{.lambda = 1.1}, "threshold lambda 1.1");
  expect_text(Threshold{.imbalance_percent = 10}, "threshold imbalance_percent 10");
  expect_text(Threshold{.lambda = 1.25, .imbalance_percent = 100},
              "threshold lambda 1.25 imbalance_percent 100");
  expect_text(CostAware{}, "cost_aware");
  expect_text(Menon{}, "menon");
  expect_text(Zhai{}, "zhai");
  expect_text(Procassini{}, "procassini");
  expect_text(Procassini{.rho = 2.5}, "procassini 2.5");
  expect_text(Boulmier{}, "boulmier");
  expect_text(Custom{}, "custom");
  EXPECT_EQ(to_text(Custom{&always}), "custom");
}

TEST(TriggerText, OtherSpellings) {
  const auto expect = [](const std::string& text, const Trigger& trigger) {
    EXPECT_TRUE(trigger_from_text(text) == trigger) << text;
  };
  expect("every 1", Every{});
  expect("every 0:0:1", Every{});
  expect("  every\t 10  ", Every{.period = 10});
  expect("threshold imbalance_percent 10 lambda 1.5",
         Threshold{.lambda = 1.5, .imbalance_percent = 10});
  expect("threshold lambda 0 imbalance_percent 10", Threshold{.imbalance_percent = 10});
  expect("threshold lambda 1.1e0", Threshold{.lambda = 1.1});
  expect("procassini 1", Procassini{});
}

TEST(TriggerText, NumbersKeepTheirBits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> fraction(0, 1);
  for (int i = 0; i < 1000; ++i)
    for (const double lambda : {1 + fraction(random), 1 + 1e-9 * fraction(random),
                                1e300 * (1 + fraction(random)), std::nextafter(1.0, 2.0)}) {
      const Threshold given{.lambda = lambda, .imbalance_percent = 100 * fraction(random) + 1e-300};
      const auto read = std::get<Threshold>(trigger_from_text(to_text(given)));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(read.lambda),
                std::bit_cast<std::uint64_t>(given.lambda));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(read.imbalance_percent),
                std::bit_cast<std::uint64_t>(given.imbalance_percent));
    }
}

TEST(TriggerText, WhatIsNoTriggerIsAnError) {
  const auto refuse = [](const std::string& begin, const std::vector<std::string>& ends) {
    for (const std::string& end : ends)
      EXPECT_ERROR(static_cast<void>(trigger_from_text(begin + end)),
                   "monitor/trigger: '" + begin + end +
                       "' is not a trigger. Give one of: cost_aware, never, always, every PERIOD, "
                       "every START:STOP:PERIOD, threshold lambda LIMIT, threshold "
                       "imbalance_percent LIMIT, menon, zhai, procassini, procassini RHO, "
                       "boulmier, custom.");
  };
  refuse("", {"", " ", "Never", "never again", "always 3", "custom f", "menon 2", "cost aware",
              "procassini x", "procassini 1 2"});
  refuse("every", {"", " x", " 1.5", " 10 20", " 10:20", " 1:2:3:4", " ::10",
                   " 0:500:", " 0:500:10x", " 99999999999999999999", " +5"});
  refuse("threshold", {"", " 1.1", " imbalance 10", " imbalance_percent 10 %"});
  refuse("threshold lambda", {"", " x", " 1.1x", " 1,1", " 1.1 1.2", " 1.1 lambda 1.2",
                              " 1.1 imbalance_percent", " 1e999"});
}

TEST(TriggerText, ErrorsStayInOneLine) {
  EXPECT_ERROR(static_cast<void>(trigger_from_text(std::string("a\0\nb", 4))),
               "'a??b' is not a trigger. Give one of");
  std::string umlauts = "x";
  for (int i = 0; i < 1000; ++i) umlauts += "\xc3\xa4";
  const std::string error = test::error_of([&] { static_cast<void>(trigger_from_text(umlauts)); });
  EXPECT_LT(error.size(), 400U);
  EXPECT_GT(std::ranges::count(error, '\xc3'), 50);
  EXPECT_EQ(std::ranges::count(error, '\xc3'), std::ranges::count(error, '\xa4'));
}

TEST(TriggerText, ATriggerWithoutSenseIsAnError) {
  const auto expect = [](const std::vector<std::string>& texts, const std::string& part) {
    for (const std::string& text : texts)
      EXPECT_ERROR(static_cast<void>(trigger_from_text(text)), part);
  };
  expect({"every 0"},
         "The trigger 'every 0' has a period of 0. Give a period of 1 or more; for no rebalance at "
         "all, choose `never`");
  expect({"every -5", "every -1:0:5", "every 0:-1:5"}, "negative number of steps");
  expect({"every 100:50:5"}, "The trigger 'every 100:50:5' stops before it starts.");
  expect({"threshold lambda 0"},
         "has no limit. Give a lambda or an imbalance_percent; for no rebalance at all, choose "
         "`never`");
  expect({"threshold lambda 1"}, "impossible lambda. Give a lambda above 1, which is perfect");
  expect({"threshold lambda 0.5 imbalance_percent 10", "threshold lambda -2",
          "threshold lambda inf", "threshold lambda nan"},
         "impossible lambda");
  expect({"threshold imbalance_percent 100.5"}, "impossible imbalance_percent. Give a percentage");
  expect({"threshold imbalance_percent -1", "threshold imbalance_percent nan",
          "threshold lambda 2 imbalance_percent inf"},
         "impossible imbalance_percent");
  expect({"procassini 0"},
         "The trigger 'procassini 0' has an impossible rho. Give a finite factor above 0");
  expect({"procassini -1", "procassini nan", "procassini inf"}, "impossible rho");
}

// A program may have set its own locale.
struct CommaLocale final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(TriggerText, NoLocaleChangesIt) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaLocale));
  expect_text(Threshold{.lambda = 1.5}, "threshold lambda 1.5");
  expect_text(Every{.period = 1000000}, "every 1000000");
  const Totals uneven = test::totals_over({{.steps = 1, .load = 1}, {.steps = 1, .load = 3}});
  EXPECT_EQ(explain({.trigger = Threshold{.lambda = 1.25}}, uneven,
                    {Action::rebalance, Reason::above_threshold}),
            "lambda 1.50 (imbalance 67 %) is above the threshold of 1.25");
  std::locale::global(before);
}

TEST(CheckTrigger, InCodeToo) {
  EXPECT_NO_THROW(check(Trigger(Never{})));
  EXPECT_NO_THROW(check(Trigger(Every{.start = 5, .stop = 5, .period = most})));
  EXPECT_NO_THROW(check(Trigger(Threshold{.lambda = std::nextafter(1.0, 2.0)})));
  EXPECT_NO_THROW(check(Trigger(Threshold{.imbalance_percent = 100})));
  EXPECT_NO_THROW(check(Trigger(Custom{&always})));
  EXPECT_ERROR(check(Trigger(Every{.period = 0})), "period of 0");
  EXPECT_ERROR(check(Trigger(Threshold{})), "has no limit");
  EXPECT_ERROR(check(Trigger(Threshold{.lambda = nan})),
               "'threshold lambda nan' has an impossible");
  EXPECT_ERROR(check(Trigger(Threshold{.lambda = infinity})), "impossible lambda");
  EXPECT_ERROR(check(Trigger(Threshold{.lambda = 2, .imbalance_percent = nan})), "impossible");
  EXPECT_ERROR(check(Trigger(Custom{})),
               "The trigger 'custom' has no function. Give it in code, on all ranks: "
               ".trigger = evenkeel::Custom{function}.");
}

// --- By the step alone ---------------------------------------------------------------------------

std::vector<std::int64_t> due_steps(const Trigger& trigger, std::int64_t last) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = -3; step <= last; ++step)
    if (is_due(trigger, step)) steps.push_back(step);
  return steps;
}

TEST(IsDue, AtTheStepsOfEvery) {
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(due_steps(Every{}, 4), (Steps{1, 2, 3, 4}));
  EXPECT_EQ(due_steps(Every{.period = 3}, 10), (Steps{3, 6, 9}));
  EXPECT_EQ(due_steps(Every{.start = 2, .period = 3}, 10), (Steps{2, 5, 8}));
  EXPECT_EQ(due_steps(Every{.start = 2, .stop = 5, .period = 3}, 20), (Steps{2, 5}));
  EXPECT_EQ(due_steps(Every{.start = 2, .stop = 7, .period = 3}, 20), (Steps{2, 5}));
  EXPECT_EQ(due_steps(Every{.start = 6, .stop = 6, .period = 3}, 20), (Steps{6}));
  EXPECT_EQ(due_steps(Every{.start = most, .period = 1}, 20), Steps{});
  EXPECT_TRUE(is_due(Every{.start = most, .period = most}, most));
}

TEST(IsDue, NeverForOtherTriggers) {
  for (const Trigger& trigger :
       {Trigger(CostAware{}), Trigger(Never{}), Trigger(Threshold{.lambda = 1.1}), Trigger(Menon{}),
        Trigger(Zhai{}), Trigger(Procassini{}), Trigger(Boulmier{}), Trigger(Custom{&always})})
    EXPECT_TRUE(due_steps(trigger, 20).empty());
  EXPECT_FALSE(is_due(Every{.period = 0}, 5));
}

}  // namespace
}  // namespace evenkeel::trigger_test
