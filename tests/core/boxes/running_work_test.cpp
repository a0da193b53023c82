#include "boxes/rows/running_work.hpp"

#include "support/harness.hpp"

namespace evenkeel::running_work_test {
namespace {

TEST(RunningWork, RisesEvenlyOverEachPiece) {
  const std::vector<RowPiece> pieces = {{0.25, 0.75, 2}, {0.5, 1, 4}};
  const RunningWork work(pieces);
  EXPECT_EQ(work.total(), 6);
  EXPECT_EQ(work.below(0.25), 0);
  EXPECT_EQ(work.below(0.5), 1);
  EXPECT_EQ(work.below(0.75), 4);
  EXPECT_EQ(work.below(1), 6);
  EXPECT_EQ(work.place_of(0), 0);
  EXPECT_EQ(work.place_of(1), 0.5);
  EXPECT_EQ(work.place_of(4), 0.75);
  EXPECT_EQ(work.place_of(5), 0.875);
  EXPECT_EQ(work.place_of(6), 1);
  EXPECT_EQ(work.place_of(7), 1);
}

TEST(RunningWork, ReachesItsSumWhereTheLastPieceEnds) {
  const std::vector<RowPiece> pieces = {{0, 0.25, 1}};
  const RunningWork work(pieces);
  EXPECT_EQ(work.below(0.5), 1);
  EXPECT_EQ(work.place_of(1), 0.25);
}

TEST(RunningWork, IsNothingWithoutPieces) {
  const RunningWork work({});
  EXPECT_EQ(work.total(), 0);
  EXPECT_EQ(work.below(0.5), 0);
}

TEST(RunningWork, AgreesWithASumOverAllPieces) {
  std::mt19937_64 random(3);
  const auto any = [&] { return static_cast<double>(random() % 1000) / 1000; };
  std::vector<RowPiece> pieces;
  for (int i = 0; i < 200; ++i) {
    const double lower = any() * 0.9;
    pieces.push_back({lower, lower + 0.001 + (0.999 - lower) * any(), any()});
  }
  const RunningWork work(pieces);
  for (int i = 0; i < 200; ++i) {
    const double place = any();
    double below = 0;
    for (const RowPiece& piece : pieces)
      below += piece.work * std::clamp((place - piece.lower) / (piece.upper - piece.lower), 0., 1.);
    EXPECT_NEAR(work.below(place), below, 1e-11);
    EXPECT_NEAR(work.below(work.place_of(below)), below, 1e-11);
  }
}

}  // namespace
}  // namespace evenkeel::running_work_test
