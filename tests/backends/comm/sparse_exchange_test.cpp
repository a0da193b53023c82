#include "support/harness.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/vote.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <utility>
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

// Byte i of a message, a function of everything that could be mixed up.
unsigned char byte_of(int from, int to, int message, std::size_t i) {
  return static_cast<unsigned char>(i * 7 +
                                    static_cast<std::size_t>(from * 31 + to * 17 + message * 5));
}

void move(const Communicator& communicator, const std::vector<Send>& sends,
          const std::vector<Receive>& receives) {
  Transfer(test::space(), communicator, sends, receives).run();
}

// Three messages between each pair of ranks, itself included, of lengths around the piece size.
void exchange_everything(const Communicator& communicator) {
  const int rank = communicator.rank(), size = communicator.size();
  const auto length = [](int from, int to, int message) {
    return static_cast<std::size_t>(message * 64 + (from + 2 * to) % 5 - (message > 0 ? 2 : 0));
  };
  std::vector<std::vector<unsigned char>> outgoing, incoming;
  std::vector<Send> sends;
  std::vector<Receive> receives;
  for (int partner = 0; partner < size; ++partner) {
    for (int message = 0; message < 3; ++message) {
      auto& out = outgoing.emplace_back(length(rank, partner, message));
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = byte_of(rank, partner, message, i);
      sends.push_back({partner, out.data(), std::ssize(out)});
      auto& in = incoming.emplace_back(length(partner, rank, message), 0xEE);
      receives.push_back({partner, in.data(), std::ssize(in)});
    }
  }
  move(communicator, sends, receives);
  for (std::size_t k = 0; k < incoming.size(); ++k)
    for (std::size_t i = 0; i < incoming[k].size(); ++i)
      ASSERT_EQ(incoming[k][i], byte_of(receives[k].from, rank, static_cast<int>(k % 3), i));
}

TEST(Transfer, BetweenAllPairs) { exchange_everything(test::world({})); }

TEST(Transfer, InPieces) {
  exchange_everything(test::world({.piece_bytes = 64}));
  exchange_everything(test::world({.piece_bytes = 1}));
}

TEST(Transfer, ThroughStagingBuffers) {
  exchange_everything(test::world({.stage_host_memory = true}));
  exchange_everything(test::world({.piece_bytes = 64, .stage_host_memory = true}));
}

// Beyond 2^31 bytes when EVENKEEL_TEST_HUGE_BYTES says so (3221225472 is 3 GiB and needs 6 GiB of
// memory); by default smaller, with pieces that are smaller in proportion.
TEST(Transfer, AHugeMessage) {
  const char* wanted = std::getenv("EVENKEEL_TEST_HUGE_BYTES");
  const std::int64_t bytes = wanted != nullptr ? std::atoll(wanted) : 48'000'001;
  const Communicator communicator =
      wanted != nullptr ? test::world() : test::world({.piece_bytes = 16 << 20});
  if (communicator.size() != 2) GTEST_SKIP() << "for two ranks";
  const auto value = [](std::int64_t word) {
    return static_cast<std::uint64_t>(word) * 0x9E3779B97F4A7C15U;
  };
  const std::int64_t words = bytes / 8;
  std::vector<std::uint64_t> data(static_cast<std::size_t>(words) + 1);
  if (communicator.rank() == 0) {
    for (std::int64_t i = 0; i < words; ++i) data[static_cast<std::size_t>(i)] = value(i);
    move(communicator, {{1, data.data(), bytes}}, {});
  } else {
    move(communicator, {}, {{0, data.data(), bytes}});
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < words; ++i) wrong += data[static_cast<std::size_t>(i)] != value(i);
    EXPECT_EQ(wrong, 0);
  }
}

// Rank 0 sends `sent` bytes where rank 1 expects `expected`; rank 1 must notice, nobody may hang,
// and the next transfer must find nothing left over.
void expect_mismatch(const Communicator& communicator, std::int64_t sent, std::int64_t expected) {
  std::vector<char> data(1000, 'x');
  if (communicator.rank() == 1) {
    EXPECT_ERROR(move(communicator, {}, {{0, data.data(), expected}}), "Rank 0 sent ")
        << sent << " for " << expected;
  } else {
    EXPECT_NO_THROW(move(
        communicator,
        communicator.rank() == 0 ? std::vector<Send>{{1, data.data(), sent}} : std::vector<Send>{},
        {}));
  }
  communicator.barrier();
}

TEST(Transfer, AWrongLengthIsAnErrorOnTheReceiver) {
  if (test::size() < 2) GTEST_SKIP() << "needs two ranks";
  {
    const Communicator communicator = test::world();
    for (const auto& [sent, expected] : {std::pair{40, 60}, {80, 60}, {0, 60}, {8, 0}, {1, 2}})
      expect_mismatch(communicator, sent, expected);
    exchange_everything(communicator);
  }
  {
    const Communicator communicator = test::world({.piece_bytes = 8});
    for (const auto& [sent, expected] :
         {std::pair{16, 8}, {8, 16}, {8, 0}, {0, 8}, {100, 3}, {3, 100}})
      expect_mismatch(communicator, sent, expected);
    exchange_everything(communicator);
  }
}

// What cannot be is told when the transfer is made, before anybody waits: one rank's refusal goes
// through a vote, and nobody runs.
TEST(Transfer, ARefusalOnOneRankHoldsNobodyUp) {
  const Communicator communicator = test::world();
  const int rank = communicator.rank(), size = communicator.size();
  char byte = 0;
  const std::vector<Send> sends(rank == size - 1 ? 1 : 0, Send{size, &byte, 1});
  const std::vector<Receive> receives(rank == 0 && size > 1 ? 1 : 0, Receive{size - 1, &byte, 1});
  const Status status = attempt(
      "test", [&] { const Transfer transfer(test::space(), communicator, sends, receives); });
  const std::string text = test::error_of([&] { vote(communicator, status); });
  EXPECT_TRUE(test::mentions(text, "names rank " + std::to_string(size)));
  EXPECT_TRUE(test::same_everywhere(communicator, text));
  exchange_everything(communicator);
}

TEST(Transfer, RefusesWhatCannotBe) {
  const Communicator communicator = test::world();
  const int rank = communicator.rank();
  char bytes[2] = {};
  const auto refuse = [&](const std::vector<Send>& sends, const std::vector<Receive>& receives,
                          const char* part) {
    EXPECT_ERROR(Transfer(test::space(), communicator, sends, receives), part);
  };
  refuse({{communicator.size(), bytes, 1}}, {}, "names rank");
  refuse({}, {{-1, bytes, 1}}, "names rank -1");
  refuse({{0, bytes, -1}}, {}, "-1 bytes");
  refuse({{rank, bytes, 1}}, {}, "sends itself 1 bytes where 0");
  refuse({{rank, bytes, 1}}, {{rank, bytes + 1, 2}}, "sends itself 1 bytes where 2");
}

TEST(Transfer, SaysWhatItStages) {
  const Communicator communicator = test::world({.stage_host_memory = true});
  const int right = (communicator.rank() + 1) % communicator.size();
  const int left = (communicator.rank() + communicator.size() - 1) % communicator.size();
  char out[10] = "evenkeel.", in[10] = {};
  const Send send{right, out, 10};
  const Receive receive{left, in, 10};
  Transfer transfer(test::space(), communicator, std::span(&send, 1), std::span(&receive, 1));
  EXPECT_EQ(transfer.staging_bytes(), communicator.size() == 1 ? 0 : 20);
  transfer.run();
  EXPECT_STREQ(in, out);
}

}  // namespace
}  // namespace evenkeel
