// Blocks are made, split, merged and removed. Tests their expected costs, and the account of a run
// against the program's own record.

#include "monitor/drive/block_balancer/simulation.hpp"

#include <Kokkos_Core.hpp>

namespace evenkeel::block_lives_test {
namespace {

using namespace test;

constexpr double per_second = 1e9;

// --- Expected costs ------------------------------------------------------------------------------

class ExpectedCosts : public BlockBalancing {
 protected:
  // Describes the blocks of the simulation, and lets the balancer expect their costs.
  void expect_costs(BlockBalancer& balancer) const {
    balancer.describe(simulation.described());
    if (balancer.propose()) balancer.drop();
  }
  void expect_seconds(const BlockBalancer& balancer, std::int64_t id, double nanoseconds,
                      double share = 1e-9) const {
    if (simulation.blocks.at(id).owner != rank) return;
    EXPECT_NEAR(balancer.seconds_of(id) * per_second, nanoseconds, share * nanoseconds) << id;
  }
};

TEST_F(ExpectedCosts, AreUnknownAtFirst) {
  simulation.add_evenly(3, [](std::int64_t id) { return 1000 + id; });
  BlockBalancer balancer(communicator, with(Never{}));
  expect_costs(balancer);
  for (const auto& [id, block] : simulation.blocks) expect_seconds(balancer, id, 0);
  measure(balancer);
  for (const auto& [id, block] : simulation.blocks)
    expect_seconds(balancer, id, static_cast<double>(block.cost));
  EXPECT_EQ(balancer.seconds_of(4711), 0);
  balancer.finish();
}

// The program measures some blocks itself, in two parts and in another order.
TEST_F(ExpectedCosts, MayBeMeasuredByTheProgram) {
  simulation.add_evenly(4, [](std::int64_t id) { return 1000 + 10 * id; });
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  for (int step = 0; step < 13; ++step) {
    for (auto block = simulation.blocks.rbegin(); block != simulation.blocks.rend(); ++block) {
      const auto& [id, simulated] = *block;
      if (simulated.owner != rank) continue;
      if (id % 2 == 0) {
        const auto timing = balancer.time_block(id);
        virtual_time += simulated.cost;
      } else {
        virtual_time += simulated.cost;
        balancer.add_cost(id, 300e-9);
        balancer.add_cost(id, static_cast<double>(simulated.cost - 300) * 1e-9);
      }
    }
    balancer.step();
  }
  for (const auto& [id, block] : simulation.blocks)
    expect_seconds(balancer, id, static_cast<double>(block.cost));
  balancer.finish();
  EXPECT_NEAR(balancer.metrics().coverage, 1, 1e-9);
}

// Another program uses the core during one step of one block.
TEST_F(ExpectedCosts, AreThoseOfUndisturbedSteps) {
  simulation.add_evenly(4, [](std::int64_t id) { return 1000 + 10 * id; });
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  for (int step = 0; step < 6; ++step) {
    simulation.work(balancer);
    if (step == 3) {
      const auto timing = balancer.time_block(4 * rank);
      virtual_time += 1000000;
    }
    balancer.step();
  }
  for (const auto& [id, block] : simulation.blocks)
    expect_seconds(balancer, id, static_cast<double>(block.cost));
  balancer.finish();
}

// One block works in every third step only.
TEST_F(ExpectedCosts, AreMeansIfABlockWorksNowAndThen) {
  simulation.add_evenly(4, [](std::int64_t) { return std::int64_t{1000}; });
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  for (int step = 0; step < 60; ++step) {
    for (const std::int64_t id : simulation.ids()) {
      if (id % 4 == 0 && step % 3 != 0) continue;
      const auto timing = balancer.time_block(id);
      virtual_time += 1000;
    }
    balancer.step();
  }
  for (const auto& [id, block] : simulation.blocks)
    expect_seconds(balancer, id, id % 4 == 0 ? 1000 / 3.0 : 1000, 0.03);
  balancer.finish();
}

TEST_F(ExpectedCosts, AreMeasuredOnInstances) {
  simulation.add_evenly(2, [](std::int64_t id) { return 1000 + id; });
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  for (int step = 0; step < 6; ++step) {
    for (const std::int64_t id : simulation.ids()) {
      const auto timing = balancer.time_block(id, Kokkos::DefaultHostExecutionSpace());
      virtual_time += simulation.blocks[id].cost;
    }
    balancer.step();
  }
  for (const auto& [id, block] : simulation.blocks)
    expect_seconds(balancer, id, static_cast<double>(block.cost));
  balancer.finish();
}

TEST_F(ExpectedCosts, AreTheMeanForABlockFromNowhere) {
  simulation.add_evenly(2, [](std::int64_t id) { return 1000 * (1 + id % 2); });
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  simulation.add(500, size - 1, 7);
  expect_costs(balancer);
  expect_seconds(balancer, 500, 1500);
  balancer.finish();
}

TEST_F(ExpectedCosts, AreSharesOfAParentOrSumsOfMergedBlocks) {
  simulation.add_evenly(3, [](std::int64_t id) { return 900 + 100 * id; });
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  const std::int64_t last = 3 * size - 1;
  simulation.split(0, {100, 101, 102});
  simulation.blocks.erase(last);  // two blocks merge, one of them on another rank
  simulation.blocks.erase(1);
  simulation.add(200, 0, 0, {.made_from = {last, 1}});
  expect_costs(balancer);
  for (const std::int64_t child : {100, 101, 102}) expect_seconds(balancer, child, 300);
  expect_seconds(balancer, 200, 1000 + 900 + 100 * static_cast<double>(last));
  // A grandchild whose parent was never timed.
  simulation.split(101, {300, 301});
  expect_costs(balancer);
  expect_seconds(balancer, 300, 150);
  balancer.finish();
}

// A block takes 2 ns for each cell, with one layer of ghost cells, and 500 ns more.
double patch_cost(const std::array<std::int64_t, 3>& cells) {
  double product = 2;
  for (const std::int64_t side : cells) product *= static_cast<double>(side + 2);
  return product + 500;
}

TEST_F(ExpectedCosts, FollowCellsWithGhosts) {
  const std::vector<std::array<std::int64_t, 3>> sizes = {{8, 8, 8},   {16, 8, 8},  {8, 16, 8},
                                                          {16, 16, 8}, {8, 8, 16},  {16, 8, 16},
                                                          {8, 16, 16}, {16, 16, 16}};
  std::int64_t id = 0;
  for (int copy = 0; copy < size; ++copy)
    for (const auto& cells : sizes)
      simulation.add(id++, copy, std::llround(patch_cost(cells)), {.cells = cells});
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  simulation.add(500, size - 1, 0, {.cells = {10, 10, 10}});
  simulation.add(501, 0, 0, {.cells = {6, 12, 18}});
  expect_costs(balancer);
  expect_seconds(balancer, 500, patch_cost({10, 10, 10}), 0.02);
  expect_seconds(balancer, 501, patch_cost({6, 12, 18}), 0.02);
  balancer.finish();
}

// All timed blocks have the same size, so nothing but the cells can explain their cost.
TEST_F(ExpectedCosts, AreInProportionToCellsIfAllSizesAreEqual) {
  for (std::int64_t id = 0; id < 4 * size; ++id)
    simulation.add(id, int(id / 4), 4096, {.cells = {16, 16, 16}});
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  simulation.add(500, 0, 0, {.cells = {16, 16, 16}});
  simulation.add(501, 0, 0, {.cells = {8, 8, 8}});
  expect_costs(balancer);
  expect_seconds(balancer, 500, 4096, 0.01);
  expect_seconds(balancer, 501, 512, 0.05);
  balancer.finish();
}

// A parent that costs three times as much as its cells say has such children.
TEST_F(ExpectedCosts, FollowTheParentAndTheCells) {
  for (std::int64_t id = 0; id < 9 * size; ++id)
    simulation.add(id, int(id / 9), id == 0 ? 12288 : 4096, {.cells = {16, 16, 16}});
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  simulation.split(0, {100, 101});
  for (const std::int64_t child : {100, 101})
    simulation.blocks[child].info.cells = {16, 16, 16};  // as many cells as the parent, but finer
  simulation.split(1, {200, 201});
  for (const std::int64_t child : {200, 201}) simulation.blocks[child].info.cells = {16, 16, 8};
  expect_costs(balancer);
  expect_seconds(balancer, 100, 12288, 0.01);
  expect_seconds(balancer, 200, 2048, 0.05);
  balancer.finish();
}

TEST_F(ExpectedCosts, FollowWeights) {
  for (std::int64_t id = 0; id < 4 * size; ++id)
    simulation.add(id, int(id / 4), 700 * (1 + id % 2), {.weight = double(1 + id % 2)});
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  simulation.add(500, size - 1, 0, {.weight = 5});
  expect_costs(balancer);
  expect_seconds(balancer, 500, 3500);
  balancer.finish();
}

// The costs and the ranks of a block go with its id, also if the program itself moves it.
TEST_F(ExpectedCosts, GoWithTheId) {
  simulation.add_evenly(3, [](std::int64_t id) { return 1000 + id; });
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  for (auto& [id, block] : simulation.blocks) block.owner = (block.owner + 1) % size;
  balancer.describe(simulation.described());
  for (const auto& [id, block] : simulation.blocks)
    expect_seconds(balancer, id, static_cast<double>(block.cost));
  balancer.finish();
}

// --- The account ---------------------------------------------------------------------------------

class BlockAccounts : public BlockBalancing {
 protected:
  // Adds up what a run takes, and what it would take if blocks had stayed.
  struct Record {
    std::int64_t actual = 0, never = 0;
  };
  void add_step(Record& record) const {
    record.actual += std::ranges::max(simulation.loads());
    record.never += std::ranges::max(simulation.loads(&SimulatedBlock::first));
  }
  void step(BlockBalancer& balancer, const StepOptions& how = {}) {
    simulation.work(balancer);
    const auto wanted = balancer.step(how);
    if (!wanted) return;
    simulation.move_to(*wanted);
    balancer.accept();
  }
};

TEST_F(BlockAccounts, AreExact) {
  for (const Trigger& trigger :
       {Trigger(Threshold{.lambda = 1.1}), Trigger(CostAware{}), Trigger(Never{})}) {
    SCOPED_TRACE(to_text(trigger));
    simulation.blocks.clear();
    simulation.add_evenly(12, [](std::int64_t id) { return id < 12 ? 3000 + id : 1000 + 7 * id; });
    BlockBalancer balancer(communicator, with(trigger));
    const Kernel other = balancer.kernel("other");  // its load stays with its rank
    balancer.describe(simulation.described());
    Record record;
    for (int i = 0; i < 100; ++i) {
      add_step(record);
      spend(other, 500);
      step(balancer);
    }
    balancer.finish();
    const Account account = balancer.account();
    EXPECT_NEAR(account.actual, static_cast<double>(record.actual + 100 * 500) / per_second, 1e-9);
    EXPECT_NEAR(account.never, static_cast<double>(record.never + 100 * 500) / per_second, 1e-9);
    EXPECT_EQ(balancer.generation() > 0, size > 1 && trigger.index() != Trigger(Never{}).index());
  }
}

// A run that moves nothing knows what moving blocks would have saved.
TEST_F(BlockAccounts, KnowWhatAdviceWouldSave) {
  std::array<Account, 2> accounts;
  for (const bool follows : {false, true}) {
    simulation.blocks.clear();
    simulation.add_evenly(12, [](std::int64_t id) { return id < 12 ? 4000 : 1000; });
    BlockBalancer balancer(communicator, with(follows ? Trigger(CostAware{}) : Trigger(Never{})));
    balancer.describe(simulation.described());
    for (int i = 0; i < 200; ++i) step(balancer);
    balancer.finish();
    accounts[follows ? 1 : 0] = balancer.account();
  }
  const double saved = accounts[0].actual - accounts[1].actual;
  EXPECT_EQ(saved > 0, size > 1);
  EXPECT_NEAR(accounts[0].advised, saved, 0.1 * saved);
}

// A front moves over blocks, which become expensive and cheap again.
TEST_F(BlockAccounts, AreNearlyExactIfCostsMove) {
  simulation.add_evenly(12, [](std::int64_t) { return std::int64_t{1000}; });
  BlockBalancer balancer(communicator, with(CostAware{}));
  balancer.describe(simulation.described());
  Record record;
  for (int i = 0; i < 400; ++i) {
    for (auto& [id, block] : simulation.blocks) {
      const double at = 12.0 * size * i / 400, away = (static_cast<double>(id) - at) / 6;
      block.cost = std::llround(1000 * (1 + 8 * std::exp(-away * away)));
    }
    add_step(record);
    step(balancer);
  }
  balancer.finish();
  const Account account = balancer.account();
  EXPECT_NEAR(account.actual, static_cast<double>(record.actual) / per_second, 1e-9);
  EXPECT_NEAR(account.never, static_cast<double>(record.never) / per_second, 0.01 * account.never);
  if (size > 1) {
    EXPECT_GT(account.saved(), 0.3 * (account.never - account.mean));
  }
}

// Children count where their parents would be.
TEST_F(BlockAccounts, FollowBlocksThatAreSplitAndMerged) {
  simulation.add_evenly(8, [](std::int64_t id) { return id < 8 ? 4000 : 1000; });
  BlockBalancer balancer(communicator, with(Threshold{.lambda = 1.1}));
  balancer.describe(simulation.described());
  Record record;
  std::int64_t next_id = 1000;
  for (int i = 1; i <= 200; ++i) {
    add_step(record);
    simulation.work(balancer);
    const bool changes = i % 20 == 0;
    if (changes) {  // the first block that costs at least 2000 is split
      for (const auto& [id, block] : simulation.blocks)
        if (block.cost >= 2000) {
          simulation.split(id, {next_id, next_id + 1});
          next_id += 2;
          break;
        }
      balancer.describe(simulation.described());
    }
    const auto wanted = balancer.step({.changed = changes});
    if (!wanted) continue;
    simulation.move_to(*wanted);
    balancer.accept();
  }
  balancer.finish();
  EXPECT_NEAR(balancer.account().actual, static_cast<double>(record.actual) / per_second, 1e-9);
  EXPECT_NEAR(balancer.account().never, static_cast<double>(record.never) / per_second,
              1e-3 * balancer.account().never);
}

// --- A long life ---------------------------------------------------------------------------------

// Blocks are made, split, merged and removed at random, on random ranks. Proposals are accepted or
// dropped at random.
TEST_F(BlockAccounts, SurviveALongLife) {
  constexpr int steps = 600;
  std::mt19937 dice(4711);
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(dice() % static_cast<std::uint32_t>(end));
  };
  simulation.add_evenly(4, [](std::int64_t id) { return 500 + 31 * id; });
  BlockBalancer balancer(communicator, with(Threshold{.lambda = 1.05}));
  balancer.describe(simulation.described());
  std::int64_t next_id = 1 << 20;
  int accepted = 0;
  for (int i = 1; i <= steps; ++i) {
    simulation.work(balancer);
    const bool changes = below(5) == 0;
    if (changes) {
      auto first = simulation.blocks.begin();
      if (first != simulation.blocks.end())
        std::advance(first, below(std::ssize(simulation.blocks)));
      switch (simulation.blocks.size() < 2 ? 0 : below(4)) {
        case 0:
          simulation.add(next_id++, static_cast<int>(below(size)), 500 + below(4000),
                         {.bytes = double(below(100)), .weight = double(below(3))});
          break;
        case 1: simulation.blocks.erase(first); break;
        case 2:
          simulation.split(first->first, {next_id, next_id + 1});
          next_id += 2;
          break;
        default: {
          const SimulatedBlock one = first->second;
          simulation.blocks.erase(first);
          const SimulatedBlock two = simulation.blocks.begin()->second;
          simulation.blocks.erase(simulation.blocks.begin());
          simulation.add(next_id++, static_cast<int>(below(size)), one.cost + two.cost,
                         {.made_from = {one.id, two.id}});
        }
      }
      balancer.describe(simulation.described());
    }
    const auto wanted = balancer.step({.changed = changes && below(2) == 0});
    EXPECT_EQ(balancer.ids(), simulation.ids());
    if (!wanted) continue;
    expect_consistent(*wanted);
    if (below(4) == 0) {
      balancer.drop();
      continue;
    }
    simulation.move_to(*wanted);
    balancer.accept(simulation.ids());
    ++accepted;
  }
  balancer.finish();
  EXPECT_EQ(balancer.generation(), accepted);
  EXPECT_EQ(accepted > 5, size > 1);
}

}  // namespace
}  // namespace evenkeel::block_lives_test
