#include "support/harness.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace evenkeel {
namespace {

using Notes = std::vector<Note<std::int64_t>>;

// The oracle: who writes what to whom is a function of sender and receiver that every rank can
// evaluate.
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

// Round after round without a barrier in between: a note of one round must never surface in
// another.
TEST(Announce, RandomPatternsBackToBack) {
  const Communicator communicator = test::world();
  for (int round = 0; round < 300; ++round) expect_round(communicator, round, 40);
}

TEST(Announce, NobodyWritesAndEverybodyWrites) {
  const Communicator communicator = test::world();
  for (int round = 0; round < 20; ++round)
    expect_round(communicator, round, round % 2 == 0 ? 0 : 100);
}

TEST(Announce, SeveralNotesToOneRankKeepTheirOrder) {
  const Communicator communicator = test::world();
  const int right = (communicator.rank() + 1) % communicator.size();
  Notes outgoing;
  for (int i = 0; i < 10; ++i) outgoing.push_back({right, i});
  const Notes incoming = announce<std::int64_t>(communicator, outgoing);
  ASSERT_EQ(incoming.size(), 10U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(incoming[static_cast<std::size_t>(i)].content, i);
}

TEST(Announce, ANoteToNowhereIsAnErrorThatHoldsNobodyUp) {
  const Communicator communicator = test::world();
  const bool bad = communicator.rank() == 0;
  Notes outgoing = {{bad ? communicator.size() : 0, 7}};
  if (bad) {
    EXPECT_ERROR(static_cast<void>(announce<std::int64_t>(communicator, outgoing)), "names rank");
  } else {
    EXPECT_TRUE(announce<std::int64_t>(communicator, outgoing).empty());
  }
  expect_round(communicator, 1, 50);
}

}  // namespace
}  // namespace evenkeel
