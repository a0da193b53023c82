// A Balancer cuts the graph of its objects. They are the cells of a grid, and each carries its row.

#include "core/graph/graphs.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/field/payload.hpp>
#include <evenkeel/core/graph.hpp>
#include <evenkeel/core/halo.hpp>
#include <evenkeel/monitor/balancer.hpp>

namespace evenkeel::graph_test {
namespace {

template <class T>
using Values = exec::Array<T>;
using Number = std::int64_t;
using CellPlace = std::array<double, 2>;

constexpr Number width = 24, height = 20, all_cells = width * height;

template <class T>
Values<T> there(const std::vector<T>& values) {
  return {test::space(), "cells", std::span<const T>(values)};
}

// Cells weigh 1, and 6 near a place.
double weight_near(double at_x, double at_y, Number cell) {
  const double dx = static_cast<double>(cell % width) - at_x * static_cast<double>(width);
  const double dy = static_cast<double>(cell / width) - at_y * static_cast<double>(height);
  return dx * dx + dy * dy < 16 ? 6 : 1;
}

// The cells of this rank, in the memory of the space under test. Columns are numbers of vertices.
struct Cells {
  test::GraphOnHost grid = test::grid(width, height);
  Values<CellPlace> x;
  Values<Number> id, offsets, columns, first_layer, layers;
  Values<double> weight;

  // Takes the cells from `first` up to `last`, exclusive.
  Cells(Number first, Number last) {
    std::vector<Number> ids, starts = {0}, rows, starts_of_layers = {0}, of_layers;
    std::vector<CellPlace> places;
    for (Number cell = first; cell < last; ++cell) {
      ids.push_back(cell);
      places.push_back({static_cast<double>(cell % width), static_cast<double>(cell / width)});
      for (const Number other : grid.row(cell)) rows.push_back(other);
      starts.push_back(std::ssize(rows));
      for (Number layer = 0; layer <= cell % 3; ++layer) of_layers.push_back(100 * cell + layer);
      starts_of_layers.push_back(std::ssize(of_layers));
    }
    id = there(ids);
    offsets = there(starts);
    columns = there(rows);
    first_layer = there(starts_of_layers);
    layers = there(of_layers);
    x = there(places);
    weigh(0.2, 0.3);
  }

  void weigh(double at_x, double at_y) {
    std::vector<double> weights;
    for (const Number cell : id.on_host()) weights.push_back(weight_near(at_x, at_y, cell));
    weight = there(weights);
  }

  // Marks edges along the first axis, so that rows of cells must stay together.
  Values<int> marks_of_rows() const {
    std::vector<int> marks;
    for (const Number cell : id.on_host())
      for (const Number other : grid.row(cell))
        marks.push_back(other / width == cell / width ? 1 : 0);
    return there(marks);
  }
  Values<double> infinite_in_rows() const {
    std::vector<double> weights;
    for (const int mark : marks_of_rows().on_host())
      weights.push_back(mark != 0 ? std::numeric_limits<double>::infinity() : 1);
    return there(weights);
  }
  void name_neighbours_by_ids() {
    std::vector<Number> neighbours;
    for (const Number cell : id.on_host())
      for (const Number other : grid.row(cell)) neighbours.push_back(other);
    columns = there(neighbours);
  }

  Set as_set(SetOptions options = {}, const GraphOptions& known = {}) {
    options.graph = graph(offsets, columns, known);
    return set(x, carry(id, csr(offsets, columns), csr(first_layer, layers)), options);
  }
  Set weighed(const GraphOptions& known = {}) { return as_set({.weight = weight}, known); }
};

class BalancerByGraph : public testing::Test {
 protected:
  Communicator ranks = test::world();
  int rank = ranks.rank(), size = ranks.size();
  Options by_graph = {.method = ByGraph{}, .origins = true, .deterministic = true};

  Cells all_on_the_last() const { return {rank == size - 1 ? 0 : all_cells, all_cells}; }
  Cells spread() const { return {all_cells * rank / size, all_cells * (rank + 1) / size}; }

  // Expects every cell once, with its place, its layers and its row. The columns of the row are
  // numbers, and must still name the right neighbours.
  void expect_intact(const Cells& cells) const {
    const std::vector<Number> ids = cells.id.on_host(), starts = cells.offsets.on_host(),
                              rows = cells.columns.on_host(), layers = cells.layers.on_host(),
                              first_layer = cells.first_layer.on_host();
    const std::vector<CellPlace> places = cells.x.on_host();
    const std::vector<Number> by_number = ranks.all_gather(std::span<const Number>(ids)).values;
    std::vector<Number> sorted = by_number;
    std::ranges::sort(sorted);
    ASSERT_EQ(std::ssize(sorted), all_cells);
    for (Number cell = 0; cell < all_cells; ++cell) ASSERT_EQ(sorted[std::size_t(cell)], cell);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(places[i], CellPlace({double(ids[i] % width), double(ids[i] / width)}));
      std::multiset<Number> found, expected;
      for (Number e = starts[i]; e < starts[i + 1]; ++e)
        found.insert(by_number[std::size_t(rows[std::size_t(e)])]);
      for (const Number other : cells.grid.row(ids[i])) expected.insert(other);
      EXPECT_EQ(found, expected) << "cell " << ids[i];
      ASSERT_EQ(first_layer[i + 1] - first_layer[i], ids[i] % 3 + 1);
      EXPECT_EQ(layers[std::size_t(first_layer[i])], 100 * ids[i]);
    }
  }
  void expect_whole_rows(const Cells& cells) const {
    std::set<Number> rows;
    for (const Number cell : cells.id.on_host()) rows.insert(cell / width);
    EXPECT_EQ(std::ssize(rows) * width, cells.id.size());
  }
  double lambda(const Cells& cells) const {
    double load = 0;
    for (const double weight : cells.weight.on_host()) load += weight;
    return lambda_of(ranks.all_gather(load));
  }
  const GraphReport& report_of(const Balancer& balancer) const {
    return std::get<GraphDomains>(balancer.domains()).report();
  }
};

TEST_F(BalancerByGraph, MakesTheFirstDistribution) {
  for (const Effort effort : {Effort::polish, Effort::fast, Effort::good}) {
    Cells cells = all_on_the_last();
    by_graph.method = ByGraph{.effort = effort};
    Balancer balancer(ranks, by_graph);
    const MoveReport moved = balancer.rebalance(cells.weighed());
    EXPECT_EQ(moved.moved, size > 1);
    EXPECT_TRUE(moved.has_new_domains());
    renumber(ranks, moved, cells.columns);
    cells.weigh(0.2, 0.3);
    expect_intact(cells);
    EXPECT_LE(lambda(cells), 1.031);
    EXPECT_NEAR(moved.lambda, lambda(cells), 1e-6);
    EXPECT_EQ(report_of(balancer).vertices, all_cells);
    EXPECT_EQ(report_of(balancer).empty, 0);
    // The cut may have a few times as many edges as straight borders.
    EXPECT_LE(report_of(balancer).cut, 40.0 * (size - 1));
    balancer.finish();
  }
}

TEST_F(BalancerByGraph, MovesLittleWhenLoadsMove) {
  Cells cells = all_on_the_last();
  Balancer balancer(ranks, by_graph);
  renumber(ranks, balancer.rebalance(cells.weighed()), cells.columns);
  std::int64_t moved_in_all = 0;
  for (int step = 1; step <= 5; ++step) {
    cells.weigh(0.2 + 0.1 * step, 0.3 + 0.08 * step);
    const MoveReport moved = balancer.rebalance(cells.weighed());
    renumber(ranks, moved, cells.columns);
    cells.weigh(0.2 + 0.1 * step, 0.3 + 0.08 * step);
    expect_intact(cells);
    EXPECT_LE(lambda(cells), 1.031);
    moved_in_all += moved.objects;
    const MoveReport again = balancer.rebalance(cells.weighed());
    EXPECT_FALSE(again.moved) << "they are even already";
    EXPECT_LE(lambda(cells), 1.031);
  }
  EXPECT_LE(moved_in_all, all_cells) << "of 5 times as many";
  balancer.finish();
}

TEST_F(BalancerByGraph, ActsWhenItsTriggerSaysSo) {
  Cells cells = spread();
  by_graph.trigger = Threshold{.lambda = 1.2};
  by_graph.epoch_steps = 6;
  Balancer balancer(ranks, by_graph);
  int moves = 0;
  for (int step = 0; step < 60; ++step) {
    const double place = step < 30 ? 0.2 : 0.8;
    cells.weigh(place, place);
    const MoveReport moved = balancer.step(cells.weighed());
    if (!moved) continue;
    ++moves;
    renumber(ranks, moved, cells.columns);
    cells.weigh(place, place);
    EXPECT_LE(lambda(cells), 1.031);
  }
  expect_intact(cells);
  EXPECT_LE(lambda(cells), 1.2);
  if (size > 1) {
    EXPECT_GE(moves, 1);
    EXPECT_LE(moves, 6);
  }
  balancer.finish();
}

TEST_F(BalancerByGraph, KeepsWhatIsEvenEnough) {
  Cells cells = spread();
  by_graph.target_lambda = 1.5;
  Balancer balancer(ranks, by_graph);
  renumber(ranks, balancer.rebalance(cells.weighed()), cells.columns);
  cells.weigh(0.2, 0.3);
  std::vector<double> weights = cells.weight.on_host();
  for (double& weight : weights) weight *= rank == 0 ? 1.2 : 1;
  cells.weight = there(weights);
  const MoveReport moved = balancer.rebalance(cells.weighed());
  EXPECT_FALSE(moved.moved);
  EXPECT_FALSE(moved.has_new_domains());
  balancer.finish();
}

TEST_F(BalancerByGraph, CutsNoEdgeThatIsUncuttable) {
  Cells cells = spread();
  Balancer balancer(ranks, by_graph);
  const Values<int> uncuttable = cells.marks_of_rows();
  renumber(ranks, balancer.rebalance(cells.as_set({}, {.uncuttable = uncuttable})), cells.columns);
  expect_intact(cells);
  EXPECT_EQ(report_of(balancer).broken, 0);
  expect_whole_rows(cells);
  balancer.finish();
}

// The loads are even, but new marks of edges do not allow the present parts.
TEST_F(BalancerByGraph, DoesNotKeepPartsThatCutUncuttableEdges) {
  for (const bool has_ids : {false, true})
    for (const bool has_marks : {false, true}) {
      SCOPED_TRACE((has_ids ? "ids" : "numbers") + std::string(has_marks ? ", marks" : ""));
      Cells cells = spread();
      by_graph.method = ByGraph{.effort = Effort::fast};
      Balancer balancer(ranks, by_graph);
      const auto rebalance = [&](GraphOptions known) {
        if (has_ids) {
          known.id = cells.id;
          cells.name_neighbours_by_ids();
        }
        const MoveReport moved = balancer.rebalance(cells.as_set({}, known));
        if (!has_ids) renumber(ranks, moved, cells.columns);
        return moved;
      };
      rebalance({});
      EXPECT_FALSE(rebalance({}).moved) << "they are even";
      const Values<int> marks = cells.marks_of_rows();
      const Values<double> weights = cells.infinite_in_rows();
      const GraphOptions bound =
          has_marks ? GraphOptions{.uncuttable = marks} : GraphOptions{.edge_weight = weights};
      EXPECT_EQ(rebalance(bound).moved, size > 1);
      expect_whole_rows(cells);
      EXPECT_EQ(report_of(balancer).broken, 0);
      const Values<int> marks_again = cells.marks_of_rows();
      const Values<double> weights_again = cells.infinite_in_rows();
      const MoveReport again = rebalance(has_marks ? GraphOptions{.uncuttable = marks_again}
                                                   : GraphOptions{.edge_weight = weights_again});
      EXPECT_FALSE(again.has_new_domains()) << "now they are kept";
      balancer.finish();
    }
}

TEST_F(BalancerByGraph, DoesNotKeepPartsWithoutObjects) {
  by_graph.target_lambda = 2;
  Balancer balancer(ranks, by_graph);
  Cells cells = spread();
  renumber(ranks, balancer.rebalance(cells.as_set()), cells.columns);
  // All cells are now born on other ranks than the last.
  const int others = std::max(size - 1, 1);
  cells = rank < others ? Cells(all_cells * rank / others, all_cells * (rank + 1) / others)
                        : Cells(all_cells, all_cells);
  const MoveReport moved = balancer.rebalance(cells.as_set());
  EXPECT_EQ(moved.moved, size > 1);
  renumber(ranks, moved, cells.columns);
  expect_intact(cells);
  EXPECT_GT(cells.id.size(), 0);
  balancer.finish();
}

// If there are fewer objects than ranks, some ranks must be empty.
TEST_F(BalancerByGraph, KeepsEmptyRanksIfThereAreTooFewObjects) {
  by_graph.target_lambda = size;
  Balancer balancer(ranks, by_graph);
  const Values<CellPlace> places = there(std::vector<CellPlace>(rank == 0 ? 1 : 0));
  const Values<Number> offsets = there(std::vector<Number>(rank == 0 ? 2 : 1, 0)),
                       columns = there(std::vector<Number>());
  Values<CellPlace> x = places;
  const auto rebalance = [&] {
    Values<Number> its_offsets = there(std::vector<Number>(std::size_t(x.size()) + 1, 0));
    return balancer.rebalance(set(x, carry(), {.graph = graph(its_offsets, columns)}));
  };
  rebalance();
  EXPECT_FALSE(rebalance().has_new_domains());
  balancer.finish();
}

// The graph fixes cells in parts. That these parts are even does not matter.
TEST_F(BalancerByGraph, DoesNotKeepPartsAgainstTheGraphsFixedParts) {
  Cells cells = spread();
  Balancer balancer(ranks, by_graph);
  renumber(ranks, balancer.rebalance(cells.as_set()), cells.columns);
  std::vector<int> parts(std::size_t(cells.id.size()), -1);
  if (rank == 0) parts.front() = size - 1;
  const Number first = rank == 0 ? cells.id.on_host().front() : -1;
  const Values<int> fixed = there(parts);
  EXPECT_EQ(balancer.rebalance(cells.as_set({}, {.fixed = fixed})).moved, size > 1);
  const std::vector<Number> ids = cells.id.on_host();
  const bool has_first = std::ranges::count(ids, ranks.broadcast(first, 0)) > 0;
  EXPECT_EQ(has_first, rank == size - 1);
  balancer.finish();
}

TEST_F(BalancerByGraph, PinnedCellsStay) {
  Cells cells = all_on_the_last();
  std::vector<int> pinned;
  for (const Number cell : cells.id.on_host()) pinned.push_back(cell % 50 == 7 ? 1 : 0);
  const Values<int> pins = there(pinned);
  Balancer balancer(ranks, by_graph);
  renumber(ranks, balancer.rebalance(cells.as_set({.pinned = pins})), cells.columns);
  expect_intact(cells);
  for (const Number cell : cells.id.on_host()) EXPECT_TRUE(cell % 50 != 7 || rank == size - 1);
  balancer.finish();
}

// Ten cells have nearly all of the weight, but each rank must have at least half the average number
// of cells.
TEST_F(BalancerByGraph, TightensItsTargetForTheLeastNumberOfObjects) {
  Cells cells = spread();
  std::vector<double> weights;
  for (const Number cell : cells.id.on_host()) weights.push_back(cell < 10 ? 1000 : 1);
  cells.weight = there(weights);
  by_graph.least_objects = static_cast<int>(all_cells / size / 2);
  Balancer balancer(ranks, by_graph);
  const MoveReport moved = balancer.rebalance(cells.weighed());
  renumber(ranks, moved, cells.columns);
  expect_intact(cells);
  EXPECT_GE(cells.id.size(), by_graph.least_objects);
  balancer.finish();
}

// Besides costs, the application has another limit, which is a second constraint.
TEST_F(BalancerByGraph, BalancesOtherWeightsToo) {
  Cells cells = spread();
  const auto memory_of = [&] {
    std::vector<double> memory;
    for (const Number cell : cells.id.on_host()) memory.push_back(cell % width < 5 ? 8 : 1);
    return there(memory);
  };
  const Values<double> memory = memory_of();
  by_graph.method = ByGraph{.target_lambda = 1.1};
  Balancer balancer(ranks, by_graph);
  renumber(ranks, balancer.rebalance(cells.weighed({.weight = memory})), cells.columns);
  expect_intact(cells);
  ASSERT_EQ(report_of(balancer).lambda.size(), 2U);
  cells.weigh(0.2, 0.3);
  EXPECT_LE(lambda(cells), 1.101);
  double mine = 0;
  for (const double bytes : memory_of().on_host()) mine += bytes;
  EXPECT_LE(lambda_of(ranks.all_gather(mine)), 1.101);
  balancer.finish();
}

TEST_F(BalancerByGraph, SaysThatItsDomainsOwnNoPlaces) {
  Cells cells = spread();
  Balancer balancer(ranks, by_graph);
  renumber(ranks, balancer.rebalance(cells.weighed()), cells.columns);
  const char* const text = "The parts of a graph own objects, not regions of space.";
  const std::array<double, 2> place = {1, 1};
  EXPECT_FALSE(own_places(balancer.domains()));
  EXPECT_ERROR(owner_of(balancer.domains(), place), text);
  EXPECT_ERROR(ranks_within(balancer.domains(), {{0, 0, 0}, {1, 1, 1}}, 1), text);
  EXPECT_ERROR(owners_of(test::space(), balancer.domains(), cells.as_set()), text);
  EXPECT_ERROR(Halo(ranks, balancer.domains(), cells.as_set(), 1.0), text);
  EXPECT_FALSE(balancer.migrate(cells.as_set())) << "nothing can have strayed";
  balancer.finish();
}

TEST_F(BalancerByGraph, RefusesSetsThatItCannotPlace) {
  Cells cells = spread();
  Balancer balancer(ranks, by_graph);
  const auto refused = [&](const Set& set) {
    const std::string text = test::error_everywhere([&] { balancer.rebalance(set); });
    return text;
  };
  Values<Number> more = there(std::vector<Number>(std::size_t(cells.id.size()), 1));
  EXPECT_MENTIONS(refused(set(cells.x, carry(cells.id))), "but the set has no graph");
  EXPECT_MENTIONS(refused(cells.as_set({.group = more})), "The set has groups");
  Values<CellPlace> other = there(std::vector<CellPlace>(3));
  EXPECT_ERROR(balancer.rebalance(cells.as_set(), set(other)), "2 sets were given");
  cells.columns.resize(std::max<Number>(cells.columns.size() - 1, 0));
  refused(cells.as_set());
  balancer.finish();
}

}  // namespace
}  // namespace evenkeel::graph_test
