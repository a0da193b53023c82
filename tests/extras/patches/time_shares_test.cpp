#include "support/harness.hpp"

#include <evenkeel/extras/patches/patch_model.hpp>

namespace evenkeel::time_shares_test {
namespace {

using Times = std::vector<TimeShare>;
using Lists = std::vector<Times>;

Times whole(int ranks) {
  Times time;
  for (int rank = 0; rank < ranks; ++rank) time.push_back({rank, 1});
  return time;
}

Lists divided(const Times& time, const std::vector<double>& costs) {
  return divide_time(time, costs);
}

double sum_of(const Times& time) {
  double sum = 0;
  for (const TimeShare& of : time) sum += of.share;
  return sum;
}

PatchSize size_of(const CellRange& cells) {
  return {cells.end[0] - cells.begin[0], cells.end[1] - cells.begin[1],
          cells.end[2] - cells.begin[2]};
}

CellRange flat(std::int64_t i, std::int64_t j) { return {{0, 0, 0}, {i, j, 1}}; }

// --- Dividing ------------------------------------------------------------------------------------

TEST(DivideTime, ByHand) {
  EXPECT_EQ(divided(whole(2), {1, 3}), (Lists{{{0, 0.5}}, {{0, 0.5}, {1, 1}}}));
  EXPECT_EQ(divided(whole(4), {2, 1, 1}), (Lists{{{0, 1}, {1, 1}}, {{2, 1}}, {{3, 1}}}));
  EXPECT_EQ(divided({{7, 0.25}, {3, 0.5}}, {1, 1, 1}),
            (Lists{{{7, 0.25}}, {{3, 0.25}}, {{3, 0.25}}}));
  EXPECT_EQ(divided(whole(1), {5}), (Lists{{{0, 1}}}));
  EXPECT_EQ(divided(whole(3), {}), Lists{});
}

TEST(DivideTime, NothingCostsAnything) {
  EXPECT_EQ(divided(whole(2), {0, 0}), (Lists{{{0, 1}}, {{1, 1}}}));
  EXPECT_EQ(divided(whole(2), {1, 0, 1, 0}), (Lists{{{0, 1}}, {{1, 0}}, {{1, 1}}, {{1, 0}}}));
  EXPECT_EQ(divided({{4, 0}, {5, 0}}, {1, 1}).size(), 2U);
}

// Lists must be contiguous, lose nothing, and give each child its share.
TEST(DivideTime, AnyListsAndCosts) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(0, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    Times time = whole(1 + trial % 9);
    for (TimeShare& of : time) of.share = trial % 3 == 0 ? 1 : number(random);
    std::vector<double> costs(static_cast<std::size_t>(1 + trial % 7));
    for (double& cost : costs)
      cost = trial % 2 == 0 ? std::floor(3 * number(random)) : number(random);
    double all = 0;
    for (const double cost : costs) all += cost;
    const Lists lists = divided(time, costs);
    ASSERT_EQ(lists.size(), costs.size());
    std::map<int, double> given;
    int last = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      ASSERT_FALSE(lists[i].empty());
      const double due = all > 0 ? costs[i] / all : 1.0 / static_cast<double>(costs.size());
      EXPECT_NEAR(sum_of(lists[i]), due * sum_of(time), 1e-8);
      for (const TimeShare& of : lists[i]) {
        EXPECT_GE(of.rank, last);
        EXPECT_GE(of.share, 0);
        last = of.rank;
        given[of.rank] += of.share;
      }
    }
    for (const TimeShare& of : time) EXPECT_NEAR(given[of.rank], of.share, 1e-8);
  }
}

// Thirds are not exact, but a rounding error must not split the time of a processor.
TEST(DivideTime, NoSlivers) {
  for (int children = 1; children < 60; ++children) {
    const Lists lists =
        divided(whole(children), std::vector<double>(static_cast<std::size_t>(children), 0.1));
    for (int i = 0; i < children; ++i) {
      ASSERT_EQ(lists[static_cast<std::size_t>(i)].size(), 1U) << children;
      EXPECT_EQ(lists[static_cast<std::size_t>(i)][0].rank, i) << children;
    }
  }
}

// --- Splitting -----------------------------------------------------------------------------------

TEST(SplitPatch, ByHand) {
  const PatchModel model;  // seconds are cells
  EXPECT_EQ(split_patch(flat(16, 4), model, whole(1)), (std::vector<PatchPiece>{{0, flat(16, 4)}}));
  EXPECT_EQ(split_patch(flat(16, 4), model, whole(2)),
            (std::vector<PatchPiece>{{0, flat(8, 4)}, {1, {{8, 0, 0}, {16, 4, 1}}}}));
  EXPECT_EQ(split_patch(flat(4, 16), model, Times{{5, 1}, {2, 3}}, 1),
            (std::vector<PatchPiece>{{5, flat(4, 4)}, {2, {{0, 4, 0}, {4, 16, 1}}}}));
}

TEST(SplitPatch, ThinPiecesAreLeftOut) {
  EXPECT_EQ(split_patch(flat(16, 4), PatchModel{}, Times{{0, 1}, {1, 0.1}, {2, 1}}, 4),
            (std::vector<PatchPiece>{{0, flat(8, 4)}, {2, {{8, 0, 0}, {16, 4, 1}}}}));
  EXPECT_EQ(split_patch(flat(3, 3), PatchModel{}, whole(5), 2).size(), 1U);
  EXPECT_EQ(split_patch(flat(3, 3), PatchModel{}, Times{{3, 0}, {4, 0}}).size(), 1U);
}

// Counting their own ghost cells, pieces must cost amounts in proportion to time, up to half a
// layer.
TEST(SplitPatch, PiecesCostWhatTheyAreDue) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> share(0.2, 1);
  for (int trial = 0; trial < 500; ++trial) {
    const PatchModel model{3, 1e-6, {4, 3, 5}, 100};
    const CellRange patch = {{5, -8, 3}, {21, 192 + trial, 23}};
    Times time = whole(1 + trial % 4);
    for (TimeShare& of : time) of.share = share(random);
    const auto pieces = split_patch(patch, model, time, 4);
    ASSERT_EQ(pieces.size(), time.size());
    double all = 0;
    for (const PatchPiece& piece : pieces) all += model.seconds_of(size_of(piece.cells));
    const double layer = 1e-6 * (16 + 4) * (20 + 5);
    std::int64_t at = patch.begin[1];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      EXPECT_EQ(pieces[i].cells.begin[1], at);
      at = pieces[i].cells.end[1];
      EXPECT_NEAR(model.seconds_of(size_of(pieces[i].cells)), all * time[i].share / sum_of(time),
                  1.01 * layer);
    }
    EXPECT_EQ(at, patch.end[1]);
  }
}

// --- Handing down --------------------------------------------------------------------------------

TEST(HandDown, TheFrontPaysForThePatch) {
  const HandedDown handed = hand_down(flat(8, 8), PatchModel{}, whole(2), std::vector<double>{64});
  EXPECT_EQ(handed.pieces, (std::vector<PatchPiece>{{0, flat(8, 8)}}));
  ASSERT_EQ(handed.children.size(), 1U);
  EXPECT_EQ(handed.children[0].back(), (TimeShare{1, 1}));
}

TEST(HandDown, APatchWithoutChildren) {
  const HandedDown handed = hand_down(flat(32, 8), PatchModel{}, whole(2), {});
  EXPECT_EQ(handed.pieces.size(), 2U);
  EXPECT_TRUE(handed.children.empty());
}

// For all processors, the work and the rest for children must have the same sum.
TEST(HandDown, WorkAndRestAreEven) {
  const PatchModel model{2, 1e-3, {4, 4, 0}, 10};
  for (int ranks = 1; ranks < 6; ++ranks)
    for (const double below : {0.001, 1.0, 5.0}) {
      const std::vector<double> costs = {below, 2 * below};
      const HandedDown handed = hand_down(flat(200, 20), model, whole(ranks), costs);
      std::vector<double> load(static_cast<std::size_t>(ranks));
      for (const PatchPiece& piece : handed.pieces)
        load[static_cast<std::size_t>(piece.rank)] += model.seconds_of(size_of(piece.cells));
      double own = 0, time = 0, greatest = 0;
      for (const double seconds : load) own += seconds;
      for (const Times& list : handed.children) time += sum_of(list);
      for (const Times& list : handed.children)
        for (const TimeShare& of : list)
          load[static_cast<std::size_t>(of.rank)] += of.share / time * 3 * below;
      for (const double seconds : load) greatest = std::max(greatest, seconds);
      // A border is off by at most half a layer, and a thin piece is left out.
      EXPECT_LT(greatest, (own + 3 * below) / ranks + 4 * 0.024 + 0.15);
    }
}

TEST(HandDown, BadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(divided({}, {1}), "A patch has no processors.");
  EXPECT_ERROR(divided({{0, -1}}, {1}), "A share of time is -1.");
  EXPECT_ERROR(divided(whole(2), {1, nan}), "A cost of a child is");
  EXPECT_ERROR(divided(whole(2), {1e308, 1e308}), "more than a number can hold");
  EXPECT_ERROR(split_patch(flat(0, 3), PatchModel{}, whole(1)), "A patch has 0 cells");
  EXPECT_ERROR(hand_down(flat(3, 3), PatchModel{}, {}, {}), "A patch has no processors.");
  EXPECT_ERROR(hand_down(flat(3, 3), PatchModel{}, whole(2), std::vector<double>{-1}),
               "A cost of a child is -1.");
}

}  // namespace
}  // namespace evenkeel::time_shares_test
