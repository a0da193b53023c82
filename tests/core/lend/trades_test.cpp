#include "support/harness.hpp"

#include <evenkeel/core/lend.hpp>

namespace evenkeel::trades_test {
namespace {

struct Told {
  int from, to;
  std::int64_t nanoseconds;
};

class Trades : public test::OnRanks {
 protected:
  TradingRanks trading = TradingRanks::of(communicator.duplicate());

  // All trades of all ranks, for loads above (positive) or below the level.
  std::vector<Told> made(const std::vector<std::int64_t>& excess) {
    Status ready;
    const std::int64_t mine = excess[static_cast<std::size_t>(rank)];
    const std::vector<Trade> trades = trades_of(trading, ready, std::max<std::int64_t>(mine, 0),
                                                std::max<std::int64_t>(-mine, 0));
    EXPECT_TRUE(ready.ok());
    std::vector<Told> told;
    for (const Trade& trade : trades) told.push_back({rank, trade.to, trade.nanoseconds});
    return communicator.all_gather(std::span<const Told>(told)).values;
  }

  void expect_fair(const std::vector<std::int64_t>& excess) {
    const std::vector<Told> trades = made(excess);
    std::int64_t surplus = 0, deficit = 0, traded = 0;
    for (const std::int64_t each : excess) (each > 0 ? surplus : deficit) += std::abs(each);
    std::vector<std::int64_t> lent(excess.size()), borrowed(excess.size());
    for (const Told& trade : trades) {
      EXPECT_GT(trade.nanoseconds, 0);
      lent[static_cast<std::size_t>(trade.from)] += trade.nanoseconds;
      borrowed[static_cast<std::size_t>(trade.to)] += trade.nanoseconds;
      traded += trade.nanoseconds;
    }
    EXPECT_EQ(traded, std::min(surplus, deficit));
    EXPECT_TRUE(trades.empty() || std::ssize(trades) < size);
    for (std::size_t r = 0; r < excess.size(); ++r) {
      const auto share = [&](std::int64_t mine, std::int64_t all) {
        return static_cast<double>(mine) * static_cast<double>(traded) / static_cast<double>(all);
      };
      EXPECT_NEAR(static_cast<double>(lent[r]), excess[r] > 0 ? share(excess[r], surplus) : 0.0,
                  excess[r] > 0 ? 1 : 0)
          << r;
      EXPECT_NEAR(static_cast<double>(borrowed[r]),
                  excess[r] < 0 ? share(-excess[r], deficit) : 0.0, excess[r] < 0 ? 1 : 0)
          << r;
    }
  }
};

TEST_F(Trades, GiveEachRankItsShare) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> excess(static_cast<std::size_t>(size));
    const std::int64_t most = std::int64_t{1} << (random() % 50);
    for (std::int64_t& each : excess)
      each = random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random()) % (2 * most) - most;
    expect_fair(excess);
  }
}

TEST_F(Trades, OneRankWithEverything) {
  for (int rich = 0; rich < size; ++rich) {
    std::vector<std::int64_t> excess(static_cast<std::size_t>(size), -1'000'000);
    excess[static_cast<std::size_t>(rich)] = std::int64_t{1'000'000} * (size - 1);
    expect_fair(excess);
  }
}

TEST_F(Trades, OneRankWithRoom) {
  std::vector<std::int64_t> excess(static_cast<std::size_t>(size), 3);
  excess.back() = -2;
  expect_fair(excess);
}

// Nodes of two ranks. Within each node, the lesser of surplus and deficit is traded there; between
// nodes, the rest.
#if EVENKEEL_HAS_MPI
TEST_F(Trades, WithinNodesFirst) {
  MPI_Comm node = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &node), MPI_SUCCESS);
  trading = TradingRanks(communicator.duplicate(), Communicator(node));
  MPI_Comm_free(&node);
  std::mt19937 random(11);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> excess(static_cast<std::size_t>(size));
    const std::int64_t most = std::int64_t{1} << (random() % 50);
    for (std::int64_t& each : excess)
      each = random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random()) % (2 * most) - most;
    std::map<std::pair<int, int>, std::int64_t> traded;
    std::vector<std::int64_t> change(excess.size()), near(excess.size());
    std::int64_t all = 0;
    for (const Told& trade : made(excess)) {
      const auto from = static_cast<std::size_t>(trade.from),
                 to = static_cast<std::size_t>(trade.to);
      EXPECT_GT(trade.nanoseconds, 0);
      EXPECT_EQ((traded[{trade.from, trade.to}] += trade.nanoseconds), trade.nanoseconds);
      change[from] += trade.nanoseconds;
      change[to] -= trade.nanoseconds;
      all += trade.nanoseconds;
      if (from / 2 == to / 2) near[from / 2] += trade.nanoseconds;
    }
    std::int64_t surplus = 0, deficit = 0;
    for (std::size_t r = 0; r < excess.size(); ++r) {
      (excess[r] > 0 ? surplus : deficit) += std::abs(excess[r]);
      EXPECT_LE(std::min<std::int64_t>(excess[r], 0), change[r]);
      EXPECT_LE(change[r], std::max<std::int64_t>(excess[r], 0));
      if (r % 2 == 0 || (excess[r] > 0) == (excess[r - 1] > 0)) continue;
      EXPECT_EQ(near[r / 2], std::min(std::abs(excess[r]), std::abs(excess[r - 1])));
    }
    EXPECT_EQ(all, std::min(surplus, deficit));
  }
}
#endif

TEST_F(Trades, NothingToTrade) {
  EXPECT_TRUE(made(std::vector<std::int64_t>(static_cast<std::size_t>(size), 0)).empty());
  EXPECT_TRUE(made(std::vector<std::int64_t>(static_cast<std::size_t>(size), 5)).empty());
  EXPECT_TRUE(made(std::vector<std::int64_t>(static_cast<std::size_t>(size), -5)).empty());
}

}  // namespace
}  // namespace evenkeel::trades_test
