// Tests when to shift, when to stop, and which domains remain at the end.

#include "decide/refinement.hpp"
#include "decide/decision.hpp"
#include "support/harness.hpp"

namespace evenkeel::refinement_test {
namespace {

constexpr double floor_level = 0.02;

// Domains whose level the test sets, under a rule that always wants to act.
class Ship {
 public:
  explicit Ship(std::int64_t rounds, double penalty = 1) : rounds_(rounds), penalty_(penalty) {}

  NextStep look(double level) {
    const LevelSeen seen = {level, generation};
    const bool changed = observe(refinement, seen, penalty_, floor_level);
    return next_step(refinement, seen, rounds_, changed);
  }
  void shift(bool moves = true) { become(RebalanceKind::shift, moves); }
  void cut() { become(RebalanceKind::fresh, true); }
  void go_back() { become(RebalanceKind::earlier, true); }

  ShiftCourse refinement;
  std::int64_t generation = 1;

 private:
  void become(RebalanceKind kind, bool moves) {
    const std::int64_t before = generation;
    generation += moves ? 1 : 0;
    rebalanced(refinement, before, generation, kind);
  }
  std::int64_t rounds_;
  double penalty_;
};

TEST(ShiftCourse, ShiftsAsOftenAsItMayAndEndsWithTheBest) {
  Ship ship(3);
  EXPECT_EQ(ship.look(0.3), NextStep::shift);
  ship.shift();
  EXPECT_EQ(ship.look(0.1), NextStep::shift);
  ship.shift();
  const std::int64_t best = ship.generation;
  EXPECT_EQ(ship.look(0.04), NextStep::shift);
  ship.shift();
  EXPECT_EQ(ship.look(0.06), NextStep::go_back);
  EXPECT_EQ(ship.refinement.best_generation, best);
  EXPECT_DOUBLE_EQ(ship.refinement.best, 0.04);
  ship.go_back();
  EXPECT_EQ(ship.refinement.best_generation, ship.generation);
  for (int look = 0; look < 20; ++look) EXPECT_EQ(ship.look(0.045), NextStep::rest);
}

TEST(ShiftCourse, RestsWhereTheLastIsTheBest) {
  Ship ship(1);
  EXPECT_EQ(ship.look(0.3), NextStep::shift);
  ship.shift();
  for (int look = 0; look < 5; ++look) EXPECT_EQ(ship.look(0.1), NextStep::rest);
}

TEST(ShiftCourse, ThePenaltyGrowsWhereAShiftGoesTooFar) {
  Ship ship(100, 1.25);
  EXPECT_EQ(ship.look(0.1), NextStep::shift);
  EXPECT_EQ(ship.refinement.penalty, 1.25);
  ship.shift();
  ship.look(0.12);
  EXPECT_DOUBLE_EQ(ship.refinement.penalty, 1.5 * 1.25);
  ship.look(0.13);  // only the first look after a shift counts
  EXPECT_DOUBLE_EQ(ship.refinement.penalty, 1.5 * 1.25);
  ship.shift();
  ship.look(0.05);
  EXPECT_DOUBLE_EQ(ship.refinement.penalty, 1.5 * 1.25);
  double level = 0.05;
  for (int round = 0; round < 20; ++round) {
    ship.shift();
    ship.look(level *= 1.01);
  }
  EXPECT_EQ(ship.refinement.penalty, 8);
  ship.cut();
  ship.look(0.1);
  EXPECT_EQ(ship.refinement.penalty, 1.25);
}

TEST(ShiftCourse, OffsetsThatStayEndIt) {
  Ship ship(8);
  EXPECT_EQ(ship.look(0.05), NextStep::shift);
  ship.shift(false);
  EXPECT_EQ(ship.look(0.05), NextStep::rest);
  EXPECT_EQ(ship.refinement.rounds, 1);
  // The level of these domains stays the usual one.
  for (int look = 0; look < 2; ++look) EXPECT_EQ(ship.look(0.14), NextStep::rest);
  EXPECT_EQ(ship.look(0.14), NextStep::cut_anew);
}

TEST(ShiftCourse, ALoadThatHasChangedALotLeadsToANewCut) {
  Ship ship(8);
  EXPECT_EQ(ship.look(0.05), NextStep::shift);
  ship.shift();
  EXPECT_EQ(ship.look(0.01), NextStep::shift);
  EXPECT_EQ(ship.look(0.5), NextStep::cut_anew);  // a sudden large increase
  ship.cut();
  EXPECT_EQ(ship.refinement.rounds, 0);
  EXPECT_EQ(ship.look(0.05), NextStep::shift);
  EXPECT_EQ(ship.look(0.11), NextStep::shift);  // a small increase may be noise
  EXPECT_EQ(ship.look(0.11), NextStep::shift);
  EXPECT_EQ(ship.look(0.11), NextStep::cut_anew);
}

// The last new cut was no better than the shifted domains, so shifts start again instead of a new
// cut.
TEST(ShiftCourse, NoNewCutWhereTheLastWasNoBetter) {
  Ship ship(2);
  EXPECT_EQ(ship.look(0.4), NextStep::shift);
  ship.shift();
  EXPECT_EQ(ship.look(0.02), NextStep::shift);
  ship.shift();
  EXPECT_EQ(ship.look(0.01), NextStep::rest);
  EXPECT_EQ(ship.look(0.3), NextStep::shift);
  EXPECT_EQ(ship.refinement.rounds, 0);
  EXPECT_EQ(ship.refinement.best_generation, ship.generation);
}

TEST(ShiftCourse, NoiseChangesNothing) {
  Ship ship(1);
  ship.look(0.3);
  ship.shift();
  const std::vector<double> levels = {0.01, 0.03, 0.02, 0.05, 0.04, 0.02, 0.06, 0.01};
  for (int turn = 0; turn < 20; ++turn)
    for (const double level : levels) EXPECT_EQ(ship.look(level), NextStep::rest) << turn;
  EXPECT_EQ(ship.refinement.rounds, 1);
}

}  // namespace
}  // namespace evenkeel::refinement_test
