#include "support/harness.hpp"

#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/ledger.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

// --- What a rebalance costs ----------------------------------------------------------------------

struct Payment {
  double nanoseconds, bytes;
};

CostModel model_of(const std::vector<Payment>& payments) {
  CostModel model;
  for (const Payment& payment : payments) model.learn(payment.nanoseconds, payment.bytes);
  return model;
}

// The weighted least squares line by two passes over all that was ever paid, in long double.
double expected_estimate(const std::vector<Payment>& payments) {
  std::vector<long double> weights(payments.size(), 1);
  for (std::size_t i = payments.size() - 1; i > 0; --i) weights[i - 1] = 0.8L * weights[i];
  long double weight = 0, cost = 0, bytes = 0;
  for (std::size_t i = 0; i < payments.size(); ++i) {
    weight += weights[i];
    cost += weights[i] * static_cast<long double>(payments[i].nanoseconds);
    bytes += weights[i] * static_cast<long double>(payments[i].bytes);
  }
  cost /= weight;
  bytes /= weight;
  long double spread = 0, together = 0;
  for (std::size_t i = 0; i < payments.size(); ++i) {
    const long double off = payments[i].bytes - bytes;
    spread += weights[i] * off * off;
    together += weights[i] * off * (payments[i].nanoseconds - cost);
  }
  if (spread == 0 || together <= 0) return static_cast<double>(cost);
  const long double line = cost + together / spread * (payments.back().bytes - bytes);
  return static_cast<double>(std::max(0.0L, line));
}

TEST(CostModel, KnowsNothingAtFirst) {
  EXPECT_FALSE(CostModel{}.knows());
  EXPECT_EQ(CostModel{}.estimate(), 0);
}

TEST(CostModel, TheFirstOneIsWhatTheNextWillCost) {
  const CostModel model = model_of({{700, 30}});
  EXPECT_TRUE(model.knows());
  EXPECT_EQ(model.estimate(), 700);
  EXPECT_EQ(model.last_bytes, 30);
  EXPECT_EQ(model_of({{700, 0}}).estimate(), 700);
}

// Weights 0.8 and 1, then 0.64, 0.8 and 1.
TEST(CostModel, OlderOnesCountLess) {
  EXPECT_DOUBLE_EQ(model_of({{10, 5}, {20, 5}}).estimate(), 28 / 1.8);
  EXPECT_DOUBLE_EQ(model_of({{10, 5}, {20, 5}, {40, 5}}).estimate(), 62.4 / 2.44);
  std::vector<Payment> payments(100, {10, 5});
  payments.insert(payments.end(), 60, {20, 5});
  EXPECT_NEAR(model_of(payments).estimate(), 20, 1e-4);
}

// 100 and 3 for each byte.
TEST(CostModel, FollowsTheBytesOfTheLast) {
  std::vector<Payment> payments;
  for (const double bytes : {10.0, 20.0, 50.0, 0.0, 1000.0, 1000.0}) {
    payments.push_back({100 + 3 * bytes, bytes});
    EXPECT_NEAR(model_of(payments).estimate(), 100 + 3 * bytes, 1e-9) << bytes;
  }
}

TEST(CostModel, WhatCostsLessForMoreBytesIsNoLine) {
  EXPECT_DOUBLE_EQ(model_of({{20, 5}, {10, 50}}).estimate(), 26 / 1.8);
  EXPECT_DOUBLE_EQ(model_of({{20, 5}, {20, 50}}).estimate(), 20);
}

TEST(CostModel, TooLittleDifferenceInBytesIsRounding) {
  const double many = 1e12;
  EXPECT_NEAR(model_of({{10, many}, {20, many + 1}, {40, many + 2}}).estimate(), 62.4 / 2.44, 1e-9);
}

// The line through these falls below nothing at 5 bytes.
TEST(CostModel, IsNeverNegative) {
  EXPECT_EQ(model_of({{0, 5}, {0, 6}, {100, 10}, {0, 5}}).estimate(), 0);
}

TEST(CostModel, IsTheWeightedLeastSquaresLine) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> noise(0, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double per_byte = 4 * noise(random) - 1;  // sometimes falling
    const double scale = std::pow(10, 9 * noise(random));
    std::vector<Payment> payments;
    CostModel model;
    for (int i = 0; i < 20; ++i) {
      const double bytes = scale * noise(random);
      const double cost = std::max(0.0, scale * (1 + noise(random)) + per_byte * bytes);
      payments.push_back({cost, bytes});
      model.learn(cost, bytes);
      const double expected = expected_estimate(payments);
      ASSERT_NEAR(model.estimate(), expected, 1e-7 * scale) << repeat << ' ' << i;
    }
  }
}

// --- The books -----------------------------------------------------------------------------------

// A look over two ranks that have worked `load` each.
Totals look(std::int64_t steps, std::int64_t load = 0, std::int64_t cost = 0,
            std::int64_t bytes = 0) {
  const Sample sample = {
      .steps = steps, .load = load, .duration = 3 * load, .cost = cost, .bytes = bytes};
  Totals totals = totals_of(sample, 0);
  combine(totals, totals_of(sample, 0));
  return totals;
}

// As fold() does with a look that counts.
void book(Ledger& ledger, const Totals& totals, double waste) {
  ledger.pay(totals, true);
  ledger.enter(totals, waste);
}

TEST(Ledger, CountsTheWholeRun) {
  Ledger ledger;
  book(ledger, look(8, 1000), 50);
  book(ledger, look(4, 600), 25);
  EXPECT_EQ(ledger.worked, 1600);
  EXPECT_EQ(ledger.lost, 8 * 50 + 4 * 25);
  EXPECT_EQ(ledger.elapsed, 4800) << "a mean over the ranks";
  EXPECT_EQ(ledger.spent, 0);
  EXPECT_FALSE(ledger.cost.knows());
  EXPECT_EQ(ledger.looks_since, 0) << "there was no rebalance";
}

TEST(Ledger, TheMeanIsOverRanksThatDifferToo) {
  Totals totals = totals_of({.steps = 2, .load = 10, .duration = 100}, 0);
  combine(totals, totals_of({.steps = 2, .load = 20, .duration = 200}, 0));
  combine(totals, totals_of({.steps = 2, .load = 60, .duration = 600}, 0));
  Ledger ledger;
  book(ledger, totals, 15);
  EXPECT_EQ(ledger.worked, 30);
  EXPECT_EQ(ledger.elapsed, 300);
}

// The median of the first three looks after it stands for all steps since.
TEST(Ledger, ARebalanceIsCreditedWithWhatItSaves) {
  Ledger ledger;
  ledger.open_entry(100, true);
  book(ledger, look(8, 0, 500), 20);
  EXPECT_EQ(ledger.net_so_far(), (100 - 20) * 8 - 500);
  book(ledger, look(8), 40);
  EXPECT_EQ(ledger.net_so_far(), (100 - 30) * 16 - 500);
  book(ledger, look(6), 22);
  EXPECT_EQ(ledger.net_so_far(), (100 - 22) * 22 - 500);
  book(ledger, look(8), 1000);
  EXPECT_EQ(ledger.median_after(), 22);
  EXPECT_EQ(ledger.net_so_far(), (100 - 22) * 30 - 500);
  EXPECT_EQ(ledger.counted, 0) << "it is still open";
  ledger.settle();
  EXPECT_EQ(ledger.open, 0);
  EXPECT_EQ(ledger.last_net, 78 * 30 - 500);
  EXPECT_EQ(ledger.gained, 78 * 30) << "the cost is spent, not lost again";
  EXPECT_EQ(ledger.spent, 500);
  EXPECT_EQ(ledger.counted, 1);
  EXPECT_EQ(ledger.losses, 0);
  EXPECT_EQ(ledger.residual, 22);
}

TEST(Ledger, IsSettledOnce) {
  Ledger ledger;
  ledger.open_entry(100, true);
  book(ledger, look(8), 40);
  ledger.settle();
  const Ledger settled = ledger;
  ledger.settle();
  book(ledger, look(8), 40);
  ledger.settle();
  EXPECT_EQ(ledger.gained, settled.gained);
  EXPECT_EQ(ledger.counted, 1);
  EXPECT_EQ(ledger.residual, settled.residual);
}

TEST(Ledger, WhatDoesNotPayIsALoss) {
  const auto losses_of = [](std::int64_t cost) {
    Ledger ledger;
    ledger.open_entry(100, true);
    book(ledger, look(10, 0, cost), 40);
    ledger.open_entry(50, true);  // settles the one before
    EXPECT_EQ(ledger.counted, 1);
    EXPECT_EQ(ledger.last_net, 600 - static_cast<double>(cost));
    return ledger.losses;
  };
  EXPECT_EQ(losses_of(0), 0);
  EXPECT_EQ(losses_of(600), 0) << "it has just paid";
  EXPECT_EQ(losses_of(601), 1);
}

TEST(Ledger, ARebalanceThatMadeItWorseIsALossWithoutACost) {
  Ledger ledger;
  ledger.open_entry(10, true);
  book(ledger, look(8), 40);
  ledger.settle();
  EXPECT_EQ(ledger.gained, -240);
  EXPECT_EQ(ledger.losses, 1);
  EXPECT_EQ(ledger.residual, 40);
}

TEST(Ledger, WithoutLooksBeforeTheGainIsNotKnown) {
  Ledger ledger;
  ledger.open_entry(0, false);
  book(ledger, look(8, 100, 500, 30), 20);
  EXPECT_EQ(ledger.open, 0);
  ledger.settle();
  EXPECT_EQ(ledger.counted, 0);
  EXPECT_EQ(ledger.losses, 0);
  EXPECT_EQ(ledger.gained, 0);
  EXPECT_EQ(ledger.residual, -1);
  EXPECT_EQ(ledger.spent, 500) << "what it cost is known all the same";
  EXPECT_EQ(ledger.cost.estimate(), 500);
}

TEST(Ledger, WithoutLooksAfterTheGainIsNotKnown) {
  Ledger ledger;
  ledger.open_entry(100, true);
  EXPECT_EQ(ledger.open, 1);
  ledger.settle();
  EXPECT_EQ(ledger.open, 0);
  EXPECT_EQ(ledger.counted, 0);
  EXPECT_EQ(ledger.gained, 0);
  EXPECT_EQ(ledger.residual, -1);
}

TEST(Ledger, OfTwoWithoutALookBetweenThemTheSecondCounts) {
  Ledger ledger;
  ledger.open_entry(100, true);
  ledger.open_entry(90, true);
  book(ledger, look(8, 0, 700), 40);
  ledger.settle();
  EXPECT_EQ(ledger.counted, 1);
  EXPECT_EQ(ledger.gained, 50 * 8);
  EXPECT_EQ(ledger.last_net, 50 * 8 - 700);
}

TEST(Ledger, TheCostComesWithALookAfterIt) {
  Ledger ledger;
  ledger.open_entry(100, true);
  book(ledger, look(8), 40);
  EXPECT_FALSE(ledger.cost.knows());
  book(ledger, look(8, 0, 300, 64), 40);
  EXPECT_EQ(ledger.cost.estimate(), 300);
  EXPECT_EQ(ledger.cost.last_bytes, 64);
  book(ledger, look(8, 0, 200, 64), 40);
  EXPECT_EQ(ledger.price, 500);
  EXPECT_EQ(ledger.spent, 500);
  EXPECT_EQ(ledger.net_so_far(), 60 * 24 - 500);
  ledger.open_entry(70, true);
  EXPECT_EQ(ledger.price, 0);
  EXPECT_EQ(ledger.spent, 500);
}

TEST(Ledger, RemembersWhatWasPromised) {
  Ledger ledger;
  ledger.promised = 1234;
  ledger.open_entry(100, true);
  EXPECT_EQ(ledger.predicted, 1234);
  EXPECT_EQ(ledger.promised, 0);
  ledger.open_entry(100, true);
  EXPECT_EQ(ledger.predicted, 0) << "nobody has looked in between";
}

TEST(Ledger, TheResidualFollowsTheLastOnesByHalves) {
  Ledger ledger;
  double expected = -1;
  for (const double left : {40.0, 20.0, 0.0, 100.0}) {
    ledger.open_entry(100, true);
    book(ledger, look(8), left);
    ledger.settle();
    expected = expected < 0 ? left : (expected + left) / 2;
    EXPECT_EQ(ledger.residual, expected);
  }
}

TEST(Ledger, ARebalanceThatLeavesNothingIsKnownToDoSo) {
  Ledger ledger;
  ledger.open_entry(100, true);
  book(ledger, look(8), 0);
  ledger.settle();
  EXPECT_EQ(ledger.residual, 0);
}

// --- Against one that keeps everything -----------------------------------------------------------

struct Entry {
  double before = 0;
  bool known = false;
  double promised = 0;
  double price = 0;
  std::int64_t steps = 0;
  std::vector<double> after = {};

  double net() const {
    std::vector<double> first(after.begin(),
                              after.begin() + std::min<std::ptrdiff_t>(3, std::ssize(after)));
    std::ranges::sort(first);
    const std::size_t count = first.size();
    const double median = count == 0 ? 0 : (first[(count - 1) / 2] + first[count / 2]) / 2;
    return (before - median) * static_cast<double>(steps) - price;
  }
  double left() const { return before - (net() + price) / static_cast<double>(steps); }
  bool counts() const { return known && !after.empty(); }
};

void expect_same(const Ledger& ledger, const std::vector<Entry>& entries, bool last_is_settled) {
  double gained = 0, foreseen = 0, last_net = 0, residual = -1;
  std::int64_t counted = 0, losses = 0;
  const std::size_t settled = entries.size() - (last_is_settled ? 0 : 1);
  for (std::size_t i = 0; i < settled; ++i) {
    if (!entries[i].counts()) continue;
    ++counted;
    last_net = entries[i].net();
    gained += last_net + entries[i].price;
    foreseen += entries[i].promised;
    losses += last_net < 0 ? 1 : 0;
    residual = residual < 0 ? entries[i].left() : (residual + entries[i].left()) / 2;
  }
  EXPECT_EQ(ledger.counted, counted);
  EXPECT_EQ(ledger.losses, losses);
  EXPECT_NEAR(ledger.gained, gained, 1e-6);
  EXPECT_EQ(ledger.foreseen, foreseen);
  EXPECT_NEAR(ledger.last_net, last_net, 1e-6);
  EXPECT_NEAR(ledger.residual, residual, 1e-6);
  const Entry& last = entries.back();
  EXPECT_EQ(ledger.open, last.known && !last_is_settled ? 1 : 0);
  if (last.counts()) {
    EXPECT_NEAR(last_is_settled ? ledger.last_net : ledger.net_so_far(), last.net(), 1e-6);
  }
  EXPECT_EQ(ledger.predicted, last.promised);
}

TEST(Ledger, AgreesWithOneThatKeepsEverything) {
  std::mt19937_64 random(12);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  std::int64_t counted = 0, losses = 0;
  for (int run = 0; run < 20; ++run) {
    Ledger ledger;
    std::vector<Entry> entries(1);  // the start, which is no rebalance
    double worked = 0, lost = 0, elapsed = 0, spent = 0, promised = 0;
    for (int event = 0; event < 100; ++event) {
      if (below(4) == 0) {
        const auto before = static_cast<double>(below(1000));
        const bool known = below(4) > 0;
        const bool goes_on = entries.back().known && entries.back().after.empty() && !known;
        if (goes_on)
          entries.back().promised = promised;
        else
          entries.push_back({.before = before, .known = known, .promised = promised});
        ledger.open_entry(before, known);
        promised = 0;
      } else {
        const std::int64_t steps = 1 + below(10), load = below(10000);
        const std::int64_t cost = below(2) == 0 ? below(5000) : 0;
        const auto waste = static_cast<double>(below(1000));
        book(ledger, look(steps, load, cost, below(100)), waste);
        ledger.promised = promised = static_cast<double>(below(100));
        worked += static_cast<double>(load);
        elapsed += static_cast<double>(3 * load);
        lost += waste * static_cast<double>(steps);
        spent += static_cast<double>(cost);
        entries.back().price += static_cast<double>(cost);
        entries.back().steps += steps;
        entries.back().after.push_back(waste);
      }
      expect_same(ledger, entries, false);
    }
    ledger.settle();
    expect_same(ledger, entries, true);
    EXPECT_EQ(ledger.worked, worked);
    EXPECT_EQ(ledger.lost, lost);
    EXPECT_EQ(ledger.elapsed, elapsed);
    EXPECT_EQ(ledger.spent, spent);
    counted += ledger.counted;
    losses += ledger.losses;
  }
  EXPECT_GT(counted, 100);
  EXPECT_GT(losses, 20);
}

}  // namespace
}  // namespace evenkeel
