// On one rank, every allocation of a rebalance and of the steps around a look is refused in turn,
// and every MPI call fails once; see sweep.hpp. Also, a wrong count must not exhaust the memory.

#include "monitor/drive/balancer/sweep.hpp"

#include <malloc.h>

namespace evenkeel::sweep_test {
namespace {

using namespace test;
#if EVENKEEL_HAS_MPI
#endif

const Scenario scenarios[] = {
    {"rebalance, Hilbert", Hilbert{}, false, false, false, 0, 5},
    {"rebalance, Hilbert, first", Hilbert{}, false, true, false, 0, 17},
    {"rebalance, Hilbert, kept", Hilbert{}, false, false, false, 1.5, 17},
    {"rebalance, Hilbert, groups", Hilbert{}, true, false, false, 0, 17},
    {"rebalance, Staggered", Staggered{}, false, false, false, 0, 5},
    {"rebalance, Staggered, kept", Staggered{}, false, false, false, 1.5, 17},
    {"rebalance, RecursiveBisection", RecursiveBisection{}, false, false, false, 0, 17},
    {"rebalance, Tensor", Tensor{}, false, false, false, 0, 23},
    {"rebalance, Hilbert, hooks", Hilbert{}, false, false, false, 0, 17, false, false, false, true},
    {"migrate, Hilbert", Hilbert{}, false, false, false, 0, 7, false, true, true},
    {"migrate, Staggered", Staggered{}, false, false, false, 0, 7, false, true, true},
    {"migrate, Hilbert, payload", Hilbert{}, false, false, false, 0, 23, false, true},
    {"steps, Hilbert", Hilbert{}, false, false, true, 1.05, 17},
    {"steps, Staggered", Staggered{}, false, false, true, 1.05, 17},
    {"steps, Hilbert, watcher", Hilbert{}, false, false, true, 1.05, 29, true},
};

std::string name_of_scenario(const testing::TestParamInfo<Scenario>& scenario) {
  std::string name = scenario.param.name;
  std::erase_if(name, [](char c) { return c == ',' || c == ' '; });
  return name;
}

class RefusedMemory : public Sweep, public testing::WithParamInterface<Scenario> {};

TEST_P(RefusedMemory, Once) { refuse_memory(GetParam(), false); }
TEST_P(RefusedMemory, ForGood) { refuse_memory(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(All, RefusedMemory, testing::ValuesIn(scenarios), name_of_scenario);

// --- MPI -----------------------------------------------------------------------------------------

#if EVENKEEL_HAS_MPI

// If a rank cannot take part in one of these calls, it cannot notify the others, which are already
// waiting in it.
bool may_hang(Call call) {
  switch (call) {
    case Call::allreduce:
    case Call::exscan:
    case Call::broadcast:
    case Call::allgather:
    case Call::allgatherv:
    case Call::gatherv:
    case Call::barrier: return true;
    default: return false;
  }
}

class FailedCalls : public Sweep, public testing::WithParamInterface<Scenario> {};

TEST_P(FailedCalls, Once) {
  const Scenario& scenario = GetParam();
  for (int c = 0; c < static_cast<int>(Call::count); ++c) {
    const auto call = static_cast<Call>(c);
    const char* const name = test::names_of_calls[static_cast<std::size_t>(c)];
    // Finding a hang takes long, so a sample of tries has few of them.
    const bool is_sampled = scenario.looks == (call == Call::allreduce);
    if (may_hang(call) && !is_whole() && !is_sampled) continue;
    const int stride = stride_of(may_hang(call) ? 1000 : 5);
    Tally tally;
    for (int culprit = 0; culprit < size; ++culprit) {
      if (!is_whole() && culprit != size / 2) continue;
      for (std::int64_t n = 1;; n += stride) {
        const std::string what = std::string(scenario.name) + ", " + name + ' ' +
                                 std::to_string(n) + ", rank " + std::to_string(culprit);
        const bool goes_on = one_try(
            scenario, culprit, what, [&] { Harbour::here().arm(call, n, false); },
            [] { return Harbour::here().failed() > 0; }, tally, may_hang(call));
        if (!goes_on) break;
      }
    }
    finish_quietly();
    if (rank == 0 && tally != Tally()) tally.print(std::string(scenario.name) + ", " + name);
  }
}

// After some call, every test of a reduction fails. The other ranks may wait then. The rank on
// which MPI fails must not: after a while it must throw.
TEST_F(Sweep, ATestThatFailsForGoodIsTold) {
  if (size == 1) GTEST_SKIP() << "no rank to wait for";
  const Scenario steps = {"steps, Hilbert", Hilbert{}, false, false, true, 1.05, 17};
  Tally tally;
  EXPECT_TRUE(one_try(
      steps, size / 2, "MPI_Test and all later", [] { Harbour::here().arm(Call::test, 1, true); },
      [] { return Harbour::here().failed() > 0; }, tally, true));
  EXPECT_EQ(tally.of[static_cast<std::size_t>(test::Outcome::documented)], 1);
  finish_quietly();
}

INSTANTIATE_TEST_SUITE_P(All, FailedCalls, testing::ValuesIn(scenarios), name_of_scenario);

#endif

// --- Memory that is not allocated, or is freed ---------------------------------------------------

class MemoryOfARebalance : public Sweep {};

TEST_F(MemoryOfARebalance, IsNotMadeByAWrongCount) {
  for (const bool has_stepped : {false, true})
    for (int culprit = 0; culprit < size; ++culprit) {
      Balancer mine(*communicator, {.log = LogLevel::off});
      cloud.load(*communicator);
      long owned = static_cast<long>(cloud.id.size());
      const Set cells = set(cloud.x, carry(cloud.id, cloud.heat), {.count = &owned});
      if (has_stepped) mine.step(cells, {});
      mine.rebalance(std::span(&cells, 1));
      const long right = std::exchange(owned, rank == culprit ? 1000000000000 : owned);
      refusals.arm(0, false);
      const std::string text = test::error_of([&] { mine.rebalance(std::span(&cells, 1)); });
      refusals.disarm();
      EXPECT_MENTIONS(text,
                      "rank " + std::to_string(culprit) + ": core/field: The position 'x' has ");
      EXPECT_MENTIONS(text, "but the set has 1000000000000.");
      EXPECT_TRUE(test::same_everywhere(*communicator, text));
      EXPECT_LT(refusals.greatest, std::size_t{1} << 22);
      owned = right;
      EXPECT_NO_THROW(mine.rebalance(std::span(&cells, 1)));
    }
}

#ifndef EVENKEEL_TEST_SANITIZED
TEST_F(MemoryOfARebalance, IsGivenBackAfterAnError) {
  if (size == 1) GTEST_SKIP() << "nothing moves";
  constexpr std::size_t many = 200000;
  std::vector<std::array<double, 3>> x(many);
  for (std::size_t i = 0; i < many; ++i)
    for (int d = 0; d < 3; ++d)
      x[i][static_cast<std::size_t>(d)] =
          everywhere.coordinate(static_cast<std::int64_t>(i) * size + rank, d);
  Balancer mine(*communicator, {.trigger = Never{}, .log = LogLevel::off});
  bool is_locked = true;
  mine.before_move([&] {
    if (is_locked && rank == 0) throw std::runtime_error("locked");
  });
  mine.step(x);
  EXPECT_ERROR(mine.rebalance(x), "locked");  // allocates memory that stays, such as MPI's
  const auto in_use = [] {
    const struct mallinfo2 now = mallinfo2();
    return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
  };
  const std::int64_t before = in_use();
  for (int turn = 0; turn < 3; ++turn) EXPECT_ERROR(mine.rebalance(x), "locked");
  EXPECT_LT(in_use() - before, std::int64_t{many});  // less than a byte for each object
  is_locked = false;
  EXPECT_TRUE(mine.rebalance(x));
}
#endif

}  // namespace
}  // namespace evenkeel::sweep_test
