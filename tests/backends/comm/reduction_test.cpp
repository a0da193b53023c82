#include "support/harness.hpp"

#include <evenkeel/backends/comm/reduction.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

namespace evenkeel {
namespace {

struct Totals {
  std::int64_t least, greatest;
  std::array<std::int64_t, 64> sums;
};

void combine(Totals& into, const Totals& from) noexcept {
  into.least = std::min(into.least, from.least);
  into.greatest = std::max(into.greatest, from.greatest);
  for (std::size_t i = 0; i < into.sums.size(); ++i) into.sums[i] += from.sums[i];
}

Totals of_rank(int rank) {
  Totals totals{rank, rank, {}};
  for (std::size_t i = 0; i < totals.sums.size(); ++i)
    totals.sums[i] = static_cast<std::int64_t>(i) * (rank + 1);
  return totals;
}

void expect_total(const Totals& totals, int size) {
  EXPECT_EQ(totals.least, 0);
  EXPECT_EQ(totals.greatest, size - 1);
  for (std::size_t i = 0; i < totals.sums.size(); ++i)
    EXPECT_EQ(totals.sums[i], static_cast<std::int64_t>(i) * size * (size + 1) / 2);
}

TEST(Reduction, Blocking) {
  const Communicator communicator = test::world();
  expect_total(all_reduce<&combine>(communicator, of_rank(communicator.rank())),
               communicator.size());
}

TEST(Reduction, NonBlockingCompletesByTests) {
  const Communicator communicator = test::world();
  auto pending = start_all_reduce<&combine>(communicator, of_rank(communicator.rank()));
  EXPECT_TRUE(pending);
  while (!pending.test()) std::this_thread::yield();
  EXPECT_TRUE(pending.test());  // again is harmless
  expect_total(pending.wait(), communicator.size());
}

// Posted and consumed at step counts: many in a row, each waited for two steps later, with other
// traffic on the same communicator in between.
TEST(Reduction, ManyInFlightInOrder) {
  const Communicator communicator = test::world();
  std::array<PendingReduction<Totals>, 2> pending;
  for (int step = 0; step < 200; ++step) {
    auto& slot = pending[static_cast<std::size_t>(step % 2)];
    if (slot) {
      const Totals& totals = slot.wait();
      EXPECT_EQ(totals.sums[1], std::int64_t{step - 2} * communicator.size());
    }
    Totals mine{};
    mine.sums[1] = step;
    slot = start_all_reduce<&combine>(communicator, mine);
    EXPECT_EQ(communicator.all_reduce(1, Reduction::sum), communicator.size());
  }
  for (auto& slot : pending) slot.wait();
}

// Prepared once, posted again and again.
TEST(Reduction, IsPreparedBeforeItIsPosted) {
  const Communicator communicator = test::world();
  auto reduction = prepare_all_reduce<&combine, Totals>(communicator);
  EXPECT_TRUE(reduction);
  EXPECT_FALSE(reduction.is_under_way());
  for (int round = 1; round <= 20; ++round) {
    Totals mine{};
    mine.sums[2] = round;
    reduction.start(mine);
    EXPECT_EQ(communicator.all_reduce(1, Reduction::sum), communicator.size());
    EXPECT_EQ(reduction.wait().sums[2], std::int64_t{round} * communicator.size());
    EXPECT_FALSE(reduction.is_under_way());
  }
}

TEST(Reduction, TheResultOutlivesTheCommunicator) {
  std::optional<Communicator> communicator(test::world());
  const int size = communicator->size();
  auto pending = start_all_reduce<&combine>(*communicator, of_rank(communicator->rank()));
  pending.wait();
  communicator.reset();
  expect_total(pending.wait(), size);
}

TEST(Reduction, AnEmptyOneIsAnError) {
  PendingReduction<Totals> none;
  EXPECT_FALSE(none);
  EXPECT_ERROR(none.wait(), "no reduction here");
  EXPECT_ERROR(none.test(), "no reduction here");
}

TEST(Reduction, MayFinishAfterItsCommunicatorWasLetGo) {
  std::optional<Communicator> communicator(test::world());
  const int size = communicator->size();
  auto pending = start_all_reduce<&combine>(*communicator, of_rank(communicator->rank()));
  communicator.reset();
  expect_total(pending.wait(), size);
}

// One rank throws between posting and completion: its destructors must not communicate, and the
// others are not made to wait by them.
TEST(Reduction, LetGoWhileUnwinding) {
  const Communicator outer = test::world();
  const auto leave = [&] {
    const Communicator communicator = outer.duplicate();
    auto pending = start_all_reduce<&combine>(communicator, of_rank(communicator.rank()));
    throw std::runtime_error("the application gives up");
  };
  EXPECT_THROW(leave(), std::runtime_error);
  EXPECT_EQ(outer.all_reduce(1, Reduction::sum), outer.size());
}

}  // namespace
}  // namespace evenkeel
