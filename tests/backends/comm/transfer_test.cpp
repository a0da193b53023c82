#include "support/harness.hpp"

#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif

#if EVENKEEL_HAS_MPI
// The number of times that MPI_Test reports a completed request as not completed. A rank may learn
// late of a completion, and of a send later than of its data. MPI's profiling interface lets a
// program replace MPI_Test.
static int lateness = 0;
static std::minstd_rand whims;

extern "C" int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (lateness > 0 && whims() % static_cast<unsigned>(lateness + 1) != 0) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  return PMPI_Test(request, flag, status);
}
#endif

namespace evenkeel::transfer_test {
namespace {

// Byte i of a message depends on everything that could be mixed up.
unsigned char byte_of(int from, int to, int message, std::size_t i) {
  return static_cast<unsigned char>(i * 7 +
                                    static_cast<std::size_t>(from * 31 + to * 17 + message * 5));
}

void move(const Communicator& communicator, const std::vector<Send>& sends,
          const std::vector<Receive>& receives) {
  Transfer(test::space(), communicator, sends, receives).run();
}

enum class Use { run, start_and_run, only_start };

// Sends three messages between each pair of ranks, itself included, of lengths around the piece
// size.
void exchange_everything(const Communicator& communicator, Use use = Use::run) {
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
  {
    Transfer transfer(test::space(), communicator, sends, receives);
    if (use != Use::run) transfer.start();
    if (use != Use::only_start) transfer.run();
  }
  for (std::size_t k = 0; k < incoming.size(); ++k)
    for (std::size_t i = 0; i < incoming[k].size(); ++i)
      ASSERT_EQ(incoming[k][i], byte_of(receives[k].from, rank, static_cast<int>(k % 3), i));
}

using TransferOn = test::OnRanks;
using TransferWorkOn = test::OnRanks;

TEST(Transfer, BetweenAllPairs) { exchange_everything(test::world({})); }

TEST(Transfer, StartsBeforeItRuns) {
  for (const bool is_staged : {false, true})
    for (const Use use : {Use::start_and_run, Use::only_start})
      exchange_everything(test::world({.stage_host_memory = is_staged}), use);
}

TEST(Transfer, InPieces) {
  exchange_everything(test::world({.piece_bytes = 64}));
  exchange_everything(test::world({.piece_bytes = 1}));
}

TEST(Transfer, ThroughStagingBuffers) {
  exchange_everything(test::world({.stage_host_memory = true}));
  exchange_everything(test::world({.piece_bytes = 64, .stage_host_memory = true}));
}

// EVENKEEL_TEST_HUGE_BYTES sets a size beyond 2^31 bytes (3221225472 is 3 GiB and needs 6 GiB of
// memory). By default the message is smaller, with proportionally smaller pieces.
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

// Rank 0 sends `sent` bytes, but rank 1 expects `expected`. Rank 1 must notice this, no rank may
// hang, and the next transfer must find no rest of the message.
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

TEST_F(TransferOn, BetweenArrays) {
  const Space space = Space::where(MemoryKind::shared);
  // Rank r sends r + 1 times its number to each rank.
  std::vector<Note<std::int64_t>> to, from;
  std::vector<int> values, expected;
  for (int r = 0; r < size; ++r) {
    to.push_back({r, rank + 1});
    from.push_back({r, r + 1});
    values.insert(values.end(), static_cast<std::size_t>(rank) + 1, rank);
    expected.insert(expected.end(), static_cast<std::size_t>(r) + 1, r);
  }
  const exec::Array<int> leaving(space, "test", std::span<const int>(values));
  const exec::Array<int> arriving(space, "test", std::ssize(expected));
  transfer_between(space, communicator, leaving, to, arriving, from).run();
  EXPECT_EQ(arriving.on_host(), expected);
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

// An impossible message is refused when the transfer is made, before any rank waits. The refusal on
// one rank goes through a vote, so no rank runs the transfer.
TEST_F(TransferOn, ARefusalOnOneRankHoldsNobodyUp) {
  char byte = 0;
  const std::vector<Send> sends(rank == size - 1 ? 1 : 0, Send{size, &byte, 1});
  const std::vector<Receive> receives(rank == 0 && size > 1 ? 1 : 0, Receive{size - 1, &byte, 1});
  const Status status = attempt(
      "test", [&] { const Transfer transfer(test::space(), communicator, sends, receives); });
  EXPECT_ERROR_EVERYWHERE(vote(communicator, status), "names rank " + std::to_string(size));
  exchange_everything(communicator);
}

TEST_F(TransferOn, RefusesWhatCannotBe) {
  char bytes[2] = {};
  const auto refuse = [&](const std::vector<Send>& sends, const std::vector<Receive>& receives,
                          const char* part) {
    EXPECT_ERROR(Transfer(test::space(), communicator, sends, receives), part);
  };
  refuse({{size, bytes, 1}}, {}, "names rank");
  refuse({}, {{-1, bytes, 1}}, "names rank -1");
  refuse({{0, bytes, -1}}, {}, "-1 bytes");
  refuse({{rank, bytes, 1}}, {}, "sends itself 1 bytes, but expects 0");
  refuse({{rank, bytes, 1}}, {{rank, bytes + 1, 2}}, "sends itself 1 bytes, but expects 2");
}

TEST(Transfer, SaysWhatItStages) {
  const Communicator communicator = test::world({.stage_host_memory = true});
  const int right = (communicator.rank() + 1) % communicator.size();
  const int left = (communicator.rank() + communicator.size() - 1) % communicator.size();
  char out[10] = "evenkeel.", in[10] = {};
  const Send send{right, out, 10};
  const Receive receive{left, in, 10};
  Transfer transfer(test::space(), communicator, std::span(&send, 1), std::span(&receive, 1));
  EXPECT_EQ(transfer.staging_bytes(), communicator.size() == 1 ? 0 : 128) << "in slots of 64 bytes";
  transfer.run();
  EXPECT_STREQ(in, out);
}

// --- Messages that are written and read when their turn comes ------------------------------------

// Up to four messages of up to `most` bytes between any two ranks, possibly zero. Some are in
// memory, others are made on demand.
struct Traffic {
  const Communicator& communicator;
  std::size_t most;
  int salt = 0;
  std::vector<std::vector<unsigned char>> outgoing = {}, incoming = {};
  std::vector<Send> sends = {};
  std::vector<Receive> receives = {};
  std::vector<int> number_of_send = {}, number_of_receive = {};  // among those of the pair

  Traffic(const Communicator& ranks, std::size_t most_bytes, int salt_of_all)
      : communicator(ranks), most(most_bytes), salt(salt_of_all) {
    const int rank = ranks.rank(), size = ranks.size();
    for (int partner = size - 1; partner >= 0; --partner) {
      if (partner == rank) continue;
      for (int message = 0; message < count(rank, partner); ++message) {
        const std::size_t bytes = length(rank, partner, message);
        outgoing.push_back(content(rank, partner, message, bytes));
        number_of_send.push_back(message);
        sends.push_back({partner, lies(rank, partner, message) ? outgoing.back().data() : nullptr,
                         static_cast<std::int64_t>(bytes)});
      }
      for (int message = 0; message < count(partner, rank); ++message) {
        const std::size_t bytes = length(partner, rank, message);
        incoming.emplace_back(bytes, static_cast<unsigned char>(0xEE));
        number_of_receive.push_back(message);
        receives.push_back({partner,
                            lies(partner, rank, message + 7) ? incoming.back().data() : nullptr,
                            static_cast<std::int64_t>(bytes)});
      }
    }
  }

  std::size_t draw(int from, int to, int message) const {
    std::minstd_rand random(
        static_cast<unsigned>(1 + from + 31 * to + 997 * message + 7001 * salt));
    random.discard(3);
    return random();
  }
  int count(int from, int to) const { return static_cast<int>(draw(from, to, -1) % 5); }
  std::size_t length(int from, int to, int message) const {
    return draw(from, to, message) % (most + 1);
  }
  bool lies(int from, int to, int message) const { return draw(from, to, 50 + message) % 3 == 0; }
  static std::vector<unsigned char> content(int from, int to, int message, std::size_t bytes) {
    std::vector<unsigned char> all(bytes);
    for (std::size_t i = 0; i < bytes; ++i) all[i] = byte_of(from, to, message, i);
    return all;
  }

  TransferWork work() {
    return {.fill = [&](std::size_t i,
                        std::byte* to) { std::memcpy(to, outgoing[i].data(), outgoing[i].size()); },
            .take =
                [&](std::size_t i, const std::byte* from) {
                  std::memcpy(incoming[i].data(), from, incoming[i].size());
                }};
  }
  void expect_arrived() const {
    for (std::size_t i = 0; i < incoming.size(); ++i)
      EXPECT_TRUE(incoming[i] == content(receives[i].from, communicator.rank(),
                                         number_of_receive[i], incoming[i].size()));
  }
};

struct Case {
  std::size_t most_bytes;
  TransferLimits limits;
};

constexpr Case cases[] = {{100, {}},
                          {100'000, {}},
                          {20'000, {.staging_bytes = 50'000}},
                          {100'000, {.staging_bytes = 1, .in_flight = 1}},
                          {100'000, {.in_flight = 2}},
                          {0, {.in_flight = 1}}};

void expect_traffic(const Communicator& communicator) {
  for (const Case& now : cases)
    for (int salt = 0; salt < 5; ++salt) {
      Traffic traffic(communicator, now.most_bytes, salt);
      Transfer transfer(test::space(), communicator, traffic.sends, traffic.receives, now.limits);
      const auto most = static_cast<std::int64_t>(now.most_bytes) + 64;
      EXPECT_LE(transfer.staging_bytes(), std::max(now.limits.staging_bytes, 4 * most));
      EXPECT_LE(transfer.staging_bytes(), 4 * now.limits.in_flight * most);
      int meanwhile = 0;
      TransferWork work = traffic.work();
      work.meanwhile = [&] { return ++meanwhile < 3; };
      transfer.run(work);
      traffic.expect_arrived();
      EXPECT_EQ(meanwhile, 3);
    }
}

TEST(TransferWork, MessagesThatAreMadeAndReadInTurn) {
  expect_traffic(test::world());
  expect_traffic(test::world({.piece_bytes = 1000}));
  expect_traffic(test::world({.stage_host_memory = true}));
}

// With many ranks and one message at a time, ranks must not wait for each other in a ring.
TEST_F(TransferWorkOn, OneInFlightIsEnough) {
  for (int salt = 100; salt < 120; ++salt) {
    Traffic traffic(communicator, 70'000, salt);
    Transfer(test::space(), communicator, traffic.sends, traffic.receives,
             {.staging_bytes = 0, .in_flight = 1})
        .run(traffic.work());
    traffic.expect_arrived();
  }
}

#if EVENKEEL_HAS_MPI
// The transfer must end for every order in which ranks learn of completions.
TEST_F(TransferWorkOn, EndsHoweverLateNoticesCome) {
  for (const int late : {1, 5, 50})
    for (int in_flight = 1; in_flight <= 3; ++in_flight)
      for (int salt = 0; salt < 6; ++salt) {
        Traffic traffic(communicator, 30'000, salt);
        Transfer transfer(test::space(), communicator, traffic.sends, traffic.receives,
                          {.staging_bytes = 1 << 20, .in_flight = in_flight});
        whims.seed(static_cast<unsigned>(1 + rank + 100 * salt));
        lateness = late;
        transfer.run(traffic.work());
        lateness = 0;
        traffic.expect_arrived();
      }
}

// Two ranks send each other many messages of equal size, so each always has a next message.
TEST_F(TransferWorkOn, APairThatAlwaysHasTheNextEndsToo) {
  const int partner = rank ^ 1;
  const std::size_t messages = partner < size ? 40 : 0;
  for (int in_flight = 1; in_flight <= 3; ++in_flight) {
    std::vector<std::vector<char>> in(messages, std::vector<char>(100'000)), out = in;
    std::vector<Send> sends;
    std::vector<Receive> receives;
    for (std::size_t i = 0; i < messages; ++i) {
      sends.push_back({partner, out[i].data(), std::ssize(out[i])});
      receives.push_back({partner, in[i].data(), std::ssize(in[i])});
    }
    Transfer transfer(test::space(), communicator, sends, receives, {.in_flight = in_flight});
    whims.seed(static_cast<unsigned>(7 + rank));
    lateness = 10;
    transfer.run();
    lateness = 0;
  }
}
#endif

// An exception from one rank's work is thrown on that rank. No rank may hang, and the next transfer
// must work.
TEST_F(TransferWorkOn, ThatThrowsHoldsNobodyUp) {
  for (int culprit = 0; culprit < size; ++culprit)
    for (const int stage : {0, 1, 2}) {
      Traffic traffic(communicator, 70'000, culprit);
      TransferWork work = traffic.work();
      const bool fails = rank == culprit;
      int calls = 0;
      const auto fail = [&] {
        ++calls;
        throw Error(ErrorKind::application, Where{"test"}, "No more.", "Stop.");
      };
      if (fails && stage == 0) work.fill = [&](std::size_t, std::byte*) { fail(); };
      if (fails && stage == 1) work.take = [&](std::size_t, const std::byte*) { fail(); };
      if (fails && stage == 2)
        work.meanwhile = [&] {
          fail();
          return true;
        };
      Transfer transfer(test::space(), communicator, traffic.sends, traffic.receives);
      const std::string text = test::error_of([&] { transfer.run(work); });
      EXPECT_MENTIONS(text, calls > 0 ? "No more." : "nothing was thrown");
      EXPECT_LE(calls, 1) << "no more work after the first failure";
    }
  exchange_everything(communicator);
}

TEST_F(TransferWorkOn, NoneInFlightIsRefused) {
  EXPECT_ERROR(Transfer(test::space(), communicator, {}, {}, {.in_flight = 0}),
               "would have 0 messages in flight. Set the limit to 1 or more.");
}

TEST_F(TransferWorkOn, RefusesToMakeWhatARankSendsItself) {
  const std::vector<Send> sends = {{rank, nullptr, 3}};
  char bytes[3];
  const std::vector<Receive> receives = {{rank, bytes, 3}};
  EXPECT_ERROR(Transfer(test::space(), communicator, sends, receives),
               "3 bytes without a data pointer");
}

}  // namespace
}  // namespace evenkeel::transfer_test
