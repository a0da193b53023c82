// Tests level shifts on a forest of cells. Each cell represents a subtree with its work, and can be
// split into its 8 children.

#include "core/values.hpp"

#include <evenkeel/core/chain.hpp>
#include <evenkeel/extras/patches/level_shift.hpp>

namespace evenkeel::level_shift_test {
namespace {

constexpr std::int64_t none = -1;

// A cell of the tree over [0, 1), by its level and number. Its work depends only on its place.
struct Cell {
  int level = 0;
  std::int64_t number = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

// The density of work is high around `focus`. The work of a cell is a difference of work_before(),
// so the work of children adds up to that of their parent.
struct Forest {
  double focus = 0.3;

  double work_before(double x) const {
    const double off = x - focus;
    return x + (off > 0 ? 1 : -1) * 40 * std::min(off * off, 0.01);
  }
  double work_of(const Cell& cell) const {
    const double width = std::pow(0.125, cell.level);
    const double begin = static_cast<double>(cell.number) * width;
    return work_before(begin + width) - work_before(begin);
  }
};

// The share of this rank: the cells of some of the 64 roots, in order.
class Mesh {
 public:
  Mesh(const Communicator& communicator, const Forest& forest) : forest_(forest) {
    const int rank = communicator.rank(), size = communicator.size();
    for (std::int64_t root = 0; root < 64; ++root)
      if (root * size / 64 == rank) cells.push_back({2, root});
  }

  LevelShifts shift(const Communicator& communicator, const LevelShiftOptions& options,
                    const LevelShifter& shifter) {
    std::vector<double> weights;
    std::vector<std::int64_t> parents;
    for (const Cell& cell : cells) {
      weights.push_back(forest_.work_of(cell));
      // The numbers of parents differ between levels.
      parents.push_back(cell.level > 2 ? (cell.number / 8) * 16 + cell.level : none);
    }
    const auto there = test::array_of(weights);
    const auto of = test::array_of(parents);
    return shift_levels(communicator, {there, of}, options, shifter);
  }

  LevelShifter shifter() {
    return {[this](std::int64_t object) {
              const Cell cell = cells[static_cast<std::size_t>(object)];
              std::vector<double> children;
              for (std::int64_t child = 0; child < 8; ++child)
                children.push_back(forest_.work_of({cell.level + 1, 8 * cell.number + child}));
              return children;
            },
            [this](std::int64_t first, std::int64_t) {
              const Cell cell = cells[static_cast<std::size_t>(first)];
              return forest_.work_of({cell.level - 1, cell.number / 8});
            },
            [this](const LevelShifts& shifts) { carry_out(shifts); }};
  }

  void move_focus(double focus) { forest_.focus = focus; }
  double work() const {
    double sum = 0;
    for (const Cell& cell : cells) sum += forest_.work_of(cell);
    return sum;
  }
  std::vector<double> weights_of_all(const Communicator& communicator) const {
    std::vector<double> mine;
    for (const Cell& cell : cells) mine.push_back(forest_.work_of(cell));
    return communicator.all_gather(std::span<const double>(mine)).values;
  }

  std::vector<Cell> cells;

 private:
  void carry_out(const LevelShifts& shifts) {
    std::vector<Cell> next;
    auto split = shifts.splits.begin();
    auto join = shifts.joins.begin();
    for (std::int64_t i = 0; i < std::ssize(cells); ++i) {
      const Cell cell = cells[static_cast<std::size_t>(i)];
      if (split != shifts.splits.end() && split->object == i) {
        for (std::int64_t child = 0; child < 8; ++child)
          next.push_back({cell.level + 1, 8 * cell.number + child});
        ++split;
      } else if (join != shifts.joins.end() && join->first == i) {
        next.push_back({cell.level - 1, cell.number / 8});
        i += join->count - 1;
        ++join;
      } else {
        next.push_back(cell);
      }
    }
    cells = std::move(next);
  }
  Forest forest_;
};

class LevelShift : public test::OnRanks {
 protected:
  // Returns all cells, in order, from one rank or from many.
  std::vector<Cell> all_of(const Mesh& mesh) const {
    return communicator.all_gather(std::span<const Cell>(mesh.cells)).values;
  }
};

TEST_F(LevelShift, SplitsWhatIsTooHeavyUntilACutIsEven) {
  constexpr int parts = 40;
  const LevelShiftOptions options = {.parts = parts};
  Mesh mesh(communicator, {});
  const double before = communicator.all_reduce(mesh.work(), Reduction::sum);
  EXPECT_GT(cut_chain(mesh.weights_of_all(communicator), {.parts = parts}).lambda, 1.2);
  std::int64_t splits = 0;
  for (int round = 0; round < 10; ++round) {
    const LevelShifts shifts = mesh.shift(communicator, options, mesh.shifter());
    EXPECT_NEAR(shifts.part, before / parts, 1e-12);
    EXPECT_EQ(shifts.splits_of_all,
              communicator.all_reduce(std::ssize(shifts.splits) + std::int64_t{0}, Reduction::sum));
    EXPECT_EQ(shifts.joins_of_all, 0);
    splits += shifts.splits_of_all;
    if (shifts.splits_of_all == 0) break;
  }
  EXPECT_GT(splits, 0);
  EXPECT_NEAR(communicator.all_reduce(mesh.work(), Reduction::sum), before, 1e-12);
  const std::vector<double> weights = mesh.weights_of_all(communicator);
  EXPECT_LE(*std::ranges::max_element(weights), 0.1 * before / parts);
  EXPECT_LE(cut_chain(weights, {.parts = parts}).lambda, 1.1);
}

// Each round must have the same cells as on one rank, also if work moves away and cells are joined.
TEST_F(LevelShift, IsTheSameOnAnyNumberOfRanks) {
  const Communicator alone = Communicator::self();
  Mesh mesh(communicator, {}), whole(alone, {});
  const LevelShiftOptions options = {.parts = 40};
  std::int64_t splits = 0, joins = 0;
  for (const double focus : {0.3, 0.3, 0.3, 0.7, 0.7, 0.7, 0.1, 0.1, 0.1}) {
    mesh.move_focus(focus);
    whole.move_focus(focus);
    const LevelShifts mine = mesh.shift(communicator, options, mesh.shifter());
    const LevelShifts all = whole.shift(alone, options, whole.shifter());
    EXPECT_EQ(mine.splits_of_all, all.splits_of_all);
    EXPECT_EQ(mine.joins_of_all, all.joins_of_all);
    EXPECT_EQ(mine.part, all.part);
    splits += mine.splits_of_all;
    joins += mine.joins_of_all;
    EXPECT_EQ(all_of(mesh), whole.cells);
  }
  EXPECT_GT(splits, 0);
  EXPECT_GT(joins, 0);
}

// As long as the load does not change, cells that were just split must not be joined, and the
// reverse.
TEST_F(LevelShift, DoesNotOscillate) {
  const LevelShiftOptions options = {.parts = 40, .split_above = 0.1, .join_below = 0.0999};
  for (const double focus : {0.3, 0.8}) {
    Mesh mesh(communicator, {});
    for (int round = 0; round < 6; ++round) mesh.shift(communicator, options, mesh.shifter());
    mesh.move_focus(focus);
    std::int64_t done = 1;
    int rounds = 0;
    for (; done > 0 && rounds < 20; ++rounds) {
      const LevelShifts shifts = mesh.shift(communicator, options, mesh.shifter());
      done = shifts.splits_of_all + shifts.joins_of_all;
    }
    EXPECT_LT(rounds, 20);
  }
}

TEST_F(LevelShift, JoinsOnlyWholeFamilies) {
  // There are two families of 2 and one family of 3. One of the first two lacks a sibling; the
  // third has one sibling too many.
  const std::vector<double> weights = {1, 1, 1, 1, 1, 1, 100};
  const std::vector<std::int64_t> parents = {5, 5, 6, 7, 7, 7, none};
  const auto there = test::array_of(weights);
  const auto of = test::array_of(parents);
  std::vector<std::int64_t> asked;
  const LevelShifter shifter = {{}, [&](std::int64_t first, std::int64_t) {
                                  asked.push_back(first);
                                  return 2.0;
                                }};
  const LevelShifts shifts =
      shift_levels(communicator, {there, of},
                   {.parts = 1, .split_above = 1, .join_below = 0.5, .siblings = 2}, shifter);
  EXPECT_EQ(asked, std::vector<std::int64_t>{0});
  EXPECT_EQ(shifts.joins_of_all, size);
}

TEST_F(LevelShift, NothingIsDoneWithoutWeightOrObjects) {
  const auto zeros = test::array_of(std::vector<double>(4));
  const auto parents = test::array_of(std::vector<std::int64_t>(4, none));
  const LevelShifter never = {[](std::int64_t) -> std::vector<double> { throw 1; },
                              [](std::int64_t, std::int64_t) -> double { throw 1; },
                              [](const LevelShifts&) { throw 1; }};
  const LevelShifts shifts = shift_levels(communicator, {zeros, parents}, {.parts = 3}, never);
  EXPECT_EQ(shifts.splits_of_all + shifts.joins_of_all, 0);
  const exec::Array<double> no_weights;
  const exec::Array<std::int64_t> no_parents;
  EXPECT_EQ(shift_levels(communicator, {no_weights, no_parents}, {}, never).splits_of_all, 0);
}

// --- Misuse --------------------------------------------------------------------------------------

TEST_F(LevelShift, ACallBackThatFailsOrLosesWeightIsOneErrorAndLosesNothing) {
  const LevelShiftOptions options = {.parts = 40};
  using Children = std::vector<double>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::function<Children(Children)>, std::string>> bad = {
      {[](const Children&) { return Children{}; }, "its split has 0 children"},
      {[](const Children&) { return Children{1}; }, "its split has 1 children"},
      {[](Children right) { return right[3] *= 0.5, right; }, "would weigh"},
      {[=](Children right) { return right[3] = nan, right; }, "would weigh"},
      {[](Children right) { return right[0] += 1, right[1] -= 1, right; }, "would weigh"},
      {[](const Children&) -> Children { throw std::runtime_error("The anchor is down."); },
       "The anchor is down."}};
  for (const auto& [spoil, word] : bad) {
    Mesh mesh(communicator, {});
    const std::vector<Cell> before = mesh.cells;
    LevelShifter shifter = mesh.shifter();
    shifter.children = [right = shifter.children, spoil = spoil](std::int64_t object) {
      return spoil(right(object));
    };
    EXPECT_ERROR_EVERYWHERE(mesh.shift(communicator, options, shifter), word);
    EXPECT_EQ(mesh.cells, before);
    EXPECT_GT(mesh.shift(communicator, options, mesh.shifter()).splits_of_all, 0);
  }
}

TEST_F(LevelShift, AJoinThatLosesWeightIsOneError) {
  const LevelShiftOptions options = {.parts = 40};
  Mesh mesh(communicator, {});
  for (int round = 0; round < 5; ++round) mesh.shift(communicator, options, mesh.shifter());
  mesh.move_focus(0.8);
  const std::vector<Cell> before = mesh.cells;
  LevelShifter shifter = mesh.shifter();
  shifter.parent = [](std::int64_t, std::int64_t) { return 0.0; };
  EXPECT_ERROR_EVERYWHERE(mesh.shift(communicator, options, shifter), "The siblings from object");
  EXPECT_EQ(mesh.cells, before);
  EXPECT_GT(mesh.shift(communicator, options, mesh.shifter()).joins_of_all, 0);
}

TEST_F(LevelShift, BadInputIsRefusedOnAllRanksAlike) {
  Mesh mesh(communicator, {});
  const auto refused = [&](const LevelShiftOptions& options) {
    return test::error_of([&] { mesh.shift(communicator, options, mesh.shifter()); });
  };
  EXPECT_MENTIONS(refused({.parts = 0}), "0 parts");
  EXPECT_MENTIONS(refused({.siblings = 1}), "1 children");
  EXPECT_MENTIONS(refused({.split_above = 0.1, .join_below = 0.1}), "join_below is");
  EXPECT_MENTIONS(refused({.split_above = 0.1, .join_below = -1}), "join_below is");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_MENTIONS(refused({.split_above = nan}), "join_below is");
  const std::vector<double> weights = {1, rank == size - 1 ? nan : 1};
  const std::vector<std::int64_t> parents = {none, none}, few = {none};
  const auto there = test::array_of(weights);
  const auto all = test::array_of(parents);
  const auto one = test::array_of(few);
  EXPECT_ERROR(shift_levels(communicator, {there, all}, {}, {}), "A weight is negative");
  EXPECT_ERROR(shift_levels(communicator, {there, one}, {}, {}), "2 weights and 1 parents");
}

TEST_F(LevelShift, WhatCarryOutThrowsIsTheSameErrorOnAllRanks) {
  Mesh mesh(communicator, {});
  LevelShifter shifter = mesh.shifter();
  shifter.carry_out = [](const LevelShifts&) { throw std::runtime_error("The mast broke."); };
  EXPECT_ERROR_EVERYWHERE(mesh.shift(communicator, {.parts = 40}, shifter), "The mast broke.");
}

}  // namespace
}  // namespace evenkeel::level_shift_test
