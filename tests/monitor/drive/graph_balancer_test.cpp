// Tests proposals for an application that moves its mesh itself.

#include <evenkeel/monitor/graph_balancer.hpp>

#include "core/graph/graphs.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::graph_balancer_test {
namespace {

using Number = std::int64_t;

// A grid of cells that all ranks know. Each rank has the rows of its own cells.
class Mesh {
 public:
  Mesh(const Communicator& ranks, Number width, Number height)
      : ranks_(ranks), whole_(test::grid(width, height)), width_(width) {
    for (Number cell = 0; cell < whole_.size(); ++cell)
      owner_.push_back(static_cast<int>(cell * ranks.size() / whole_.size()));
    renew();
  }

  // Cells in rows around `middle` weigh more.
  void heat(Number middle) {
    weights.clear();
    for (const Number cell : cells_)
      weights.push_back(std::abs(cell / width_ - middle) < 3 ? 5.0 : 1.0);
  }
  // Cells on the left have all work, and those on the right most bytes.
  void fill(double bytes_on_the_right) {
    weights.clear(), bytes.clear();
    for (const Number cell : cells_) {
      const bool is_left = 2 * (cell % width_) < width_;
      weights.push_back(is_left ? 1 : 0.01);
      bytes.push_back(is_left ? 10 : bytes_on_the_right);
    }
  }
  void move_to(const GraphCut& cut) {
    const std::vector<int> parts = cut.parts.on_host();
    const std::vector<int> all = ranks_.all_gather(std::span<const int>(parts)).values;
    for (std::size_t number = 0; number < all.size(); ++number)
      owner_[std::size_t(cell_of_number_[number])] = all[number];
    renew();
  }
  Graph as_graph(const GraphOptions& known = {}) const { return graph(offsets, columns, known); }
  double lambda() const {
    double load = 0;
    for (const double weight : weights) load += weight;
    return lambda_of(ranks_.all_gather(load));
  }
  Number count() const { return std::ssize(cells_); }

  std::vector<Number> offsets, columns;
  std::vector<double> weights, bytes;

 private:
  void renew() {
    std::vector<std::vector<Number>> of_rank(std::size_t(ranks_.size()));
    for (Number cell = 0; cell < whole_.size(); ++cell)
      of_rank[std::size_t(owner_[std::size_t(cell)])].push_back(cell);
    cells_ = of_rank[std::size_t(ranks_.rank())];
    cell_of_number_.clear();
    for (const auto& cells : of_rank)
      cell_of_number_.insert(cell_of_number_.end(), cells.begin(), cells.end());
    std::vector<Number> number(std::size_t(whole_.size()));
    for (std::size_t i = 0; i < cell_of_number_.size(); ++i)
      number[std::size_t(cell_of_number_[i])] = Number(i);
    offsets = {0};
    columns.clear();
    for (const Number cell : cells_) {
      for (const Number other : whole_.row(cell)) columns.push_back(number[std::size_t(other)]);
      offsets.push_back(std::ssize(columns));
    }
  }

  const Communicator& ranks_;
  test::GraphOnHost whole_;
  Number width_;
  std::vector<int> owner_;
  std::vector<Number> cells_, cell_of_number_;
};

class GraphBalancing : public testing::Test {
 protected:
  Communicator ranks = test::world();
  int size = ranks.size();
  Mesh mesh{ranks, 30, 16};
  GraphBalancerOptions deterministic = {
      .costs = VertexCosts::as_given,
      .monitor = {.trigger = Threshold{.lambda = 1.1}, .epoch_steps = 6, .deterministic = true}};
};

TEST_F(GraphBalancing, ProposesWhenTheTriggerSaysSo) {
  GraphBalancer balancer(ranks, deterministic);
  int proposals = 0;
  for (int step = 0; step < 80; ++step) {
    mesh.heat(step < 40 ? 3 : 12);
    const auto next = balancer.step(mesh.as_graph({.weight = mesh.weights}));
    EXPECT_EQ(next.has_value(), balancer.has_proposal());
    if (!next) continue;
    ++proposals;
    EXPECT_GT(next->report.moved, 0);
    EXPECT_EQ(next->report.empty, 0);
    EXPECT_LE(next->report.lambda.front(), 1.031);
    mesh.move_to(*next);
    balancer.accept();
    mesh.heat(step < 40 ? 3 : 12);
    EXPECT_NEAR(mesh.lambda(), next->report.lambda.front(), 1e-6);
  }
  EXPECT_LE(mesh.lambda(), 1.1);
  EXPECT_EQ(balancer.generation(), proposals);
  if (size > 1) {
    EXPECT_GE(proposals, 1);
    EXPECT_LE(proposals, 6);
  }
  balancer.finish();
}

TEST_F(GraphBalancing, WhatIsDroppedChangesNothing) {
  GraphBalancer balancer(ranks, deterministic);
  mesh.heat(3);
  const Graph graph = mesh.as_graph({.weight = mesh.weights});
  const GraphCut first = balancer.propose(graph);
  EXPECT_TRUE(balancer.has_proposal());
  balancer.drop();
  EXPECT_FALSE(balancer.has_proposal());
  EXPECT_EQ(balancer.generation(), 0);
  const GraphCut second = balancer.propose(graph);
  EXPECT_EQ(first.parts.on_host(), second.parts.on_host());
  EXPECT_FALSE(balancer.step(graph).has_value());
  EXPECT_FALSE(balancer.has_proposal()) << "a step drops what is open";
  EXPECT_ERROR(balancer.drop(), "There is no proposal to drop.");
  EXPECT_ERROR(balancer.accept(), "There is no proposal to accept.");
  balancer.finish();
}

TEST_F(GraphBalancing, ATargetIsALambda) {
  EXPECT_ERROR_EVERYWHERE(GraphBalancer(ranks, {.method = {.target_lambda = 0.03}}),
                          "The target_lambda of the method graph is 0.03.");
}

// An application may tighten its request until every rank has enough cells.
TEST_F(GraphBalancing, ProposesAgainByAnotherMethod) {
  GraphBalancer balancer(ranks, deterministic);
  mesh.heat(3);
  const Graph graph = mesh.as_graph({.weight = mesh.weights});
  double last = std::numeric_limits<double>::max();
  for (const double target : {1.5, 1.2, 1.05, 1.01}) {
    const GraphCut cut = balancer.propose(graph, ByGraph{.target_lambda = target});
    EXPECT_LE(cut.report.lambda.front(), target + 1e-9);
    EXPECT_LE(cut.report.lambda.front(), last + 1e-9);
    last = target;
  }
  const GraphCut anew = balancer.propose(graph, std::nullopt, true);
  EXPECT_LE(anew.report.lambda.front(), 1.031);
  mesh.move_to(anew);
  balancer.accept();
  EXPECT_EQ(balancer.generation(), 1);
  balancer.finish();
}

// All cells weigh the same, but those of rank 0 take three times as long as others.
TEST_F(GraphBalancing, CellsCostWhatTheirRanksMeasure) {
  std::int64_t now = 0;
  GraphBalancerOptions options = {.monitor = {.trigger = Never{}, .epoch_steps = 6}};
  options.monitor.own_clock = [&now] { return now; };
  GraphBalancer balancer(ranks, options);
  Kernel work = balancer.kernel("work");
  for (int step = 0; step < 30; ++step) {
    {
      const auto timing = work.time();
      now += mesh.count() * (ranks.rank() == 0 ? 3000 : 1000);
    }
    EXPECT_FALSE(balancer.step(mesh.as_graph()).has_value());
  }
  const Number before = mesh.count();
  const GraphCut cut = balancer.propose(mesh.as_graph());
  mesh.move_to(cut);
  balancer.accept();
  if (size > 1 && ranks.rank() == 0) {
    const double expected = (2.0 + size) / size / 3;  // as a share of its former number
    EXPECT_NEAR(double(mesh.count()) / double(before), expected, 0.05 * expected + 0.02);
  }
  balancer.finish();
}

// All cells cost the same, and the last rank is four times as fast as the others.
TEST_F(GraphBalancing, ARankGetsCellsInProportionToItsSpeed) {
  std::vector<double> speeds(static_cast<std::size_t>(size), 1);
  speeds.back() = 4;
  std::int64_t now = 0;
  GraphBalancerOptions options = {.monitor = {.trigger = Never{}, .epoch_steps = 6}};
  options.monitor.speeds = speeds;
  options.monitor.own_clock = [&now] { return now; };
  GraphBalancer balancer(ranks, options);
  Kernel work = balancer.kernel("work");
  const bool is_fast = ranks.rank() == size - 1;
  for (int step = 0; step < 20; ++step) {
    {
      const auto timing = work.time();
      now += mesh.count() * (is_fast ? 1000 : 4000);
    }
    EXPECT_FALSE(balancer.step(mesh.as_graph()).has_value());
  }
  const GraphCut cut = balancer.propose(mesh.as_graph());
  EXPECT_LE(cut.report.lambda.front(), 1.031);
  mesh.move_to(cut);
  balancer.accept();
  const double mine = double(mesh.count()), all = ranks.all_reduce(mine, Reduction::sum);
  const double share = speeds[std::size_t(ranks.rank())] / (size + 3.0);
  EXPECT_LE(mine / all, 1.05 * share);
  EXPECT_GE(mine / all, 0.8 * share) << "only the heaviest parts have a limit";
  balancer.finish();
}

// The new load of vertices follows from their weights, and from the time that weights took before.
TEST_F(GraphBalancing, AChangeIsAnsweredInTheSameStep) {
  constexpr int change = 13;
  for (const Trigger& trigger : {Trigger(Threshold{.lambda = 1.2}), Trigger(CostAware{})}) {
    Mesh cells(ranks, 30, 16);
    cells.heat(-9);  // all weigh the same
    std::int64_t now = 0;
    GraphBalancerOptions options = {.monitor = {.trigger = trigger, .watcher = false}};
    options.monitor.own_clock = [&now] { return now; };
    options.monitor.log = LogLevel::off;
    GraphBalancer balancer(ranks, options);
    Kernel work = balancer.kernel("work");
    for (int step = 1; step <= change; ++step) {
      {
        const auto timing = work.time();
        for (const double weight : cells.weights) now += std::llround(1000 * weight);
      }
      if (step == change) cells.heat(3);
      const auto next =
          balancer.step(cells.as_graph({.weight = cells.weights}), {.changed = step == change});
      EXPECT_EQ(next.has_value(), step == change && size > 1) << to_text(trigger) << ' ' << step;
      if (!next) continue;
      cells.move_to(*next);
      balancer.accept();
      cells.heat(3);
      EXPECT_LE(cells.lambda(), 1.1);
    }
    balancer.finish();
  }
}

TEST_F(GraphBalancing, ACostAfterAProposalCanBeNoted) {
  std::int64_t now = 0;
  GraphBalancerOptions options = {.monitor = {.trigger = Never{}, .epoch_steps = 6}};
  options.monitor.own_clock = [&now] { return now; };
  GraphBalancer balancer(ranks, options);
  Kernel work = balancer.kernel("work");
  mesh.heat(3);
  for (int step = 0; step < 20; ++step) {
    {
      const auto timing = work.time();
      now += 1000;
    }
    EXPECT_FALSE(balancer.step(mesh.as_graph()).has_value());
    if (step != 8) continue;
    EXPECT_ERROR(balancer.note_cost(1), "note_cost was called without a rebalance");
    balancer.propose(mesh.as_graph({.weight = mesh.weights}));
    now += 3000;
    balancer.accept();
    now += 500;
    balancer.note_cost(500e-9);
  }
  balancer.finish();
  EXPECT_NEAR(balancer.account().own_cost, 3000e-9, 1e-15);
  EXPECT_NEAR(balancer.account().rebuild_cost, 500e-9, 1e-15);
}

TEST_F(GraphBalancing, RanksThatDisagreeAreTold) {
  if (size == 1) GTEST_SKIP() << "one rank alone cannot disagree";
  GraphBalancer balancer(ranks, deterministic);
  mesh.heat(3);
  const Graph graph = mesh.as_graph({.weight = mesh.weights});
  balancer.propose(graph);
  if (ranks.rank() == 0)
    balancer.accept();
  else
    balancer.drop();
  EXPECT_ERROR(balancer.propose(graph), "Call accept() on all ranks or on no rank.");
}

// The cells on the right grow, until all cells need three quarters of all memory.
TEST_F(GraphBalancing, ComesBeforeARankIsFull) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  constexpr int steps = 100;
  const double limit = 240 * (10 + 10 * steps) / 0.75 / size;
  const test::ScratchDirectory scratch;
  GraphBalancerOptions options = deterministic;
  options.monitor.trigger = Threshold{.lambda = 100};
  for (const bool is_limited : {false, true}) {
    if (is_limited) options.monitor.memory = {limit};
    options.monitor.journal = is_limited ? scratch.path_of("run.jsonl") : "";
    Mesh cells(ranks, 30, 16);
    GraphBalancer balancer(ranks, options);
    const auto graph = [&] {
      return cells.as_graph({.weight = cells.weights, .bytes = cells.bytes});
    };
    cells.fill(10);
    cells.move_to(balancer.propose(graph(), std::nullopt, true));
    balancer.accept();
    double fullest = 0;
    for (int step = 1; step <= steps; ++step) {
      cells.fill(10 * step);
      const double here = std::accumulate(cells.bytes.begin(), cells.bytes.end(), 0.0);
      fullest = std::max(fullest, ranks.all_reduce(here, Reduction::greatest));
      if (const auto next = balancer.step(graph())) {
        cells.move_to(*next);
        balancer.accept();
      }
    }
    balancer.finish();
    EXPECT_EQ(fullest <= limit, is_limited) << fullest / limit;
  }
  if (ranks.rank() == 0) {
    EXPECT_MENTIONS(test::content_of(scratch.path_of("run.jsonl")), R"("cause":"memory")");
  }
}

TEST_F(GraphBalancing, MemoryThatIsTooSmallIsAnErrorAtFirst) {
  GraphBalancerOptions options = deterministic;
  options.monitor.memory = {100};
  options.monitor.log = LogLevel::off;
  GraphBalancer balancer(ranks, options);
  const auto propose = [&] {
    return balancer.propose(mesh.as_graph({.weight = mesh.weights, .bytes = mesh.bytes}));
  };
  mesh.fill(10);
  EXPECT_ERROR_EVERYWHERE(propose(),
                          "monitor/graph_balancer: No cut fits into the memory of the "
                          "ranks: rank ");
  EXPECT_FALSE(balancer.has_proposal());
  for (int step = 0, proposals = 0; step < 40; ++step) {
    if (!balancer.step(mesh.as_graph({.weight = mesh.weights, .bytes = mesh.bytes}))) continue;
    EXPECT_LE(++proposals, 1) << "nothing helps";
    balancer.drop();
  }
  EXPECT_ERROR_EVERYWHERE(balancer.propose(mesh.as_graph()),
                          "Memory is limited, but the graph has no bytes of vertices. Give .bytes "
                          "with the graph, or no limit of memory.");
  for (const double bad : {-1.0, std::nan("")}) {
    mesh.fill(10);
    if (ranks.rank() == size - 1) mesh.bytes.back() = bad;
    EXPECT_ERROR_EVERYWHERE(propose(), "Give numbers that are finite and not negative.");
  }
  mesh.bytes.pop_back();
  EXPECT_ERROR_EVERYWHERE(propose(), " bytes in '");
  balancer.finish();
}

TEST_F(GraphBalancing, RefusesGraphsThatMakeNoSense) {
  GraphBalancer balancer(ranks, deterministic);
  std::vector<double> few(1);
  EXPECT_ERROR_EVERYWHERE(balancer.propose(mesh.as_graph({.weight = few})), "There are 1 weights");
  EXPECT_FALSE(balancer.has_proposal());
  balancer.finish();
}

}  // namespace
}  // namespace evenkeel::graph_balancer_test
