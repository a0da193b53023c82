// Balancing of ranks that differ in speed. Time is virtual: a rank of speed 2 needs half the time
// for the same work.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"
#include "replay/journal.hpp"
#include "support/scratch.hpp"

#include <evenkeel/monitor/monitor.hpp>

#include <random>

namespace evenkeel::speeds_test {
namespace {

using namespace test;

// Objects in a corner cost five times as much as others.
double cost_of(std::int64_t id) { return place_of(id, 0) < 0.4 && place_of(id, 1) < 0.4 ? 5 : 1; }

class RanksOfSpeed : public test::OnRanks {
 protected:
  Ids ids;
  std::vector<Point> x;

  // 1, 2, 4, 8, 1, ...
  double speed_of(int of_rank) const { return static_cast<double>(1U << of_rank % 4); }
  std::vector<double> speeds() const {
    std::vector<double> all;
    for (int r = 0; r < size; ++r) all.push_back(speed_of(r));
    return all;
  }
  Options options(const Method& method, const Trigger& trigger = Never{}) const {
    return {.method = method,
            .trigger = trigger,
            .box = Box{{0, 0, 0}, {1, 1, 1}},
            .speeds = speeds(),
            .epoch_steps = 6,
            .warmup_steps = 0,
            .own_clock = &virtual_now,
            .log = LogLevel::off};
  }
  void begin() {
    virtual_time = 0;
    ids = test::ids_here(communicator, test::in_turn, 3000 * size);
    x = places_of(ids);
  }

  double work() const {
    double sum = 0;
    for (const std::int64_t id : ids) sum += cost_of(id);
    return sum;
  }
  double time() const { return work() / speed_of(rank); }
  std::vector<double> weights() const {
    std::vector<double> all;
    for (const std::int64_t id : ids) all.push_back(cost_of(id));
    return all;
  }
  // Greatest time / the time of perfect balance.
  double lambda() const { return lambda_of(communicator.all_gather(work()), speeds()); }
  double greatest_time() const { return communicator.all_reduce(time(), Reduction::greatest); }

  // Makes steps without weights. Kernels take the time of this rank, as a whole or in chunks.
  enum class Timed : std::uint8_t { whole, in_chunks };
  void make_steps(Balancer& balancer, int steps, Timed timed = Timed::whole) {
    const Kernel kernel = balancer.kernel("work");
    for (int step = 0; step < steps; ++step) {
      if (timed == Timed::whole) {
        spend(kernel, std::llround(100 * time()));
      } else {
        for (const auto chunk : kernel.chunks(std::ssize(ids))) {
          const auto timing = chunk.time();
          double work = 0;
          for (auto k = chunk.begin(); k < chunk.end(); ++k)
            work += cost_of(ids[static_cast<std::size_t>(k)]);
          virtual_time += std::llround(800 * work / speed_of(rank));
        }
      }
      balancer.step(set(x, carry(ids)));
    }
  }
  // Returns the lambda after several rebalances, as even as possible, by learned costs.
  double learned_lambda(const Method& method, int rebalances, Timed timed) {
    begin();
    Options even = options(method);
    even.target_lambda = 0;
    Balancer balancer(communicator, even);
    balancer.rebalance(set(x, carry(ids)));
    for (int round = 0; round < rebalances; ++round) {
      make_steps(balancer, 20, timed);
      balancer.rebalance(set(x, carry(ids)));
    }
    balancer.finish();
    return lambda();
  }
};

const Method methods[] = {Hilbert{}, Staggered{}, RecursiveBisection{}, Voronoi{}, Auto{}};

TEST_F(RanksOfSpeed, GetTheirSharesOfGivenWeights) {
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    begin();
    Balancer balancer(communicator, options(method));
    const std::vector<double> given = weights();
    const MoveReport moved = balancer.rebalance(set(x, carry(ids), {.weight = given}));
    EXPECT_LE(lambda(), 1.05);
    if (moved.has_new_domains()) {
      EXPECT_NEAR(moved.lambda, lambda(), 1e-6);
    }
    test::expect_at_owners(balancer, set(x, carry(ids)));
    const std::vector<double> again = weights();
    EXPECT_FALSE(balancer.rebalance(set(x, carry(ids), {.weight = again})).moved);
    balancer.finish();
  }
}

// The learned cost of an object must not depend on the rank that has measured it.
TEST_F(RanksOfSpeed, AreEvenByLearnedCosts) {
  for (const Method& method : methods)
    EXPECT_LE(learned_lambda(method, 8, Timed::whole), 1.05) << to_text(method);
}

TEST_F(RanksOfSpeed, AreEvenByTimesOfChunks) {
  EXPECT_LE(learned_lambda(Hilbert{}, 3, Timed::in_chunks), 1.05);
}

TEST_F(RanksOfSpeed, AreEvenByCostsOfTypes) {
  begin();
  Options even = options(Hilbert{});
  even.target_lambda = 0;
  Balancer balancer(communicator, even);
  const Kernel kernel = balancer.kernel("work");
  std::vector<int> types;
  const auto typed = [&] {
    types.clear();
    for (const std::int64_t id : ids) types.push_back(cost_of(id) > 1 ? 1 : 0);
    return set(x, carry(ids), {.type = types});
  };
  for (int round = 0; round < 5; ++round) {
    for (int step = 0; step < 20; ++step) {
      spend(kernel, std::llround(100 * time()));
      balancer.step(typed());
    }
    balancer.rebalance(typed());
  }
  EXPECT_LE(lambda(), 1.05);
  balancer.finish();
}

// The account compares times: without rebalances, the slowest rank would have taken this long.
TEST_F(RanksOfSpeed, AreCountedInTheAccount) {
  if (size == 1) GTEST_SKIP();
  begin();
  const double before = greatest_time();
  Balancer balancer(communicator, options(Hilbert{}, CostAware{}));
  make_steps(balancer, 300);
  balancer.finish();
  const Account account = balancer.account();
  EXPECT_TRUE(account.knows_never);
  const double never = before * 1e-7 * static_cast<double>(account.steps);
  EXPECT_NEAR(account.never, never, 0.05 * never);
  EXPECT_LT(account.actual, 0.8 * never);
  EXPECT_LE(lambda(), 1.12);
}

TEST_F(RanksOfSpeed, AreShiftedByTheirWork) {
  if (size == 1) GTEST_SKIP();
  begin();
  Options shifted = options(Hilbert{}, Threshold{.lambda = 1.02});
  shifted.shift = {.rounds = 8};
  shifted.target_lambda = 1.01;
  Balancer balancer(communicator, shifted);
  balancer.rebalance(set(x, carry(ids)));
  make_steps(balancer, 300);
  EXPECT_LE(lambda(), 1.05);
  balancer.finish();
}

TEST_F(RanksOfSpeed, DecideWithoutAClockToo) {
  begin();
  Options exact = options(Hilbert{}, Threshold{.lambda = 1.2});
  exact.own_clock = nullptr;
  exact.deterministic = true;
  Balancer balancer(communicator, exact);
  int moves = 0;
  for (int step = 0; step < 40; ++step) {
    const std::vector<double> given = weights();
    moves += balancer.step(set(x, carry(ids), {.weight = given})).moved ? 1 : 0;
  }
  EXPECT_EQ(moves, size == 1 ? 0 : 1);
  EXPECT_LE(lambda(), 1.05);
  EXPECT_LE(balancer.metrics().total.lambda, 1.05);
  balancer.finish();
}

TEST_F(RanksOfSpeed, OptionsThatMakeNoSenseAreErrors) {
  const auto ranks = static_cast<std::size_t>(size);
  EXPECT_ERROR(Balancer(communicator, {.speeds = std::vector<double>(ranks + 1, 1.0)}),
               "monitor/options: speeds has " + std::to_string(size + 1) +
                   " numbers, and there are " + std::to_string(size) +
                   " ranks. Give one speed per rank, or no speeds.");
  EXPECT_ERROR(Balancer(communicator, {.speeds = std::vector<double>(ranks, 0.0)}),
               " or the speed of each rank: positive numbers with commas between them.");
  const auto learned = [&](Options options) {
    options.speeds = {learned_speeds};
    Balancer balancer(communicator, options);
  };
  const std::string no_pace = "monitor/options: speeds is learned, but no rank measures its pace.";
  EXPECT_ERROR(learned({.probe_share = 0}), no_pace);
  EXPECT_ERROR(learned({.own_clock = &virtual_now}), no_pace);
  EXPECT_ERROR(learned({.deterministic = true}), no_pace);
  EXPECT_ERROR(Monitor(communicator, {.speeds = speeds()}), "a Monitor places no objects");
}

// --- Ranks that become slow ----------------------------------------------------------------------

// The kernel and a probe take times with a noise of 20 %. A rank is slow by 15 % for a while.
class RanksThatBecomeSlow : public RanksOfSpeed {
 protected:
  double slowness = 1;  // of this rank
  std::mt19937_64 random{static_cast<std::uint64_t>(rank)};

  double noise() { return std::exp(std::normal_distribution<>(0, 0.2)(random)); }
  std::int64_t probe() { return std::llround(3000 * slowness * noise()); }
  Options noisy() {
    Options options = RanksOfSpeed::options(Hilbert{}, CostAware{});
    options.speeds = {};
    options.own_probe = [this] { return probe(); };
    return options;
  }
  Options learning() {
    Options options = noisy();
    options.speeds = {learned_speeds};
    return options;
  }
  enum class Costs : std::uint8_t { learned, given };
  // Returns the mean of lambda_in_time() over the steps.
  double make_noisy_steps(Balancer& balancer, int steps, Costs costs = Costs::learned) {
    const Kernel kernel = balancer.kernel("work");
    std::vector<double> given;
    double sum = 0;
    for (int step = 0; step < steps; ++step) {
      spend(kernel, std::llround(1000 * work() * slowness * noise()));
      sum += lambda_in_time();
      if (costs == Costs::learned) {
        balancer.step(set(x, carry(ids)));
      } else {
        given = weights();
        balancer.step(set(x, carry(ids), {.weight = given}));
      }
    }
    return sum / steps;
  }
  // The greatest time of a rank / the mean.
  double lambda_in_time() const {
    const double time = work() * slowness;
    return communicator.all_reduce(time, Reduction::greatest) * size /
           communicator.all_reduce(time, Reduction::sum);
  }
};

TEST_F(RanksThatBecomeSlow, AreNamedAndGetLessWork) {
  begin();
  Balancer balancer(communicator, noisy());
  make_noisy_steps(balancer, 200);
  EXPECT_FALSE(balancer.metrics().slow);
  if (rank == size - 1) slowness = 1.15;
  make_noisy_steps(balancer, 160);
  const Metrics::SlowRank slow = balancer.metrics().slow;
  EXPECT_EQ(slow.rank, size == 1 ? -1 : size - 1);
  if (size > 1) {
    EXPECT_NEAR(slow.percent, 15, slow.error);
    EXPECT_NEAR(static_cast<double>(slow.since), 200, 80);
    EXPECT_LE(lambda_in_time(), 1.1);
  }
  slowness = 1;
  make_noisy_steps(balancer, 160);
  EXPECT_FALSE(balancer.metrics().slow);
  balancer.finish();
}

TEST_F(RanksThatBecomeSlow, AreNotThoseWithHeavyObjects) {
  begin();
  Balancer balancer(communicator, noisy());
  for (int turn = 0; turn < 10; ++turn) {
    make_noisy_steps(balancer, 40);
    EXPECT_FALSE(balancer.metrics().slow) << "lambda " << lambda_in_time();
  }
  balancer.finish();
}

// Given weights do not show that a rank is slow, but its speed does.
TEST_F(RanksThatBecomeSlow, HaveThisSpeedIfSpeedsAreLearned) {
  const std::vector<double> equal(static_cast<std::size_t>(size), 1);
  double lambda_without_speeds = 1;
  for (const bool learns : {false, true}) {
    begin();
    slowness = 1;
    random.seed(static_cast<std::uint64_t>(rank));
    Balancer balancer(communicator, learns ? learning() : noisy());
    EXPECT_EQ(balancer.options().speeds, learns ? equal : std::vector<double>());
    make_noisy_steps(balancer, 200, Costs::given);
    EXPECT_FALSE(balancer.metrics().slow);
    if (rank == size - 1) slowness = 1.15;
    make_noisy_steps(balancer, 150, Costs::given);
    const double lambda = make_noisy_steps(balancer, 150, Costs::given);
    if (!learns) lambda_without_speeds = lambda;
    if (learns && size > 1) {
      EXPECT_LE(lambda, 1.08);
      EXPECT_LT(lambda, lambda_without_speeds - 0.03);
      EXPECT_NEAR(balancer.options().speeds.back(), 1 / 1.15, 0.05);
      EXPECT_EQ(balancer.metrics().slow.speed, balancer.options().speeds.back());
    }
    slowness = 1;
    make_noisy_steps(balancer, 100, Costs::given);
    EXPECT_LE(make_noisy_steps(balancer, 100, Costs::given), 1.05);
    if (learns) {
      EXPECT_EQ(balancer.options().speeds, equal);
    }
    balancer.finish();
  }
}

// Learned costs do not depend on the speeds, and the first rebalance after a change uses no load
// that was measured with other speeds. In virtual time without noise, the cut is exact.
TEST_F(RanksThatBecomeSlow, AreEvenByLearnedCostsToo) {
  if (size == 1) GTEST_SKIP() << "one rank is not compared";
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    begin();
    slowness = 1;
    Options options = learning();
    options.method = method;
    options.trigger = Threshold{.lambda = 1.04};
    options.own_probe = [this] { return std::llround(3000 * slowness); };
    Balancer balancer(communicator, options);
    const Kernel kernel = balancer.kernel("work");
    const auto make_steps = [&](int steps) {
      for (int step = 0; step < steps; ++step) {
        spend(kernel, std::llround(1000 * work() * slowness));
        balancer.step(set(x, carry(ids)));
      }
    };
    make_steps(300);
    if (rank == 0) slowness = 1.25;
    make_steps(200);
    EXPECT_NEAR(balancer.options().speeds.front(), 0.8, 1e-3);
    EXPECT_LE(lambda_in_time(), 1.05);
    slowness = 1;
    make_steps(200);
    EXPECT_EQ(balancer.options().speeds.front(), 1);
    EXPECT_LE(lambda_in_time(), 1.05);
    balancer.finish();
  }
}

// Speeds are in the journal, so the states on record follow from each other.
TEST_F(RanksThatBecomeSlow, CanBeReplayed) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path_of("run.jsonl");
  begin();
  Options options = learning();
  if (rank == 0) options.journal = path;
  Balancer balancer(communicator, options);
  make_noisy_steps(balancer, 60, Costs::given);
  if (rank == size - 1) slowness = 1.3;
  make_noisy_steps(balancer, 150, Costs::given);
  slowness = 1;
  make_noisy_steps(balancer, 100, Costs::given);
  balancer.finish();
  if (rank != 0) return;
  const tool::JournalReplay replay = tool::replay_journal(path);
  const std::string text = test::content_of(path);
  EXPECT_GT(replay.looks, 20);
  EXPECT_EQ(replay.continued, std::ranges::count(text, '\n') - 2);  // all lines between the first
                                                                    // and the last one
  EXPECT_MENTIONS(text, "\"speeds\":\"learned\"");
  if (size == 1) return;
  EXPECT_MENTIONS(text, "\"reason\":\"the speeds of ranks have changed\"");
  EXPECT_MENTIONS(text, ",\"speed\":0.7");
}

}  // namespace
}  // namespace evenkeel::speeds_test
