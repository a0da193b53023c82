#include "support/harness.hpp"

#include <evenkeel/backends/comm/reduction.hpp>

#include <chrono>

namespace evenkeel::reduction_test {
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

using ReductionOn = test::OnRanks;

TEST_F(ReductionOn, Blocking) {
  expect_total(all_reduce<&combine>(communicator, of_rank(rank)), size);
}

TEST_F(ReductionOn, NonBlockingCompletesByTests) {
  auto pending = start_all_reduce<&combine>(communicator, of_rank(rank));
  EXPECT_TRUE(pending);
  while (!pending.test()) std::this_thread::yield();
  EXPECT_TRUE(pending.test());  // a second call is harmless
  expect_total(pending.wait(), size);
}

// Posts many reductions in a row, and completes each two steps later. There is other traffic on the
// same communicator in between.
TEST_F(ReductionOn, ManyInFlightInOrder) {
  std::array<PendingReduction<Totals>, 2> pending;
  for (int step = 0; step < 200; ++step) {
    auto& slot = pending[static_cast<std::size_t>(step % 2)];
    if (slot) {
      const Totals& totals = slot.wait();
      EXPECT_EQ(totals.sums[1], std::int64_t{step - 2} * size);
    }
    Totals mine{};
    mine.sums[1] = step;
    slot = start_all_reduce<&combine>(communicator, mine);
    EXPECT_EQ(communicator.all_reduce(1, Reduction::sum), size);
  }
  for (auto& slot : pending) slot.wait();
}

// A reduction is prepared once and posted many times.
TEST_F(ReductionOn, IsPreparedBeforeItIsPosted) {
  auto reduction = prepare_all_reduce<&combine, Totals>(communicator);
  EXPECT_TRUE(reduction);
  EXPECT_FALSE(reduction.is_under_way());
  for (int round = 1; round <= 20; ++round) {
    Totals mine{};
    mine.sums[2] = round;
    reduction.start(mine);
    EXPECT_EQ(communicator.all_reduce(1, Reduction::sum), size);
    EXPECT_EQ(reduction.wait().sums[2], std::int64_t{round} * size);
    EXPECT_FALSE(reduction.is_under_way());
  }
}

TEST(Reduction, OutlivesItsCommunicatorBeforeAndAfterItEnds) {
  for (const bool has_ended : {false, true}) {
    std::optional<Communicator> communicator(test::world());
    auto pending = start_all_reduce<&combine>(*communicator, of_rank(communicator->rank()));
    if (has_ended) pending.wait();
    communicator.reset();
    expect_total(pending.wait(), test::size());
  }
}

TEST(Reduction, AnEmptyOneIsAnError) {
  PendingReduction<Totals> none;
  EXPECT_FALSE(none);
  EXPECT_ERROR(none.wait(), "holds no reduction");
  EXPECT_ERROR(none.test(), "holds no reduction");
}

// One rank throws between posting and completion. Its destructors must not communicate, and must
// not make the other ranks wait.
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
}  // namespace evenkeel::reduction_test
