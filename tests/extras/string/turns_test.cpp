// Tests turns on a node: no two ranks of a node may work at the same time, all ranks must work even
// if nodes differ, and the memory of a trade must stay below the predicted peak.

#include "support/harness.hpp"

#include <evenkeel/extras/string.hpp>

namespace evenkeel::turns_test {
namespace {

class Turns : public test::OnRanks {};

#if EVENKEEL_HAS_MPI

// Numbers on rank 0. All ranks can add to them at once.
class Shared {
 public:
  Shared() {
    MPI_Win_allocate(2 * sizeof(std::int64_t), sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &values_, &window_);
    values_[0] = values_[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window_);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  // Adds to the first number. The second number keeps the greatest value of the first.
  void add(std::int64_t amount) {
    std::int64_t before = 0;
    MPI_Fetch_and_op(&amount, &before, MPI_INT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    const std::int64_t now = before + amount;
    MPI_Accumulate(&now, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, MPI_MAX, window_);
    MPI_Win_flush(0, window_);
  }
  std::int64_t greatest() {
    MPI_Barrier(MPI_COMM_WORLD);
    std::int64_t none = 0, value = 0;
    MPI_Fetch_and_op(&none, &value, MPI_INT64_T, 0, 1, MPI_NO_OP, window_);
    MPI_Win_flush(0, window_);
    MPI_Barrier(MPI_COMM_WORLD);
    return value;
  }

 private:
  std::int64_t* values_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

TEST_F(Turns, OneRankOfANodeAfterTheOther) {
  for (const int nodes : {1, 2, size}) {
    Shared at_work;
    int removed = 0, added = 0, transferred = 0;
    const auto work = [&](int& done) {
      at_work.add(1);
      ++done;
      at_work.add(-1);
    };
    trade_in_turns(communicator, rank % nodes,
                   {[&] { work(removed); }, [&] { ++transferred; }, [&] { work(added); }});
    EXPECT_EQ(removed, 1);
    EXPECT_EQ(transferred, 1);
    EXPECT_EQ(added, 1);
    EXPECT_LE(at_work.greatest(), std::min(nodes, size));
  }
}

// Counts the memory of a trade on all ranks together. Items are numbers.
TEST_F(Turns, KeepTheMemoryOfATradeBelowItsPeak) {
  const std::int64_t items = rank == 0 ? 800 : 100 + 10 * rank;
  const Trade trade = trade_on_string(communicator, {static_cast<double>(items), items});
  const std::int64_t given = trade.to_left + trade.to_right;
  const std::int64_t received = trade.from_left + trade.from_right;
  const std::vector<TradeMemory> all = communicator.all_gather(TradeMemory{items, given, received});
  Shared memory;
  memory.add(items);
  communicator.barrier();
  const TradeSteps steps = {[&] {
                              memory.add(given);
                              memory.add(items - given);
                              memory.add(-items);
                            },
                            [&] {
                              memory.add(received);
                              communicator.barrier();  // the peak: all arrays exist at once
                              memory.add(-given);
                            },
                            [&] {
                              memory.add(items - given + received);
                              memory.add(-(items - given) - received);
                            }};
  trade_in_turns(communicator, 0, steps);
  const std::int64_t peak = memory.greatest();
  EXPECT_LE(peak, memory_peak(all, true));
  EXPECT_EQ(peak, memory_peak(all, true)) << "the promise is no higher than need be";
  if (size > 1) {
    EXPECT_LT(memory_peak(all, true), memory_peak(all, false));
  }
}

#endif

TEST(MemoryPeak, ByHand) {
  const std::vector<TradeMemory> ranks = {{100, 40, 0}, {20, 0, 30}, {20, 0, 10}};
  EXPECT_EQ(memory_peak(ranks, true), 240);  // 140, and the first again
  EXPECT_EQ(memory_peak(ranks, false), 280);
  EXPECT_EQ(memory_peak(std::vector<TradeMemory>{{10, 0, 90}}, true), 200);  // while adding
  EXPECT_EQ(memory_peak(std::vector<TradeMemory>{{100, 100, 100}, {1, 1, 1}}, true), 202);
  EXPECT_EQ(memory_peak({}, true), 0);
}

TEST_F(Turns, AFailureIsTheSameErrorOnAllRanksAndEndsTheTrade) {
  for (int culprit = 0; culprit < size; ++culprit)
    for (const int failing : {0, 1, 2}) {
      std::vector<int> done(3);
      const auto step = [&](int index) {
        return [&, index] {
          ++done[static_cast<std::size_t>(index)];
          if (index == failing && rank == culprit) throw std::runtime_error("The anchor is down.");
        };
      };
      EXPECT_ERROR_EVERYWHERE(trade_in_turns(communicator, 0, {step(0), step(1), step(2)}),
                              "The anchor is down.");
      for (int index = 0; index < 3; ++index)
        EXPECT_EQ(done[static_cast<std::size_t>(index)], index <= failing ? 1 : 0);
    }
  EXPECT_NO_THROW(trade_in_turns(communicator, 0, {}));
}

TEST_F(Turns, RanksOfOneHostHaveOneNumber) {
  const std::int64_t node = node_of(communicator);
  EXPECT_EQ(node, 0);  // a test runs on one host
}

}  // namespace
}  // namespace evenkeel::turns_test
