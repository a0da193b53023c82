// Tests proposals to a program that moves its blocks itself, and their errors.

#include "monitor/drive/block_balancer/simulation.hpp"
#include "support/scratch.hpp"

#include <fstream>

namespace evenkeel::block_proposals_test {
namespace {

using namespace test;

class BlockProposals : public BlockBalancing {};

// Every third block costs four times as much, and blocks of rank 0 cost twice as much.
std::int64_t uneven(std::int64_t id) { return 1000 * (id % 3 == 0 ? 4 : 1) * (id < 12 ? 2 : 1); }

TEST_F(BlockProposals, FollowTheTriggerAndTheCosts) {
  for (const Trigger& trigger : {Trigger(Threshold{.lambda = 1.1}), Trigger(CostAware{})}) {
    SCOPED_TRACE(to_text(trigger));
    simulation.add_evenly(12, &uneven);
    BlockBalancer balancer(communicator, with(trigger));
    balancer.describe(simulation.described());
    int proposals = 0;
    for (int step = 1; step <= 60; ++step) {
      simulation.work(balancer);
      const auto wanted = balancer.step();
      EXPECT_EQ(wanted.has_value(), balancer.has_proposal());
      if (!wanted) continue;
      ++proposals;
      expect_consistent(*wanted);
      EXPECT_NEAR(wanted->lambda_before, simulation.lambda(), 1e-9);
      simulation.move_to(*wanted);
      EXPECT_NEAR(wanted->lambda, simulation.lambda(), 1e-9);
      EXPECT_LE(wanted->bound, wanted->lambda + 1e-9);
      EXPECT_LE(wanted->lambda, std::max(1.051, 1.02 * wanted->bound));
      EXPECT_GT(wanted->blocks_moved, 0);
      balancer.accept();
      EXPECT_EQ(balancer.ids(), simulation.ids());
    }
    EXPECT_EQ(proposals, size > 1 ? 1 : 0);
    EXPECT_EQ(balancer.generation(), proposals);
    balancer.finish();
    const Account account = balancer.account();
    EXPECT_GE(account.saved(), 0);
    if (size > 1) {
      EXPECT_GT(account.saved(), 0);
    }
  }
}

TEST_F(BlockProposals, WaitForTheStepsInWhichBlocksMayMove) {
  simulation.add_evenly(12, &uneven);
  BlockBalancer balancer(communicator, with(Threshold{.lambda = 1.1}));
  balancer.describe(simulation.described());
  int proposals = 0;
  for (int step = 1; step <= 40; ++step) {
    simulation.work(balancer);
    const auto wanted = balancer.step({.may_move = step % 10 == 0});
    EXPECT_TRUE(!wanted || step % 10 == 0);
    if (!wanted) continue;
    simulation.move_to(*wanted);
    balancer.accept();
    ++proposals;
  }
  EXPECT_EQ(proposals, size > 1 ? 1 : 0);
  balancer.finish();
}

TEST_F(BlockProposals, AreMadeNowByWeights) {
  for (std::int64_t id = 0; id < 6 * size; ++id)
    simulation.add(id, 0, id < size ? 5000 : 1000, {.weight = id < size ? 5.0 : 1.0});
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  const auto wanted = balancer.propose();
  ASSERT_EQ(wanted.has_value(), size > 1);
  if (wanted) {
    expect_consistent(*wanted);
    EXPECT_NEAR(wanted->lambda_before, size, 1e-9);
    simulation.move_to(*wanted);
    EXPECT_NEAR(wanted->lambda, simulation.lambda(), 1e-9);
    EXPECT_LE(wanted->lambda, 1.1);
    balancer.accept();
  }
  // The first distribution is no rebalance: without it there would be no run.
  for (int step = 0; step < 20; ++step) {
    simulation.work(balancer);
    EXPECT_FALSE(balancer.step().has_value());
  }
  balancer.finish();
  EXPECT_NEAR(balancer.account().never, balancer.account().actual, 1e-9);
}

TEST_F(BlockProposals, ThatAreDroppedChangeNothing) {
  simulation.add_evenly(12, &uneven);
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  measure(balancer);
  const auto first = balancer.propose();
  if (size == 1) {
    EXPECT_FALSE(first.has_value());
    return balancer.finish();
  }
  balancer.drop();
  EXPECT_FALSE(balancer.has_proposal());
  EXPECT_EQ(balancer.generation(), 0);
  EXPECT_EQ(balancer.ids(), simulation.ids());
  const auto second = balancer.propose();
  EXPECT_EQ(first->map, second->map);
  simulation.work(balancer);
  EXPECT_FALSE(balancer.step().has_value());
  EXPECT_FALSE(balancer.has_proposal()) << "a step drops what is open";
  EXPECT_ERROR(balancer.drop(), "There is no proposal to drop.");
  EXPECT_ERROR(balancer.accept(), "There is no proposal to accept.");
  balancer.finish();
}

TEST_F(BlockProposals, KeepCaps) {
  for (std::int64_t id = 0; id < 6 * size; ++id)
    simulation.add(id, 0, id < 3 ? 9000 : 100, {.bytes = 10});
  for (const bool by_number : {true, false}) {
    BlockBalancerOptions options = with(Never{});
    if (by_number)
      options.most_blocks = 7;
    else
      options.monitor.memory = {70};
    BlockBalancer balancer(communicator, options);
    balancer.describe(simulation.described());
    const auto wanted = balancer.propose();
    EXPECT_EQ(wanted.has_value(), size > 1);
    std::map<int, int> blocks;
    if (wanted) {
      for (const BlockMove& move : wanted->map) ++blocks[move.to];
    }
    for (const auto& [of_rank, count] : blocks) EXPECT_LE(count, 7);
    if (wanted) {
      EXPECT_EQ(wanted->bytes_moved, 10 * static_cast<double>(wanted->blocks_moved));
      balancer.drop();
    }
    balancer.finish();
  }
  BlockBalancerOptions options = with(Never{});
  options.most_blocks = 5;
  BlockBalancer balancer(communicator, options);
  balancer.describe(simulation.described());
  EXPECT_ERROR_EVERYWHERE(balancer.propose(), "most_blocks");
  EXPECT_FALSE(balancer.has_proposal());
  balancer.finish();
}

// The work is even, but light blocks on rank 0 grow, until they need three quarters of all memory.
TEST_F(BlockProposals, ComeBeforeARankIsFull) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  constexpr int steps = 100, blocks = 12;
  constexpr double limit = 10 * steps * blocks / 0.75;
  const ScratchDirectory scratch;
  for (const bool is_limited : {false, true}) {
    BlockBalancerOptions options = with(Threshold{.lambda = 1.1});
    if (is_limited) options.monitor.memory = {limit};
    options.monitor.journal = is_limited ? scratch.path_of("run.jsonl") : "";
    simulation.blocks.clear();
    for (std::int64_t id = 0; id < (blocks + 1) * size; ++id)
      simulation.add(id, id < size ? static_cast<int>(id) : 0, id < size ? 1'000'000 : 100);
    BlockBalancer balancer(communicator, options);
    double fullest = 0;
    for (int step = 1; step <= steps; ++step) {
      double here = 0;
      for (auto& [id, block] : simulation.blocks) {
        block.info.bytes = id < size ? 1 : 10 * step;
        if (block.owner == rank) here += block.info.bytes;
      }
      fullest = std::max(fullest, communicator.all_reduce(here, Reduction::greatest));
      balancer.describe(simulation.described());
      simulation.work(balancer);
      if (const auto wanted = balancer.step()) {
        simulation.move_to(*wanted);
        balancer.accept();
      }
    }
    balancer.finish();
    EXPECT_EQ(fullest <= limit, is_limited) << fullest / limit;
  }
  if (rank == 0) {
    EXPECT_MENTIONS(content_of(scratch.path_of("run.jsonl")), R"("cause":"memory")");
  }
}

// A block on the fast rank takes half of the time.
TEST_F(BlockProposals, RespectSpeeds) {
  std::vector<double> speeds(std::size_t(size), 1.0);
  speeds[0] = 2;
  for (std::int64_t id = 0; id < 12 * size; ++id) simulation.add(id, size - 1, 1000);
  BlockBalancerOptions options = with(Never{});
  options.monitor.speeds = speeds;
  BlockBalancer balancer(communicator, options);
  balancer.describe(simulation.described());
  const auto work = [&] {
    for (const std::int64_t id : simulation.ids()) {
      const auto timing = balancer.time_block(id);
      virtual_time += rank == 0 ? 500 : 1000;
    }
  };
  for (int round = 0; round < 2; ++round) {
    for (int step = 0; step < 8; ++step) {
      work();
      EXPECT_FALSE(balancer.step().has_value());
    }
    for (const std::int64_t id : simulation.ids())
      EXPECT_NEAR(balancer.seconds_of(id), rank == 0 ? 500e-9 : 1000e-9, 1e-15);
    const auto wanted = balancer.propose();
    EXPECT_EQ(wanted.has_value(), round == 0 && size > 1);
    if (!wanted) continue;
    simulation.move_to(*wanted);
    balancer.accept();
  }
  const auto count = std::ssize(simulation.ids());
  const double share = 12.0 * size / (size + 1);
  EXPECT_NEAR(static_cast<double>(count), rank == 0 ? 2 * share : share, 0.06 * share + 1);
  balancer.finish();
}

// The first rank becomes slow, is found by its pace, and recovers.
TEST_F(BlockProposals, RespectLearnedSpeeds) {
  if (size == 1) GTEST_SKIP() << "one rank is not compared";
  for (std::int64_t id = 0; id < 40 * size; ++id) simulation.add(id, int(id / 40), 1000);
  double slowness = 1;
  BlockBalancerOptions options = with(Threshold{.lambda = 1.06});
  options.monitor.speeds = {learned_speeds};
  options.monitor.own_probe = [&] { return std::llround(3000 * slowness); };
  BlockBalancer balancer(communicator, options);
  balancer.describe(simulation.described());
  const auto make_steps = [&](int steps) {
    for (int step = 0; step < steps; ++step) {
      for (const std::int64_t id : simulation.ids()) {
        const auto timing = balancer.time_block(id);
        virtual_time += std::llround(1000 * slowness);
      }
      const auto wanted = balancer.step();
      if (!wanted) continue;
      simulation.move_to(*wanted);
      balancer.accept();
    }
  };
  const auto greatest_time = [&] {
    const double mine = slowness * static_cast<double>(std::ssize(simulation.ids()));
    return communicator.all_reduce(mine, Reduction::greatest);
  };
  make_steps(40);
  EXPECT_EQ(greatest_time(), 40);
  if (rank == 0) slowness = 1.25;
  make_steps(150);
  EXPECT_NEAR(balancer.options().speeds.front(), 0.8, 1e-3);
  EXPECT_LE(greatest_time(), 1.06 * 40 * size / (size - 0.2));
  if (rank == 0) {
    EXPECT_NEAR(balancer.seconds_of(simulation.ids().front()), 1250e-9, 1e-12);
  }
  slowness = 1;
  make_steps(150);
  EXPECT_EQ(balancer.options().speeds.front(), 1);
  EXPECT_LE(greatest_time(), 1.06 * 40);
  balancer.finish();
}

// Blocks in a row. Their ids are in another order, and all cost the same.
TEST_F(BlockProposals, CutFewFaces) {
  if (size == 1) GTEST_SKIP() << "one rank has no border";
  const std::int64_t count = 12 * size;
  const auto id_at = [](std::int64_t place) { return place * 623 % 1009; };
  const auto borders_with = [&](const std::function<void(std::int64_t, BlockInfo&)>& add_place) {
    simulation.blocks.clear();
    for (std::int64_t place = 0; place < count; ++place) {
      BlockInfo info{.weight = 1};
      add_place(place, info);
      simulation.add(id_at(place), 0, 1000, info);
    }
    BlockBalancer balancer(communicator, with(Never{}));
    balancer.describe(simulation.described());
    const auto wanted = balancer.propose();
    int borders = 0;
    for (std::int64_t place = 0; place + 1 < count; ++place)
      if (wanted->rank_of(id_at(place)) != wanted->rank_of(id_at(place + 1))) ++borders;
    balancer.accept();
    EXPECT_FALSE(balancer.propose().has_value()) << "places of blocks have moved along";
    balancer.finish();
    return borders;
  };
  const auto by_centres = [](std::int64_t place, BlockInfo& info) {
    info.centre = {static_cast<double>(place) + 0.5, 0.5, 0.5};
  };
  const auto by_neighbours = [&](std::int64_t place, BlockInfo& info) {
    info.neighbours = {1 << 20};  // there is no such block
    if (place + 1 < count) info.neighbours.push_back(id_at(place + 1));
  };
  EXPECT_LE(borders_with(by_centres), 2 * (size - 1));
  EXPECT_LE(borders_with(by_neighbours), 2 * (size - 1));
  EXPECT_GT(borders_with([](std::int64_t, BlockInfo&) {}), 4 * (size - 1));
}

// Some codes own ranges of a curve.
TEST_F(BlockProposals, GiveConsecutiveBlocks) {
  simulation.add_evenly(12, &uneven);
  BlockBalancerOptions options = with(Threshold{.lambda = 1.1});
  options.consecutive = true;
  BlockBalancer balancer(communicator, options);
  balancer.describe(simulation.described());
  int proposals = 0;
  for (int step = 0; step < 40; ++step) {
    simulation.work(balancer);
    const auto wanted = balancer.step();
    if (!wanted) continue;
    ++proposals;
    EXPECT_TRUE(std::ranges::is_sorted(wanted->map, {}, &BlockMove::to));
    simulation.move_to(*wanted);
    EXPECT_NEAR(wanted->lambda, simulation.lambda(), 1e-9);
    balancer.accept();
  }
  EXPECT_EQ(proposals, size > 1 ? 1 : 0);
  balancer.finish();
}

// The new load follows from the blocks that were replaced.
TEST_F(BlockProposals, AnswerAChangeInTheSameStep) {
  constexpr int change = 25;
  for (const Trigger& trigger : {Trigger(Threshold{.lambda = 1.2}), Trigger(CostAware{})}) {
    SCOPED_TRACE(to_text(trigger));
    simulation.blocks.clear();
    simulation.add_evenly(6, [](std::int64_t) { return std::int64_t{1000}; });
    BlockBalancer balancer(communicator, with(trigger));
    for (auto& [id, block] : simulation.blocks) block.info.cells = {8, 8, 8};
    balancer.describe(simulation.described());
    for (int step = 1; step <= change; ++step) {
      simulation.work(balancer);
      if (step == change) {
        for (std::int64_t id = 0; id < 3; ++id) {  // each child costs as much as its parent
          simulation.split(id, {100 + 4 * id, 101 + 4 * id, 102 + 4 * id, 103 + 4 * id});
          for (std::int64_t child = 100 + 4 * id; child < 104 + 4 * id; ++child) {
            simulation.blocks[child].cost = 1000;
            simulation.blocks[child].info.cells = {8, 8, 8};
          }
        }
        balancer.describe(simulation.described());
      }
      const auto wanted = balancer.step({.changed = step == change});
      EXPECT_EQ(wanted.has_value(), step == change && size > 1) << step;
      if (!wanted) continue;
      EXPECT_NEAR(wanted->lambda_before, simulation.lambda(), 1e-9);
      simulation.move_to(*wanted);
      balancer.accept();
      EXPECT_NEAR(wanted->lambda, simulation.lambda(), 1e-9);
    }
    balancer.finish();
  }
}

TEST_F(BlockProposals, UseWeightsInADeterministicRun) {
  for (std::int64_t id = 0; id < 6 * size; ++id)
    simulation.add(id, int(id / 6), 1000, {.weight = id < 6 ? 4.0 : 1.0});
  BlockBalancerOptions options = with(Threshold{.lambda = 1.1});
  options.monitor.deterministic = true;
  BlockBalancer balancer(communicator, options);
  balancer.describe(simulation.described());
  int proposals = 0;
  for (int step = 0; step < 40; ++step) {
    const auto wanted = balancer.step();
    if (!wanted) continue;
    ++proposals;
    simulation.move_to(*wanted);
    balancer.accept();
  }
  EXPECT_EQ(proposals, size > 1 ? 1 : 0);
  balancer.finish();
  const Account account = balancer.account();
  EXPECT_NEAR(account.never, 40 * 24e-3, 1e-9);
  EXPECT_NEAR(account.mean, 40e-3 * (24 + 6 * (size - 1)) / size, 1e-9);
}

// Without times of blocks, the load of each rank is divided among its blocks by their weights.
TEST_F(BlockProposals, DivideTheTimeOfKernels) {
  for (std::int64_t id = 0; id < 8 * size; ++id)
    simulation.add(id, int(id / 8), 1000, {.weight = 1});
  BlockBalancer balancer(communicator, with(Threshold{.lambda = 1.1}));
  balancer.describe(simulation.described());
  const Kernel stencil = balancer.kernel("stencil");
  int proposals = 0;
  for (int step = 0; step < 40; ++step) {
    for (const std::int64_t id : simulation.ids()) spend(stencil, id < 8 ? 3000 : 1000);
    const auto wanted = balancer.step();
    if (!wanted) continue;
    ++proposals;
    simulation.move_to(*wanted);
    for (auto& [id, block] : simulation.blocks) block.cost = id < 8 ? 3000 : 1000;
    EXPECT_NEAR(wanted->lambda, simulation.lambda(), 1e-9);
    balancer.accept();
  }
  EXPECT_EQ(proposals > 0, size > 1);
  balancer.finish();
}

TEST_F(BlockProposals, AreInTheJournal) {
  const test::ScratchDirectory scratch;
  for (std::int64_t id = 0; id < 12 * size; ++id)
    simulation.add(id, int(id / 12), uneven(id), {.bytes = 1000});
  BlockBalancerOptions options = with(Threshold{.lambda = 1.1});
  options.monitor.journal = scratch.path_of("journal");
  BlockBalancer balancer(communicator, options);
  balancer.describe(simulation.described());
  std::string expected;
  for (int step = 1; step <= 30; ++step) {
    simulation.work(balancer);
    const auto wanted = balancer.step();
    if (!wanted) continue;
    expected = "\"objects_moved\":" + std::to_string(wanted->blocks_moved) +
               ",\"bytes_moved\":" + std::to_string(1000 * wanted->blocks_moved);
    simulation.move_to(*wanted);
    virtual_time += 5000;
    balancer.accept();
    virtual_time += 300;
    balancer.note_cost(300e-9);
  }
  balancer.finish();
  EXPECT_NEAR(balancer.account().own_cost, size > 1 ? 5000e-9 : 0, 1e-15);
  EXPECT_NEAR(balancer.account().rebuild_cost, size > 1 ? 300e-9 : 0, 1e-15);
  if (rank != 0 || size == 1) return;
  std::ifstream file(scratch.path_of("journal"));
  const std::string journal{std::istreambuf_iterator<char>(file), {}};
  EXPECT_MENTIONS(journal, expected);
  EXPECT_MENTIONS(journal, "\"move\":5e-06");
}

TEST_F(BlockProposals, ContinueAnEarlierRun) {
  simulation.add_evenly(12, &uneven);
  BlockBalancer earlier(communicator, with(Threshold{.lambda = 1.1}));
  earlier.describe(simulation.described());
  measure(earlier);
  const std::string saved = earlier.saved_state();
  earlier.finish();
  BlockBalancer balancer(communicator, with(Threshold{.lambda = 1.1}));
  balancer.restore(saved);
  balancer.describe(simulation.described());
  int proposals = 0;
  for (int step = 0; step < 30; ++step) {
    simulation.work(balancer);
    const auto wanted = balancer.step();
    if (!wanted) continue;
    simulation.move_to(*wanted);
    balancer.accept();
    ++proposals;
  }
  EXPECT_EQ(proposals, size > 1 ? 1 : 0);
  EXPECT_GE(balancer.metrics().step, 30);
  balancer.finish();
}

// --- Errors --------------------------------------------------------------------------------------

class BlockErrors : public BlockBalancing {
 protected:
  std::vector<BlockInfo> mine() const { return {{.id = 2 * rank}, {.id = 2 * rank + 1}}; }
  // Steps to the end of the next epoch, whose look all ranks settle some steps later.
  static void steps_to_look(BlockBalancer& balancer) {
    for (int step = 0; step < 13; ++step) balancer.step();
  }
};

TEST_F(BlockErrors, NameABlockThatExistsTwice) {
  BlockBalancer balancer(communicator, with(Never{}));
  std::vector<BlockInfo> list = mine();
  list[0].id = 7000;
  const std::string expected =
      size == 1 ? ""
                : "monitor/block_balancer: Block 7000 is on rank 0 and on rank 1. Describe "
                  "each block on one rank, and give each block its own id.";
  if (size > 1) {
    EXPECT_ERROR_EVERYWHERE(balancer.describe(list), expected);
  }
  list = mine();
  if (rank == size - 1) list[1].id = list[0].id;
  EXPECT_ERROR_EVERYWHERE(balancer.describe(list),
                          "Block " + std::to_string(2 * size - 2) + " is twice on rank " +
                              std::to_string(size - 1) + ". Describe each block on one rank");
  EXPECT_TRUE(balancer.ids().empty());
  balancer.describe(mine());
  EXPECT_EQ(balancer.ids(), (std::vector<std::int64_t>{2 * rank, 2 * rank + 1}));
  balancer.finish();
}

TEST_F(BlockErrors, NameAnInvalidDescription) {
  BlockBalancer balancer(communicator, with(Never{}));
  const auto refuses = [&](const BlockInfo& wrong, const std::string& text) {
    std::vector<BlockInfo> list = mine();
    if (rank == size / 2) list[1] = wrong;
    EXPECT_ERROR_EVERYWHERE(balancer.describe(list), text);
  };
  const std::string on_rank = "on rank " + std::to_string(size / 2);
  refuses({.id = 88, .bytes = -1}, "Block 88 has -1 bytes and the weight 0. Give numbers that are");
  refuses({.id = 88, .weight = NAN}, "Block 88 has 0 bytes and the weight nan.");
  refuses({.id = 88, .cells = {8, 0, 8}}, "Block 88 has 8 x 0 x 8 cells. Give a positive number");
  refuses({.id = 88, .centre = {{0, INFINITY, 0}}}, "The centre of block 88 is not finite.");
  EXPECT_TRUE(balancer.ids().empty());
  balancer.finish();
}

TEST_F(BlockErrors, NameTheCostOfAnUnknownBlock) {
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(mine());
  steps_to_look(balancer);
  if (rank == size - 1) {
    const auto timing = balancer.time_block(4242);
    virtual_time += 1000;
  }
  EXPECT_ERROR_EVERYWHERE(steps_to_look(balancer),
                          "time_block got the unknown block 4242. Describe all blocks that this "
                          "rank has, and accept a proposal after they have moved.");
  steps_to_look(balancer);
  if (rank == 0) balancer.add_cost(4243, 1e-6);
  EXPECT_ERROR_EVERYWHERE(balancer.propose(), "add_cost got the unknown block 4243.");
  EXPECT_FALSE(balancer.propose().has_value());
  balancer.finish();
}

TEST_F(BlockErrors, NameAnInvalidCost) {
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(mine());
  for (const double seconds : {-1.0, double(NAN), double(INFINITY)}) {
    if (rank == size / 2) balancer.add_cost(2 * rank + 1, seconds);
    const std::string number = seconds < 0 ? "-1" : std::isnan(seconds) ? "nan" : "inf";
    EXPECT_ERROR_EVERYWHERE(steps_to_look(balancer), "add_cost got " + number +
                                                         " seconds for block " +
                                                         std::to_string(2 * (size / 2) + 1) +
                                                         ". Give a finite number of at least 0.");
  }
  balancer.finish();
}

TEST_F(BlockErrors, NameALostBlock) {
  if (size == 1) GTEST_SKIP() << "nothing can move";
  for (std::int64_t id = 0; id < 4 * size; ++id) simulation.add(id, 0, 1000, {.weight = 1});
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  const auto wanted = balancer.propose();
  ASSERT_TRUE(wanted.has_value());
  EXPECT_ERROR_EVERYWHERE(balancer.describe(simulation.described()),
                          "describe was called while a proposal is open. Call accept() or drop() "
                          "first.");
  const BlockMove& moved = *std::ranges::find_if(
      wanted->map, [](const BlockMove& move) { return move.from != move.to; });
  simulation.move_to(*wanted);
  std::vector<std::int64_t> present = simulation.ids();
  if (rank == moved.to) std::erase(present, moved.id);
  const std::string id = std::to_string(moved.id), to = std::to_string(moved.to);
  EXPECT_ERROR_EVERYWHERE(balancer.accept(present),
                          "Block " + id + " is not on rank " + to +
                              ", to which it was to move from rank 0. Carry out the whole proposal "
                              "before accept().");
  present = simulation.ids();
  if (rank == 0) present.push_back(moved.id);
  EXPECT_ERROR_EVERYWHERE(balancer.accept(present),
                          "Block " + id + " is still on rank 0, and not only on rank " + to + '.');
  present = simulation.ids();
  if (rank == 0) present.push_back(4711);
  EXPECT_ERROR_EVERYWHERE(balancer.accept(present), "accept got ");
  EXPECT_TRUE(balancer.has_proposal());
  balancer.accept(simulation.ids());
  EXPECT_EQ(balancer.ids(), simulation.ids());
  EXPECT_ERROR(balancer.accept(), "There is no proposal to accept.");
  EXPECT_ERROR_EVERYWHERE(balancer.accept(simulation.ids()), "There is no proposal to accept.");
  EXPECT_ERROR(wanted->rank_of(4711), "The proposal has no block 4711.");
  balancer.finish();
}

TEST_F(BlockErrors, NameInvalidOptions) {
  BlockBalancerOptions options = with(Never{});
  options.monitor.speeds = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_ERROR_EVERYWHERE(BlockBalancer(communicator, options),
                          "speeds has 7 numbers, and there are ");
  options = with(Never{});
  options.most_blocks = -1;
  EXPECT_ERROR_EVERYWHERE(BlockBalancer(communicator, options), "most_blocks is negative.");
  options = with(Never{});
  options.most_blocks = 7;
  options.consecutive = true;
  for (const bool by_number : {true, false}) {
    EXPECT_ERROR_EVERYWHERE(BlockBalancer(communicator, options),
                            "consecutive was given together with most_blocks or memory. Leave out "
                            "the caps, or let ranks have any blocks.");
    if (by_number) options.most_blocks = 0, options.monitor.memory = {system_memory};
  }
}

TEST_F(BlockErrors, TellOfMemoryThatIsTooSmall) {
  BlockBalancerOptions options = with(Never{});
  options.monitor.memory = {50};
  for (const double bytes : {0.0, 10.0}) {
    for (std::int64_t id = 0; id < 6 * size; ++id) simulation.add(id, 0, 1000, {.bytes = bytes});
    BlockBalancer balancer(communicator, options);
    balancer.describe(simulation.described());
    EXPECT_ERROR_EVERYWHERE(balancer.propose(),
                            bytes > 0 ? "all blocks together are above the memory of all ranks."
                                      : "monitor.memory was given, but no block has bytes. "
                                        "Describe blocks with their bytes, or give no limit of "
                                        "memory.");
    EXPECT_FALSE(balancer.has_proposal());
    balancer.finish();
  }
}

TEST_F(BlockErrors, TellRanksThatDisagree) {
  if (size == 1) GTEST_SKIP() << "one rank alone cannot disagree";
  for (std::int64_t id = 0; id < 4 * size; ++id) simulation.add(id, 0, 1000, {.weight = 1});
  BlockBalancer balancer(communicator, with(Never{}));
  balancer.describe(simulation.described());
  ASSERT_TRUE(balancer.propose().has_value());
  if (rank == 0)
    balancer.accept();
  else
    balancer.drop();
  EXPECT_ERROR(static_cast<void>(balancer.propose()), "Call accept() on all ranks or on no rank.");
}

}  // namespace
}  // namespace evenkeel::block_proposals_test
