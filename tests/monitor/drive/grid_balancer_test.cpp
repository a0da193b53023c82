#include "monitor/drive/virtual_clock.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/evenkeel.hpp>

namespace evenkeel::grid_balancer_test {
namespace {

constexpr Box unit = {{0, 0, 0}, {1, 1, 0}};

// The density of work per area is exp(-6 x) * (1 + 3 y).
double work_in(const Box& box) {
  const double along_x = std::exp(-6 * box.lower[0]) - std::exp(-6 * box.upper[0]);
  const auto rising = [](double y) { return y + 1.5 * y * y; };
  return along_x * (rising(box.upper[1]) - rising(box.lower[1]));
}

class GridBalancers : public test::OnRanks {
 protected:
  GridBalancerOptions options() const {
    GridBalancerOptions chosen;
    chosen.grid.shape = factored(size, 2);
    chosen.box = unit;
    return chosen;
  }

  // Boxes of the cells of a Mesh.
  GridBalancerOptions by_bisection() const {
    GridBalancerOptions chosen;
    chosen.grid.shape.dimensions = 2;
    chosen.box = unit;
    chosen.bisection.emplace();
    chosen.rounds.cell_size = {1.0 / 40, 1.0 / 40, 0};
    chosen.rounds.least_width = {2.0 / 40, 2.0 / 40, 0};
    return chosen;
  }

  // Collective. The lambda of the present domains.
  double lambda(const GridBalancer& balancer) const {
    return lambda_of(communicator.all_gather(work_in(balancer.domain())));
  }
};

TEST_F(GridBalancers, HaveANameInTheirErrors) {
  GridBalancerOptions chosen = options();
  chosen.monitor.name = "mesh";
  GridBalancer balancer(communicator, chosen);
  EXPECT_ERROR(balancer.accept(), "evenkeel: mesh: monitor/grid_balancer: There is no proposal");
  balancer.finish();
  EXPECT_ERROR(balancer.step(), "evenkeel: mesh: monitor: step was called after finish.");
  EXPECT_ERROR(balancer.finish(), "evenkeel: mesh: monitor: finish was called after finish.");
  if (communicator.rank() == 0) {  // the others would not join
    EXPECT_ERROR(balancer.propose(1), "evenkeel: mesh: monitor: propose was called after finish.");
  }
}

// Looks inspect cells. But cells may be held on other ranks, and may be anywhere.
TEST_F(GridBalancers, ACellThatIsNowhereIsToldAtTheFirstLook) {
  GridBalancerOptions chosen = options();
  chosen.monitor.deterministic = true;
  chosen.monitor.trigger = Custom{[](const LoadView&) { return false; }};
  std::vector<std::array<double, 2>> centres(10, {0.5, 7});
  GridBalancer balancer(communicator, chosen);
  for (int step = 1; step <= 20; ++step) EXPECT_NO_THROW(balancer.step(set(centres)));
  if (rank == size - 1) centres[4][1] = std::nan("");
  for (int step = 21; step < 32; ++step) EXPECT_NO_THROW(balancer.step(set(centres)));
  EXPECT_ERROR_EVERYWHERE(balancer.step(set(centres)),
                          "rank " + std::to_string(size - 1) +
                              ": core/bounds: Component 1 of the position of object 4");
  balancer.finish();
}

// The new load of cells follows from their weights, and from the time that weights took before.
TEST_F(GridBalancers, AnswerAChangeInTheSameStep) {
  test::virtual_time = 0;
  GridBalancerOptions chosen = options();
  chosen.monitor.own_clock = &test::virtual_now;
  chosen.monitor.trigger = Threshold{.lambda = 1.2};
  GridBalancer balancer(communicator, chosen);
  const Kernel kernel = balancer.kernel("work");
  const CellMesh mesh = {unit, {48, 48, 1}};
  const CellRange mine = cells_in(mesh, balancer.domains(), rank);
  std::vector<std::array<double, 2>> centres;
  for (std::int64_t i = mine.begin[0]; i < mine.end[0]; ++i)
    for (std::int64_t j = mine.begin[1]; j < mine.end[1]; ++j)
      centres.push_back({(static_cast<double>(i) + 0.5) / 48, (static_cast<double>(j) + 0.5) / 48});
  std::vector<double> weights(centres.size(), 1);
  constexpr int change = 13;
  for (int step = 1; step <= change; ++step) {
    test::spend(kernel, 1000 * std::ssize(centres));
    if (step == change)
      for (std::size_t c = 0; c < centres.size(); ++c)
        if (centres[c][0] < 0.2 && centres[c][1] < 0.2) weights[c] = 30;
    const auto next =
        balancer.step(set(centres, {}, {.weight = weights}), {.changed = step == change});
    EXPECT_EQ(next.has_value(), step == change && size > 1) << step;
    if (!next) continue;
    balancer.accept();
    const Box now = balancer.domain();
    if (rank != 0) continue;
    EXPECT_LT((now.upper[0] - now.lower[0]) * (now.upper[1] - now.lower[1]), 0.9 / size);
  }
  balancer.finish();
}

TEST_F(GridBalancers, CannotAnswerAChangeOfUnknownCells) {
  GridBalancerOptions chosen = options();
  chosen.monitor.name = "mesh";
  GridBalancer balancer(communicator, chosen);
  balancer.step();
  EXPECT_ERROR(balancer.step({.changed = true}),
               "evenkeel: mesh: monitor: step got .changed, but no objects whose load could be "
               "predicted. Give step the cells, too, or leave out .changed: the next look measures "
               "the new load.");
  balancer.finish();
}

// The time until accept() counts as evenkeel's, and the time noted after it as the application's.
TEST_F(GridBalancers, TakeANoteOfTheCostAfterAProposal) {
  test::virtual_time = 0;
  GridBalancerOptions chosen = options();
  chosen.monitor.own_clock = &test::virtual_now;
  chosen.monitor.trigger = Never{};
  GridBalancer balancer(communicator, chosen);
  const Kernel kernel = balancer.kernel("work");
  EXPECT_ERROR(balancer.note_cost(1), "note_cost was called without a rebalance");
  for (int step = 1; step <= 20; ++step) {
    test::spend(kernel, 1000);
    balancer.step();
    if (step != 8 || !balancer.propose(work_in(balancer.domain()))) continue;
    test::virtual_time += 3000;
    EXPECT_ERROR(balancer.note_cost(1), "note_cost was called without a rebalance");
    balancer.accept();
    test::virtual_time += 500;
    balancer.note_cost(500e-9);
  }
  balancer.finish();
  const Account account = balancer.account();
  EXPECT_NEAR(account.own_cost, size > 1 ? 3000e-9 : 0, 1e-15);
  EXPECT_NEAR(account.rebuild_cost, size > 1 ? 500e-9 : 0, 1e-15);
}

TEST_F(GridBalancers, ComeToEvenDomainsFromOneNumberEach) {
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    GridBalancerOptions chosen = options();
    chosen.scheme = scheme;
    GridBalancer balancer(communicator, chosen);
    double worst_returned = lambda(balancer);
    EXPECT_EQ(balancer.generation(), 1);
    int accepted = 0;
    for (int round = 0; round < 8; ++round) {
      const auto next = balancer.propose(work_in(balancer.domain()));
      EXPECT_TRUE(test::same_everywhere(communicator, next ? "a proposal" : "no proposal"));
      if (!next) continue;
      EXPECT_EQ(generation_of(*next), balancer.generation() + 1);
      balancer.accept();
      EXPECT_EQ(balancer.generation(), ++accepted + 1);
      EXPECT_TRUE(is_same_division(balancer.domains(), *next));
    }
    EXPECT_LE(lambda(balancer), 1.03);
    EXPECT_LE(balancer.best_lambda(), worst_returned);
    balancer.finish();
  }
}

// A rank that is found to be slow gets less work, by any type of domains.
TEST_F(GridBalancers, GiveASlowRankLessWorkIfSpeedsAreLearned) {
  if (size == 1) GTEST_SKIP() << "one rank is not compared";
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    test::virtual_time = 0;
    GridBalancerOptions chosen = options();
    chosen.scheme = scheme;
    chosen.grid.shape = factored(size, 1);
    chosen.grid.shape.dimensions = 2;
    for (int part = 0; part < size; ++part) chosen.grid.rank_of_part.push_back(size - 1 - part);
    double slowness = 1;
    chosen.monitor.speeds = {learned_speeds};
    chosen.monitor.own_probe = [&] { return std::llround(3000 * slowness); };
    chosen.monitor.own_clock = &test::virtual_now;
    chosen.monitor.trigger = Threshold{.lambda = 1.02};
    chosen.monitor.log = LogLevel::off;
    GridBalancer balancer(communicator, chosen);
    const Kernel kernel = balancer.kernel("work");
    const auto make_steps = [&](int steps) {
      for (int step = 0; step < steps; ++step) {
        test::spend(kernel, std::llround(1e6 * work_in(balancer.domain()) * slowness));
        if (balancer.step()) balancer.accept();
      }
    };
    make_steps(100);
    EXPECT_EQ(balancer.options().speeds, std::vector<double>(static_cast<std::size_t>(size), 1));
    if (rank == 0) slowness = 1.25;
    make_steps(200);
    std::vector<double> slowed(static_cast<std::size_t>(size), 1);
    slowed.front() = 0.8;
    for (std::size_t r = 0; r < slowed.size(); ++r)
      EXPECT_NEAR(balancer.options().speeds.at(r), slowed[r], 1e-3);
    EXPECT_LE(lambda_of(communicator.all_gather(work_in(balancer.domain())), slowed), 1.04);
    slowness = 1;
    make_steps(200);
    EXPECT_LE(lambda_of(communicator.all_gather(work_in(balancer.domain())), {}), 1.04);
    balancer.finish();
  }
}

// Parts are numbered backwards over the ranks, and kernels take work / speed.
TEST_F(GridBalancers, GiveARankWorkInProportionToItsSpeed) {
  std::vector<double> speeds(static_cast<std::size_t>(size), 1);
  speeds.back() = 3;
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    test::virtual_time = 0;
    GridBalancerOptions chosen = options();
    chosen.scheme = scheme;
    chosen.grid.shape = factored(size, 1);
    chosen.grid.shape.dimensions = 2;
    for (int part = 0; part < size; ++part) chosen.grid.rank_of_part.push_back(size - 1 - part);
    chosen.monitor.speeds = speeds;
    chosen.monitor.own_clock = &test::virtual_now;
    chosen.monitor.trigger = Threshold{.lambda = 1.02};
    chosen.monitor.log = LogLevel::off;
    GridBalancer balancer(communicator, chosen);
    const Kernel kernel = balancer.kernel("work");
    const double speed = speeds[static_cast<std::size_t>(rank)];
    for (int step = 0; step < 200; ++step) {
      test::spend(kernel, std::llround(1e6 * work_in(balancer.domain()) / speed));
      if (balancer.step()) balancer.accept();
    }
    balancer.finish();
    EXPECT_LE(lambda_of(communicator.all_gather(work_in(balancer.domain())), speeds), 1.04);
  }
  GridBalancerOptions twice = options();
  twice.monitor.speeds = speeds;
  twice.rounds.speeds = speeds;
  EXPECT_ERROR(GridBalancer(communicator, twice),
               "monitor/grid_balancer: Speeds were given for parts and for ranks. Leave out "
               "rounds.speeds, or monitor.speeds.");
}

TEST_F(GridBalancers, TheJournalShowsWhatWasAccepted) {
  const test::ScratchDirectory scratch;
  const std::string journal = scratch.path_of("run.jsonl");
  GridBalancerOptions chosen = options();
  chosen.monitor.journal = journal;
  GridBalancer balancer(communicator, chosen);
  const auto next = balancer.propose(work_in(balancer.domain()));
  if (next) balancer.accept();
  std::string runs;  // along the lowest row of cells
  for (int begin = 0, end = 0; next && begin < 48; begin = end) {
    const auto owner_at = [&](int column) {
      return owner_of(*next, std::array<double, 2>{(column + 0.5) / 48, 0.5 / 48});
    };
    while (end < 48 && owner_at(end) == owner_at(begin)) ++end;
    if (end == 48) break;  // this run may continue in the next row
    runs += std::to_string(owner_at(begin)) + ',' + std::to_string(end - begin) + ',';
  }
  balancer.finish();
  if (rank != 0) return;
  const std::string text = test::content_of(journal);
  EXPECT_EQ(text.find("\"domains\"") != std::string::npos, size > 1);
  if (size > 1) {
    EXPECT_MENTIONS(text, "\"axes\":[0,1],\"at\":0,\"cells\":[48,48],\"owners\":[" + runs);
  }
}

TEST_F(GridBalancers, WhatIsNotAcceptedIsProposedAgain) {
  GridBalancer balancer(communicator, options());
  const auto first = balancer.propose(work_in(balancer.domain()));
  ASSERT_EQ(first.has_value(), size > 1);
  if (!first) {
    EXPECT_ERROR(balancer.accept(), "There is no proposal to accept.");
    return;
  }
  const auto second = balancer.propose(1);
  ASSERT_TRUE(second);
  EXPECT_TRUE(is_same_division(*second, *first));
  EXPECT_EQ(balancer.generation(), 1) << "until it is accepted";
  balancer.accept();
  EXPECT_ERROR(balancer.accept(), "There is no proposal to accept.");
  balancer.finish();
}

// After a drop, the present domains must stay, and the balancer must continue as from its start.
TEST_F(GridBalancers, ADroppedProposalLeavesNoTrace) {
  GridBalancer balancer(communicator, options()), other(communicator, options());
  EXPECT_ERROR(balancer.drop(), "There is no proposal to drop.");
  const double work = work_in(balancer.domain());
  const auto dropped = balancer.propose(work);
  EXPECT_EQ(dropped.has_value(), balancer.has_proposal());
  EXPECT_EQ(dropped.has_value(), size > 1);
  if (!dropped) return;
  balancer.drop();
  EXPECT_FALSE(balancer.has_proposal());
  EXPECT_EQ(balancer.generation(), 1);
  EXPECT_ERROR(balancer.accept(), "There is no proposal to accept.");
  for (int round = 0; round < 3; ++round) {
    const auto next = balancer.propose(work_in(balancer.domain()));
    const auto expected = other.propose(work_in(other.domain()));
    ASSERT_EQ(next.has_value(), expected.has_value());
    if (!next) break;
    EXPECT_TRUE(is_same_division(*next, *expected));
    balancer.accept();
    other.accept();
    EXPECT_EQ(balancer.generation(), 2 + round);
  }
  balancer.finish();
  other.finish();
}

TEST_F(GridBalancers, AcceptedBySomeIsTheSameErrorOnAll) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  GridBalancer balancer(communicator, options());
  ASSERT_TRUE(balancer.propose(work_in(balancer.domain())));
  if (rank == 0) balancer.accept();
  EXPECT_ERROR_EVERYWHERE(balancer.propose(1),
                          "Some ranks have accepted a proposal and others have not");
}

TEST_F(GridBalancers, WidthsAndCellsHold) {
  GridBalancerOptions chosen = options();
  chosen.rounds.cell_size = {1.0 / 64, 1.0 / 64, 0};
  chosen.rounds.least_width = {0.125, 0.125, 0};
  GridBalancer balancer(communicator, chosen);
  for (int round = 0; round < 8; ++round) {
    const Box domain = balancer.domain();
    for (std::size_t axis = 0; axis < 2; ++axis) {
      EXPECT_GE(domain.upper[axis] - domain.lower[axis], 0.125);
      EXPECT_EQ(domain.lower[axis] * 64, std::round(domain.lower[axis] * 64));
    }
    if (balancer.propose(work_in(domain))) balancer.accept();
  }
  balancer.finish();
}

TEST_F(GridBalancers, LooksAtKernelsByThemselves) {
  GridBalancerOptions chosen = options();
  chosen.monitor.trigger = Every{.start = 10, .stop = 100, .period = 20};
  GridBalancer balancer(communicator, chosen);
  const Kernel kernel = balancer.kernel("flow");
  volatile double sink = 0;
  int proposals = 0;
  for (int step = 0; step < 100; ++step) {
    {
      auto timing = kernel.time();
      for (int i = 0; i < static_cast<int>(1e4 * work_in(balancer.domain())); ++i) sink = sink + i;
    }
    const auto next = balancer.step();
    EXPECT_TRUE(test::same_everywhere(communicator, next ? "a proposal" : "no proposal"));
    if (!next) continue;
    balancer.accept();
    ++proposals;
  }
  EXPECT_EQ(proposals > 0, size > 1);
  balancer.finish();
}

TEST_F(GridBalancers, NeighboursTouch) {
  const GridBalancer balancer(communicator, options());
  const std::vector<int> neighbours = balancer.neighbours();
  EXPECT_TRUE(std::is_sorted(neighbours.begin(), neighbours.end()));
  EXPECT_EQ(std::count(neighbours.begin(), neighbours.end(), rank), 0);
  EXPECT_EQ(neighbours.empty(), size == 1);
}

TEST_F(GridBalancers, MisuseIsTheSameErrorOnAllRanks) {
  GridBalancerOptions chosen = options();
  chosen.grid.shape = {2, {size, 2, 1}};
  EXPECT_ERROR(GridBalancer(communicator, chosen), "domains was given for");
  chosen = options();
  chosen.rounds.least_width = {2, 0, 0};
  EXPECT_ERROR(GridBalancer(communicator, chosen), "largest");
  GridBalancer balancer(communicator, options());
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_ERROR_EVERYWHERE(balancer.propose(rank == size - 1 ? bad : 1.0), "core/boxes");
  }
  // Nothing was learned, and nothing must be lost.
  if (balancer.propose(work_in(balancer.domain()))) balancer.accept();
  balancer.finish();
}

// --- Alternatives --------------------------------------------------------------------------------

// Cells are at rest on a lattice. Those in one corner cost most. The program gives their loads
// instead of working.
struct Mesh {
  static constexpr int side = 40;
  std::vector<std::array<double, 2>> mine;
  std::vector<double> costs;

  void take(const Domains& domains, int rank) {
    mine.clear();
    costs.clear();
    for (int i = 0; i < side * side; ++i) {
      const std::array<double, 2> centre = {(i % side + 0.5) / side, (i / side + 0.5) / side};
      if (owner_of(domains, centre) != rank) continue;
      mine.push_back(centre);
      costs.push_back(std::exp(-4 * (centre[0] + centre[1])));
    }
  }
  double work() const { return std::accumulate(costs.begin(), costs.end(), 0.0); }
  Set cells() { return set(mine, {}, {.weight = costs}); }
};

struct Ran {
  Account account;
  double slowest = 0;  // seconds
};

// Collective. Each unit of work takes a second of virtual time.
Ran run(const Communicator& communicator, GridBalancerOptions options, const Trigger& trigger) {
  constexpr int steps = 80;
  constexpr double second = 1e9;
  options.monitor.trigger = trigger;
  options.monitor.own_clock = &test::virtual_now;
  options.monitor.log = LogLevel::off;
  GridBalancer balancer(communicator, options);
  const Kernel flow = balancer.kernel("flow");
  Mesh mesh;
  mesh.take(balancer.domains(), communicator.rank());
  std::vector<double> took;
  for (int step = 0; step < steps; ++step) {
    test::virtual_time += 1000;
    took.push_back(mesh.work());
    test::spend(flow, std::llround(mesh.work() * second));
    if (balancer.step(mesh.cells())) {
      balancer.accept();
      mesh.take(balancer.domains(), communicator.rank());
    }
  }
  balancer.finish();
  communicator.all_reduce(std::span<double>(took), Reduction::greatest);
  return {balancer.account(), std::accumulate(took.begin(), took.end(), 0.0)};
}

TEST_F(GridBalancers, KnowWhatCellsWouldHaveTakenElsewhere) {
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    GridBalancerOptions chosen = options();
    chosen.scheme = scheme;
    const Ran never = run(communicator, chosen, Never{});
    const Ran balanced = run(communicator, chosen, Threshold{.lambda = 1.05});
    const double truth = never.slowest - balanced.slowest;
    EXPECT_NEAR(balanced.account.actual, balanced.slowest, 1e-6 * never.slowest);
    EXPECT_NEAR(never.account.saved(), 0, 1e-6 * never.slowest);
    if (size == 1) continue;
    EXPECT_TRUE(balanced.account.knows_never);
    EXPECT_GT(truth, 0.2 * never.slowest) << "or nothing is shown";
    EXPECT_NEAR(balanced.account.saved(), truth, 0.02 * truth);
  }
}

TEST_F(GridBalancers, KnowWhatCellsOfABisectionWouldHaveTakenElsewhere) {
  const GridBalancerOptions chosen = by_bisection();
  const Ran never = run(communicator, chosen, Never{});
  const Ran balanced = run(communicator, chosen, Threshold{.lambda = 1.1});
  const double truth = never.slowest - balanced.slowest;
  EXPECT_NEAR(balanced.account.actual, balanced.slowest, 1e-6 * never.slowest);
  if (size == 1) return;
  EXPECT_GT(truth, 0.2 * never.slowest) << "or nothing is shown";
  EXPECT_NEAR(balanced.account.saved(), truth, 0.02 * truth);
}

// --- Bisections ----------------------------------------------------------------------------------

TEST_F(GridBalancers, BisectByTheWorkOfCells) {
  GridBalancerOptions chosen = by_bisection();
  chosen.bisection->axes = {true, false, true};  // the third axis has no meaning in 2-D
  std::vector<double> speeds(static_cast<std::size_t>(size), 1);
  speeds.back() = 2;
  chosen.monitor.speeds = speeds;
  GridBalancer balancer(communicator, chosen);
  Mesh mesh;
  mesh.take(balancer.domains(), rank);
  const double before = lambda_of(communicator.all_gather(mesh.work()), speeds);
  const auto next = balancer.propose(mesh.cells());
  ASSERT_EQ(next.has_value(), size > 1);
  if (!next) return;
  EXPECT_EQ(generation_of(*next), 2);
  EXPECT_TRUE(is_same_division(*balancer.propose(mesh.cells()), *next)) << "it is still open";
  const CellMoves moves =
      cells_between({unit, {Mesh::side, Mesh::side, 1}}, balancer.domains(), *next, rank);
  balancer.accept();
  mesh.take(balancer.domains(), rank);
  EXPECT_EQ(moves.after.count(), std::ssize(mesh.mine));
  EXPECT_EQ(moves.after.end[1] - moves.after.begin[1], Mesh::side) << "only x is cut";
  const double after = lambda_of(communicator.all_gather(mesh.work()), speeds);
  EXPECT_NEAR(balancer.best_lambda(), after, 1e-9);
  EXPECT_LT(after, 0.5 + 0.5 * before);
  EXPECT_FALSE(balancer.propose(mesh.cells())) << "nothing has changed";
  EXPECT_EQ(balancer.neighbours().size(), rank == 0 || rank == size - 1 ? 1U : 2U);
  balancer.finish();
}

TEST_F(GridBalancers, MisuseOfABisectionIsTheSameErrorOnAllRanks) {
  Mesh mesh;
  GridBalancer grid(communicator, options());
  mesh.take(grid.domains(), rank);
  EXPECT_ERROR_EVERYWHERE(grid.propose(mesh.cells()), "Cells were given to propose for a grid.");
  GridBalancer balancer(communicator, by_bisection());
  const std::string told =
      "A bisection is cut from the work of cells, but there are no cells. Give "
      "the cells of this rank to step and propose.";
  EXPECT_ERROR_EVERYWHERE(balancer.step(), told);
  EXPECT_ERROR_EVERYWHERE(balancer.propose(1), told);
  mesh.take(balancer.domains(), rank);
  std::vector<double> costs = mesh.costs;
  if (rank == size - 1) mesh.costs.back() = -1;
  EXPECT_ERROR_EVERYWHERE(balancer.propose(mesh.cells()), "Weights are finite and not negative.");
  mesh.costs = costs;
  if (rank == size - 1) mesh.mine.front()[0] = std::nan("");
  EXPECT_ERROR_EVERYWHERE(balancer.propose(mesh.cells()), "is not finite");
  GridBalancerOptions chosen = by_bisection();
  chosen.rounds.cell_size = {2, 2, 0};
  if (size > 1) {
    EXPECT_ERROR(GridBalancer(communicator, chosen), "only for 1 along x and 1 along y.");
  }
}

// The cells grow, until they need three quarters of all memory. Most work is in few of them.
TEST_F(GridBalancers, ABisectionComesBeforeARankIsFull) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  constexpr int steps = 100;
  const double limit = 10.0 * steps * Mesh::side * Mesh::side / 0.75 / size;
  const test::ScratchDirectory scratch;
  GridBalancerOptions chosen = by_bisection();
  chosen.monitor.trigger = Threshold{.lambda = 100};
  chosen.monitor.own_clock = &test::virtual_now;
  for (const bool is_limited : {false, true}) {
    if (is_limited) chosen.monitor.memory = {limit};
    chosen.monitor.journal = is_limited ? scratch.path_of("run.jsonl") : "";
    GridBalancer balancer(communicator, chosen);
    const Kernel flow = balancer.kernel("flow");
    Mesh mesh;
    double fullest = 0;
    for (int step = 0; step <= steps; ++step) {
      mesh.take(balancer.domains(), rank);
      const std::int64_t each = 10 * step + 1;
      const auto here = static_cast<double>((each - 1) * std::ssize(mesh.mine));
      fullest = std::max(fullest, communicator.all_reduce(here, Reduction::greatest));
      const Set cells = set(mesh.mine, {}, {.weight = mesh.costs, .bytes_per_object = each});
      test::spend(flow, std::llround(1e9 * mesh.work()));
      if (step == 0 ? balancer.propose(cells) : balancer.step(cells)) balancer.accept();
    }
    balancer.finish();
    EXPECT_EQ(fullest <= limit, is_limited) << fullest / limit;
  }
  if (rank == 0) {
    EXPECT_MENTIONS(test::content_of(scratch.path_of("run.jsonl")), R"("cause":"memory")");
  }
}

TEST_F(GridBalancers, MemoryThatCannotBeKeptIsAnError) {
  GridBalancerOptions chosen = options();
  chosen.monitor.memory = {100};
  EXPECT_ERROR_EVERYWHERE(GridBalancer(communicator, chosen),
                          "monitor.memory was given, but borders of a grid come from the work of "
                          "domains. Set .bisection, which knows the bytes of cells, or give no "
                          "limit of memory.");
  chosen = by_bisection();
  chosen.monitor.memory = {100};
  GridBalancer balancer(communicator, chosen);
  Mesh mesh;
  mesh.take(balancer.domains(), rank);
  std::vector<double> bytes(mesh.mine.size(), 1);
  const auto propose = [&] {
    return balancer.propose(set(mesh.mine, {}, {.weight = mesh.costs, .bytes = bytes}));
  };
  EXPECT_ERROR_EVERYWHERE(propose(),
                          "monitor/grid_balancer: No cut fits into the memory of the "
                          "ranks: rank ");
  EXPECT_ERROR_EVERYWHERE(balancer.propose(mesh.cells()),
                          "monitor.memory was given, but cells have no bytes. Give .bytes or "
                          ".bytes_per_object with the cells, or no limit of memory.");
  for (const double bad : {-1.0, std::nan("")}) {
    bytes[0] = rank == size - 1 ? bad : 1;
    EXPECT_ERROR_EVERYWHERE(propose(), "Bytes are finite and not negative.");
  }
  bytes.pop_back();
  EXPECT_ERROR_EVERYWHERE(propose(), "Give one size per owned object.");
  EXPECT_FALSE(balancer.has_proposal());
}

// --- Cells and meshes ----------------------------------------------------------------------------

// The cells of a Mesh that a rank has, as one message per parcel would bring them.
std::int64_t cells_of(const CellMoves& moves) {
  std::int64_t count = 0;
  for (const CellRange& range : moves.staying) count += range.count();
  for (const CellMoves::Parcel& parcel : moves.entering) count += parcel.cells.count();
  return count;
}

std::array<double, 3> centre_of(const Mesh& mesh) {
  std::array<double, 3> centre = {};
  for (std::size_t i = 0; i < mesh.mine.size(); ++i)
    for (std::size_t d = 0; d < 2; ++d) centre[d] += mesh.costs[i] / mesh.work() * mesh.mine[i][d];
  return centre;
}

class CellBalancers : public GridBalancers {
 protected:
  // Voronoi cells, or quadrilaterals.
  GridBalancerOptions by(bool is_mesh) const {
    GridBalancerOptions chosen;
    chosen.grid.shape.dimensions = 2;
    chosen.box = unit;
    if (is_mesh)
      chosen.mesh.emplace();
    else
      chosen.voronoi.emplace();
    return chosen;
  }
  double lambda_of_cells(const Mesh& mesh) const {
    return lambda_of(communicator.all_gather(mesh.work()));
  }
};

TEST_F(CellBalancers, ComeToEvenDomainsFromOneNumberAndItsCentre) {
  for (const bool is_mesh : {false, true})
    for (const bool has_centres : {false, true}) {
      GridBalancer balancer(communicator, by(is_mesh));
      EXPECT_EQ(balancer.generation(), 1);
      Mesh mesh;
      mesh.take(balancer.domains(), rank);
      const double first = lambda_of_cells(mesh);
      double least = first;
      for (int round = 0; round < 8; ++round) {
        const auto next = has_centres ? balancer.propose(mesh.work(), centre_of(mesh))
                                      : balancer.propose(mesh.work());
        EXPECT_TRUE(test::same_everywhere(communicator, next ? "a proposal" : "no proposal"));
        if (!next) continue;
        EXPECT_EQ(generation_of(*next), balancer.generation() + 1);
        const CellMoves moves =
            cells_between({unit, {Mesh::side, Mesh::side, 1}}, balancer.domains(), *next, rank);
        balancer.accept();
        mesh.take(balancer.domains(), rank);
        EXPECT_EQ(cells_of(moves), std::ssize(mesh.mine));
        least = std::min(least, lambda_of_cells(mesh));
      }
      // one cell can have 5 % of the work of a domain
      EXPECT_LE(least, has_centres ? 1.06 : 1.1) << is_mesh << has_centres;
      EXPECT_LE(balancer.best_lambda(), first + 1e-9);
      balancer.finish();
    }
}

TEST_F(CellBalancers, HaveABoxAroundTheirDomainAndNeighbours) {
  for (const bool is_mesh : {false, true}) {
    const GridBalancer balancer(communicator, by(is_mesh));
    EXPECT_EQ(balancer.domain(), box_of_rank(balancer.domains(), rank));
    EXPECT_EQ(balancer.neighbours().empty(), size == 1);
  }
}

TEST_F(CellBalancers, ADroppedProposalLeavesNoTrace) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  for (const bool is_mesh : {false, true}) {
    GridBalancer balancer(communicator, by(is_mesh)), other(communicator, by(is_mesh));
    Mesh mesh;
    for (int round = 0; round < 3; ++round) {
      mesh.take(balancer.domains(), rank);
      if (round == 1 && balancer.propose(mesh.work(), centre_of(mesh))) balancer.drop();
      const auto next = balancer.propose(mesh.work(), centre_of(mesh));
      const auto expected = other.propose(mesh.work(), centre_of(mesh));
      ASSERT_EQ(next.has_value(), expected.has_value());
      if (!next) break;
      EXPECT_TRUE(is_same_division(*next, *expected));
      balancer.accept();
      other.accept();
    }
    balancer.finish();
    other.finish();
  }
}

// Three ways to give the centre of work: beside the step, by the cells, and not at all.
TEST_F(CellBalancers, LookAtKernelsAndAtCells) {
  constexpr double second = 1e9;
  for (const bool is_mesh : {false, true})
    for (const int way : {0, 1, 2}) {
      test::virtual_time = 0;
      GridBalancerOptions chosen = by(is_mesh);
      chosen.monitor.trigger = Threshold{.lambda = 1.1};
      chosen.monitor.own_clock = &test::virtual_now;
      chosen.monitor.log = LogLevel::off;
      GridBalancer balancer(communicator, chosen);
      const Kernel flow = balancer.kernel("flow");
      Mesh mesh;
      mesh.take(balancer.domains(), rank);
      for (int step = 0; step < 120; ++step) {
        test::virtual_time += 1000;
        test::spend(flow, std::llround(mesh.work() * second));
        const auto next = way == 0   ? balancer.step(centre_of(mesh))
                          : way == 1 ? balancer.step(mesh.cells())
                                     : balancer.step();
        if (!next) continue;
        balancer.accept();
        mesh.take(balancer.domains(), rank);
      }
      EXPECT_LE(lambda_of_cells(mesh), size == 1 ? 1 : 1.12) << is_mesh << way;
      const std::string saved = balancer.saved_state();
      balancer.finish();
      if (way == 1 && size > 1) {
        EXPECT_TRUE(balancer.account().knows_never);
      }
      GridBalancer later(communicator, chosen);
      later.restore(saved);
      later.finish();
    }
}

TEST_F(CellBalancers, ProposeByTheWorkOfCells) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  GridBalancer balancer(communicator, by(false)), other(communicator, by(false));
  Mesh mesh;
  mesh.take(balancer.domains(), rank);
  const auto next = balancer.propose(mesh.cells());
  const auto expected = other.propose(mesh.work(), centre_of(mesh));
  ASSERT_TRUE(next && expected);
  EXPECT_LT(std::abs(box_of_rank(*next, rank).lower[0] - box_of_rank(*expected, rank).lower[0]),
            1e-3)
      << "sums differ in the order of their terms";
}

TEST_F(CellBalancers, GiveARankWorkInProportionToItsSpeed) {
  std::vector<double> speeds(static_cast<std::size_t>(size), 1);
  speeds.back() = 2;
  for (const bool is_named : {false, true}) {
    GridBalancerOptions chosen = by(false);
    chosen.monitor.speeds = speeds;
    if (is_named)
      for (int part = 0; part < size; ++part) chosen.grid.rank_of_part.push_back(size - 1 - part);
    GridBalancer balancer(communicator, chosen);
    Mesh mesh;
    double least = 9;
    for (int round = 0; round < 8; ++round) {
      mesh.take(balancer.domains(), rank);
      least = std::min(least, lambda_of(communicator.all_gather(mesh.work()), speeds));
      if (balancer.propose(mesh.work(), centre_of(mesh))) balancer.accept();
    }
    EXPECT_LE(least, 1.06);
    if (is_named) {
      EXPECT_EQ(rank_of_part(balancer.domains()), chosen.grid.rank_of_part);
    }
    balancer.finish();
  }
}

TEST_F(CellBalancers, MisuseIsTheSameErrorOnAllRanks) {
  GridBalancerOptions chosen = by(false);
  chosen.mesh.emplace();
  EXPECT_ERROR(GridBalancer(communicator, chosen),
               "monitor/grid_balancer: Several of .bisection, .voronoi and .mesh were set. Set at "
               "most one.");
  const std::string told =
      "A centre of work was given for domains that are boxes. Leave out the centre, or set "
      ".voronoi or .mesh.";
  GridBalancer grid(communicator, options());
  EXPECT_ERROR_EVERYWHERE(grid.propose(1, {0.5, 0.5, 0}), told);
  EXPECT_ERROR_EVERYWHERE(grid.step(std::array{0.5, 0.5, 0.0}), told);
  GridBalancer balancer(communicator, by(false));
  const double outside =
      rank == size - 1 ? 3 : 0.5 * (balancer.domain().lower[0] + balancer.domain().upper[0]);
  EXPECT_ERROR_EVERYWHERE(balancer.propose(1, {outside, balancer.domain().lower[1], 0}),
                          "is 3 along x, which is outside of the box around its domain.");
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_ERROR_EVERYWHERE(balancer.propose(rank == size - 1 ? bad : 1.0), "core/place");
  }
  if (balancer.propose(1.0 + rank)) balancer.accept();
  balancer.finish();
  GridBalancerOptions flat = by(true);
  flat.grid.shape.dimensions = 1;
  EXPECT_ERROR(GridBalancer(communicator, flat), "Cells in 1 dimensions were asked for.");
}

}  // namespace
}  // namespace evenkeel::grid_balancer_test
