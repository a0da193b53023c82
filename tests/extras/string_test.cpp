// Compares trades on a string with an oracle, which follows the published recursion rank by rank
// until the load is even. Also compares the two modes with each other.

#include "support/harness.hpp"

#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/extras/string.hpp>

namespace evenkeel::string_test {
namespace {

using Items = std::vector<std::int64_t>;
using Holdings = std::vector<Holding>;

// --- The oracle ----------------------------------------------------------------------------------

// S_i in items, without rounding: (T_i + S_(i-1) C - T) / C_i, where C is the cost of the giver.
std::vector<double> by_recursion(const Holdings& ranks) {
  double mean = 0;
  for (const Holding& rank : ranks) mean += rank.seconds / static_cast<double>(ranks.size());
  std::vector<double> items;
  double seconds_from_left = 0;
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    const double over = ranks[i].seconds + seconds_from_left - mean;
    const Holding& giver = ranks[over > 0 ? i : i + 1];
    const double each = giver.items > 0 ? giver.seconds / static_cast<double>(giver.items) : 0;
    items.push_back(each > 0 ? over / each : 0);
    seconds_from_left = items.back() * each;
    if (!(each > 0)) seconds_from_left = over;  // no rank can give now, so the debt remains
  }
  return items;
}

double lambda_of_all(const Holdings& ranks) {
  std::vector<double> seconds;
  for (const Holding& rank : ranks) seconds.push_back(rank.seconds);
  return lambda_of(seconds);
}

// --- Serial --------------------------------------------------------------------------------------

TEST(StringTrades, ByHand) {
  // 4 s on 8 items and 2 s on 8 items: one second moves over, which is two items of the first rank.
  EXPECT_EQ(string_trades(Holdings{{4, 8}, {2, 8}}), Items{2});
  // In the other direction, items of the second rank move.
  EXPECT_EQ(string_trades(Holdings{{2, 8}, {4, 16}}), Items{-4});
  // The mean T is 3 s. 3 s move over the first border. Over the next border move 2 items of the
  // second rank, which cost 1 s each.
  EXPECT_EQ(string_trades(Holdings{{6, 12}, {2, 2}, {1, 8}}), (Items{6, 2}));
  EXPECT_EQ(string_trades(Holdings{{3, 5}, {3, 1}, {3, 9}}), (Items{0, 0}));
  EXPECT_EQ(string_trades(Holdings{}), Items{});
  EXPECT_EQ(string_trades(Holdings{{1, 1}}), Items{});
  EXPECT_EQ(string_trades(Holdings{{0, 4}, {0, 4}}), Items{0});
}

TEST(StringTrades, NobodyGivesMoreThanHeHas) {
  // The last rank's share has to pass through the second rank first.
  EXPECT_EQ(string_trades(Holdings{{9, 9}, {0, 0}, {0, 0}}), (Items{6, 0}));
  EXPECT_EQ(string_trades(Holdings{{8, 8}, {1, 1}, {0, 0}}), (Items{5, 1}));
  // Both sides get items in proportion to their demand.
  EXPECT_EQ(string_trades(Holdings{{0, 0}, {8, 8}, {0, 0}}), (Items{-3, 3}));
  EXPECT_EQ(string_trades(Holdings{{0, 0}, {8, 8}, {0, 0}}, {.least_items = 6}), (Items{-1, 1}));
  EXPECT_EQ(string_trades(Holdings{{9, 9}, {0, 0}}, {.least_items = 9}), Items{0});
  // A giver whose items cost nothing gives nothing.
  EXPECT_EQ(string_trades(Holdings{{9, 1}, {0, 7}, {0, 0}}), (Items{1, 0}));
}

TEST(StringTrades, NobodyTradesBelowTheThreshold) {
  const Holdings ranks = {{1.1, 110}, {0.9, 90}};
  EXPECT_EQ(string_trades(ranks, {.threshold_lambda = 1.11}), Items{0});
  EXPECT_EQ(string_trades(ranks, {.threshold_lambda = 1.09}), Items{10});
}

TEST(StringTrades, AreTheRecursionRounded) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> cost(0.5, 2);
  for (int turn = 0; turn < 300; ++turn) {
    Holdings ranks(2 + random() % 12);
    for (Holding& rank : ranks) {
      rank.items = 1000 + static_cast<std::int64_t>(random() % 500);
      rank.seconds = static_cast<double>(rank.items) * cost(random) * 1e-3;
    }
    const Items found = string_trades(ranks, {.threshold_lambda = 1});
    const std::vector<double> wanted = by_recursion(ranks);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t giver = wanted[i] > 0 ? i : i + 1;
      const std::int64_t left = giver == 0 ? 0 : std::max<std::int64_t>(0, -found[giver - 1]);
      const std::int64_t right =
          giver + 1 == ranks.size() ? 0 : std::max<std::int64_t>(0, found[giver]);
      ASSERT_LE(left + right, ranks[giver].items);
      if (left + right < ranks[giver].items) {
        EXPECT_NEAR(static_cast<double>(found[i]), wanted[i], 0.5 + 1e-6) << turn << ' ' << i;
      }
    }
  }
}

TEST(StringTrades, RefuseWhatMakesNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(string_trades(Holdings{{-1, 1}}), "has worked for");
  EXPECT_ERROR(string_trades(Holdings{{nan, 1}}), "has worked for");
  EXPECT_ERROR(string_trades(Holdings{{1, -1}}), "-1 items");
  EXPECT_ERROR(string_trades(Holdings{{1, 1}}, {.threshold_lambda = 0.5}), "threshold");
  EXPECT_ERROR(string_trades(Holdings{{1, 1}}, {.threshold_lambda = nan}), "threshold");
  EXPECT_ERROR(string_trades(Holdings{{1, 1}}, {.least_items = -1}), "least_items");
}

// --- All ranks -----------------------------------------------------------------------------------

class String : public test::OnRanks {
 protected:
  // Runs one round in both modes. Returns the items of all ranks after the round, and sets lambda.
  Items traded(const Holdings& all, const StringOptions& options, double& lambda) const {
    const Holding mine = all[static_cast<std::size_t>(rank)];
    const Trade trade = trade_on_string(communicator, mine, options);
    EXPECT_EQ(trade, trade_on_string(communicator, mine, options, StringMode::master));
    EXPECT_TRUE(trade.to_left == 0 || trade.from_left == 0);  // one way over each border
    EXPECT_TRUE(trade.to_right == 0 || trade.from_right == 0);
    EXPECT_LE(trade.to_left + trade.to_right, mine.items);
    const std::vector<Trade> trades = communicator.all_gather(trade);
    const Items across = string_trades(all, options);
    Items items;
    for (std::size_t r = 0; r < all.size(); ++r) {
      items.push_back(trades[r].after(all[r].items));
      EXPECT_GE(items.back(),
                options.least_items > all[r].items ? all[r].items : options.least_items);
      if (r + 1 == all.size()) continue;
      EXPECT_EQ(trades[r].to_right, trades[r + 1].from_left);
      EXPECT_EQ(trades[r].from_right, trades[r + 1].to_left);
      EXPECT_EQ(trades[r].to_right - trades[r].from_right, across[r]);
    }
    lambda = trade.lambda;
    return items;
  }
};

// The costs of items in a row differ from place to place by a factor of 3.
double cost_at(std::int64_t item, std::int64_t items) {
  const double place = static_cast<double>(item) / static_cast<double>(items);
  return 2 + std::sin(7 * place);
}

Holdings holdings_of(const Items& items) {
  const std::int64_t all = std::accumulate(items.begin(), items.end(), std::int64_t{0});
  Holdings ranks;
  std::int64_t next = 0;
  for (const std::int64_t count : items) {
    double seconds = 0;
    for (std::int64_t k = 0; k < count; ++k) seconds += 1e-3 * cost_at(next + k, all);
    ranks.push_back({seconds, count});
    next += count;
  }
  return ranks;
}

TEST_F(String, RoundsEndInAnEvenLoad) {
  for (const bool on_the_first : {true, false}) {
    Items items(static_cast<std::size_t>(size), 0);
    items[on_the_first ? 0 : static_cast<std::size_t>(size / 2)] = 5000 * size;
    const StringOptions options = {.threshold_lambda = 1.02};
    double lambda = size;
    int round = 0;
    for (; round < 40; ++round) {
      const Items next = traded(holdings_of(items), options, lambda);
      EXPECT_EQ(std::accumulate(next.begin(), next.end(), std::int64_t{0}), 5000 * size);
      if (next == items) break;
      items = next;
    }
    EXPECT_LE(lambda_of_all(holdings_of(items)), 1.02) << round << " rounds";
    EXPECT_LE(round, 6 + 3 * size);
    EXPECT_LE(lambda, 1.02);
  }
}

TEST_F(String, BothModesAgreeOnAnything) {
  std::mt19937 random(11);
  for (int turn = 0; turn < 100; ++turn) {
    Holdings all;
    for (int r = 0; r < size; ++r) {
      const auto items = static_cast<std::int64_t>(random() % (turn % 3 == 0 ? 4 : 1000));
      const double seconds = random() % 5 == 0 ? 0 : static_cast<double>(random() % 997) / 7;
      all.push_back({turn % 10 == 9 ? seconds * 1e-300 : seconds, items});
    }
    double lambda = 0;
    const StringOptions options = {.threshold_lambda = 1.0 + 0.3 * (turn % 2),
                                   .least_items = turn % 4};
    const Items items = traded(all, options, lambda);
    std::int64_t before = 0;
    for (const Holding& rank_of_all : all) before += rank_of_all.items;
    EXPECT_EQ(std::accumulate(items.begin(), items.end(), std::int64_t{0}), before);
    EXPECT_NEAR(lambda, lambda_of_all(all), 1e-6 * lambda);
  }
}

TEST_F(String, BadInputIsTheSameErrorOnAllRanks) {
  for (const StringMode mode : {StringMode::distributed, StringMode::master})
    for (int culprit = 0; culprit < size; ++culprit) {
      const Holding mine = {rank == culprit ? -1.0 : 1.0, 4};
      const std::string text =
          test::error_everywhere([&] { trade_on_string(communicator, mine, {}, mode); });
      EXPECT_MENTIONS(text, "rank " + std::to_string(culprit));
      EXPECT_MENTIONS(text, "has worked for");
      EXPECT_NO_THROW(trade_on_string(communicator, {1, 4}, {}, mode));
    }
}

}  // namespace
}  // namespace evenkeel::string_test
