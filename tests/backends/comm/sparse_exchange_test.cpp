#include "support/harness.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>

namespace evenkeel::sparse_exchange_test {
namespace {

using Notes = std::vector<Note<std::int64_t>>;

// The oracle: the messages are a function of sender and receiver that every rank can evaluate.
std::int64_t content(int from, int to, int round) { return 1'000'000 * round + 1000 * from + to; }

bool writes(int from, int to, int round, int density_percent) {
  std::minstd_rand random(static_cast<unsigned>(1 + from + 31 * to + 997 * round));
  random.discard(3);
  return static_cast<int>(random() % 100) < density_percent;
}

void expect_round(const Communicator& communicator, int round, int density_percent) {
  const int rank = communicator.rank();
  Notes outgoing;
  for (int to = 0; to < communicator.size(); ++to)
    if (writes(rank, to, round, density_percent))
      outgoing.push_back({to, content(rank, to, round)});
  const Notes incoming = announce<std::int64_t>(communicator, outgoing);
  std::size_t expected = 0;
  for (int from = 0; from < communicator.size(); ++from) {
    if (!writes(from, rank, round, density_percent)) continue;
    ASSERT_LT(expected, incoming.size());
    EXPECT_EQ(incoming[expected].rank, from);
    EXPECT_EQ(incoming[expected].content, content(from, rank, round));
    ++expected;
  }
  EXPECT_EQ(expected, incoming.size());
}

using Announce = test::OnRanks;

// Rounds follow each other without a barrier. A note of one round must never appear in another.
TEST_F(Announce, RandomPatternsBackToBack) {
  for (int round = 0; round < 300; ++round) expect_round(communicator, round, 40);
}

TEST_F(Announce, NobodyWritesAndEverybodyWrites) {
  for (int round = 0; round < 20; ++round)
    expect_round(communicator, round, round % 2 == 0 ? 0 : 100);
}

TEST_F(Announce, SeveralNotesToOneRankKeepTheirOrder) {
  const int right = (rank + 1) % size;
  Notes outgoing;
  for (int i = 0; i < 10; ++i) outgoing.push_back({right, i});
  const Notes incoming = announce<std::int64_t>(communicator, outgoing);
  ASSERT_EQ(incoming.size(), 10U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(incoming[static_cast<std::size_t>(i)].content, i);
}

TEST_F(Announce, ANoteToNowhereIsAnErrorThatHoldsNobodyUp) {
  const bool bad = rank == 0;
  Notes outgoing = {{bad ? size : 0, 7}};
  if (bad) {
    EXPECT_ERROR(static_cast<void>(announce<std::int64_t>(communicator, outgoing)), "names rank");
  } else {
    EXPECT_TRUE(announce<std::int64_t>(communicator, outgoing).empty());
  }
  expect_round(communicator, 1, 50);
}

TEST_F(Announce, ARankThatHasFailedAnnouncesNothing) {
  const int right = (rank + 1) % size;
  const Notes outgoing = {{right, rank}};
  const auto fail = [] {
    throw Error(ErrorKind::bad_input, Where{"test"}, "It fails.", "Mend it.");
  };
  Status ready = attempt("test", [&] {
    if (rank == 0) fail();
  });
  const Notes incoming = announce(communicator, "test", ready, outgoing);
  EXPECT_EQ(ready.ok(), rank != 0);
  const bool left_fails = rank == 1 % size;  // its left neighbour is rank 0
  EXPECT_EQ(incoming.size(), left_fails ? 0U : 1U);
  Status bad;
  const Notes nowhere = {{size, 7}};
  EXPECT_TRUE(announce(communicator, "test", bad, rank == 0 ? nowhere : Notes()).empty());
  EXPECT_EQ(bad.ok(), rank != 0);
}

TEST(CountsToRanks, LeaveOutRanksWithoutAny) {
  const std::vector<std::int64_t> offsets = {0, 3, 3, 7};
  const Notes counts = counts_to_ranks(offsets);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].rank, 0);
  EXPECT_EQ(counts[0].content, 3);
  EXPECT_EQ(counts[1].rank, 2);
  EXPECT_EQ(counts[1].content, 4);
  EXPECT_TRUE(counts_to_ranks({}).empty());
}

}  // namespace
}  // namespace evenkeel::sparse_exchange_test
