// Paces of ranks whose probe takes a random time, and what is said about slow ranks.

#include "decide/slow_ranks.hpp"
#include "observe/pace.hpp"
#include "support/harness.hpp"

#include <gtest/gtest.h>

#include <random>

namespace evenkeel {
namespace {

// Ranks that measure their pace at each look, with noise.
class Ranks {
 public:
  Ranks(int ranks, unsigned seed, double noise = 0.2, double most_share = 1, bool learns = false)
      : noise_(noise), random_(seed), judge_(ranks, most_share, learns), slowness_(ranks, 1) {
    for (int r = 0; r < ranks; ++r) paces_.emplace_back(OwnClock([this] { return probe(); }));
  }

  void slow(int rank, double slowness) { slowness_.at(static_cast<std::size_t>(rank)) = slowness; }
  // The share of its time in which the slow ranks wait for a core.
  void wait(double share) { waiting_ = share; }
  void let_wait_in_mpi(int rank) { absent_ = rank; }

  // Makes a look. Returns the news.
  std::string look() {
    Totals all;
    for (std::size_t r = 0; r < paces_.size(); ++r) {
      Sample sample;
      sample.step = step_ += r == 0 ? 10 : 0;
      sample.steps = 10;
      sample.load = sample.duration = 1000000;
      if (judge_.is_due()) {
        now_ = slowness_[r];
        paces_[r].measure(slowness_[r] > 1 ? waiting_ : 0);
        sample.pace = paces_[r].tally(static_cast<int>(r), found().rank, 1000);
        if (static_cast<int>(r) == absent_) sample.pace = {.took = 1000};
      }
      const Totals one = totals_of(sample, 0);
      if (r == 0)
        all = one;
      else
        combine(all, one);
    }
    measured_ += all.pace.took > 0;
    return judge_.take_in(all) ? judge_.news() : "";
  }
  // Makes looks until there is news; returns their number, or -1 if `most` have no news.
  int looks_until_news(int most) {
    for (int i = 1; i <= most; ++i)
      if (!look().empty()) return i;
    return -1;
  }

  const Metrics::SlowRank& found() const { return judge_.found(); }
  std::string news() const { return judge_.news(); }
  std::int64_t step() const { return step_; }
  int measured() const { return measured_; }

 private:
  std::int64_t probe() {
    return std::llround(now_ * 3000 * std::exp(std::normal_distribution<>(0, noise_)(random_)));
  }

  double noise_, now_ = 1, waiting_ = 0;
  std::mt19937_64 random_;
  SlowRanks judge_;
  std::vector<double> slowness_;
  std::vector<Pace> paces_;
  std::int64_t step_ = 0;
  int absent_ = -1, measured_ = 0;
};

TEST(SlowRanks, NoAlarmInNoise) {
  for (const int ranks : {2, 3, 8, 64})
    for (unsigned seed = 0; seed < 20; ++seed) {
      Ranks all(ranks, seed);
      EXPECT_EQ(all.looks_until_news(200), -1) << ranks << ' ' << seed << ": " << all.news();
    }
}

TEST(SlowRanks, ARankThatIsSlowedIsFoundInTenLooks) {
  double sum = 0, squares = 0;
  int runs = 0, late = 0;
  for (const int ranks : {2, 3, 8, 64})
    for (unsigned seed = 0; seed < 20; ++seed, ++runs) {
      Ranks all(ranks, seed);
      ASSERT_EQ(all.looks_until_news(20), -1);
      const int rank = static_cast<int>(seed) % ranks;
      all.slow(rank, 1.15);
      const int looks = all.looks_until_news(30);
      ASSERT_GT(looks, 0) << ranks << ' ' << seed;
      late += looks > 10;
      EXPECT_EQ(all.found().rank, rank);
      EXPECT_NEAR(static_cast<double>(all.found().since), 200, 80) << ranks << ' ' << seed;
      for (int i = 0; i < 8; ++i) all.look();
      const double miss = all.found().percent - 15;
      EXPECT_NEAR(miss, 0, 2 * all.found().error) << ranks << ' ' << seed;
      sum += miss;
      squares += miss * miss;
    }
  EXPECT_LE(late, runs / 10);
  EXPECT_NEAR(sum / runs, 0, 0.5);
  EXPECT_LT(std::sqrt(squares / runs), 3);
}

TEST(SlowRanks, TheLogSaysWhoAndSinceWhenAndWhenItIsOver) {
  Ranks all(4, 1, 0.02);
  ASSERT_EQ(all.looks_until_news(20), -1);
  all.slow(2, 1.15);
  const int looks = all.looks_until_news(20);
  EXPECT_GT(looks, 0);
  EXPECT_LE(looks, 10);
  EXPECT_EQ(all.news(),
            "rank 2 is 15 +- 1 % slower than the other ranks, whatever its work is, since step "
            "200");
  EXPECT_EQ(all.looks_until_news(50), -1);  // said once
  EXPECT_NEAR(all.found().percent, 15, 1);
  all.slow(2, 1);
  EXPECT_GT(all.looks_until_news(20), 0);
  EXPECT_EQ(all.news(), "rank 2 is not slower than the other ranks any more");
  EXPECT_FALSE(all.found());
  EXPECT_EQ(all.looks_until_news(50), -1);
}

// CPU time does not contain waiting for a core, but all work takes longer.
TEST(SlowRanks, WaitingForACoreIsSlow) {
  Ranks all(3, 1, 0.02);
  all.slow(1, 1.0001);
  all.wait(0.2);
  ASSERT_GT(all.looks_until_news(20), 0);
  EXPECT_EQ(all.news(),
            "rank 1 is 25 +- 1 % slower than the other ranks, whatever its work is, since step 0; "
            "it waits for a core in 20 % of its time");
}

TEST(SlowRanks, ASecondSlowerRankIsNewsToo) {
  Ranks all(8, 1, 0.02);
  all.slow(5, 1.1);
  ASSERT_GT(all.looks_until_news(20), 0);
  EXPECT_EQ(all.found().rank, 5);
  all.slow(6, 1.3);
  ASSERT_GT(all.looks_until_news(20), 0);
  EXPECT_EQ(all.found().rank, 6);
  EXPECT_NEAR(all.found().percent, 28, 2);  // rank 5 is one of the others
}

TEST(SlowRanks, ARankRecoversAlsoIfAnotherIsALittleSlower) {
  Ranks all(8, 1, 0.02);
  all.slow(6, 1.04);
  all.slow(5, 1.15);
  ASSERT_GT(all.looks_until_news(20), 0);
  EXPECT_EQ(all.found().rank, 5);
  all.slow(5, 1);
  EXPECT_GT(all.looks_until_news(20), 0);
  EXPECT_EQ(all.news(), "rank 5 is not slower than the other ranks any more");
  EXPECT_EQ(all.looks_until_news(50), -1);
}

// Two ranks are slow, and it differs from look to look which is the slowest.
TEST(SlowRanks, OfTwoSlowRanksTheFirstOneStaysNamed) {
  Ranks all(8, 1);
  all.slow(2, 1.2);
  ASSERT_GT(all.looks_until_news(30), 0);
  EXPECT_EQ(all.found().rank, 2);
  all.slow(5, 1.2);
  EXPECT_EQ(all.looks_until_news(300), -1) << all.news();
  EXPECT_EQ(all.found().rank, 2);
  all.slow(2, 1);
  for (int look = 0; look < 30; ++look) all.look();
  EXPECT_EQ(all.found().rank, 5);
}

TEST(SlowRanks, TheSpeedFollowsTheMeasuredOneButNotItsNoise) {
  int changes = 0;  // in 300 looks at the same pace
  for (unsigned seed = 0; seed < 20; ++seed) {
    Ranks all(8, seed, 0.2, 1, true);
    ASSERT_EQ(all.looks_until_news(50), -1);
    EXPECT_EQ(all.found().speed, 1);
    all.slow(3, 1.15);
    ASSERT_GT(all.looks_until_news(30), 0);
    EXPECT_NEAR(all.found().speed, 1 / 1.15, 0.05) << seed;
    for (int look = 0; look < 300; ++look) changes += all.look().empty() ? 0 : 1;
    EXPECT_NEAR(all.found().speed, 1 / 1.15, 0.03) << seed;
    all.slow(3, 1.4);
    for (int look = 0; look < 60; ++look) all.look();
    EXPECT_NEAR(all.found().speed, 1 / 1.4, 0.04) << seed;
    all.slow(3, 1);
    for (int look = 0; look < 40; ++look) all.look();
    EXPECT_EQ(all.found().speed, 1) << seed;
  }
  EXPECT_LE(changes, 20);
}

TEST(SlowRanks, AChangeOfThePaceIsOneChangeOfTheSpeed) {
  Ranks all(8, 1, 0.02, 1, true);
  all.slow(3, 1.15);
  ASSERT_GT(all.looks_until_news(20), 0);
  for (const double slowness : {1.4, 1.1, 1.0}) {
    for (int look = 0; look < 10; ++look) all.look();
    all.slow(3, slowness);
    ASSERT_GT(all.looks_until_news(20), 0);
    EXPECT_NEAR(all.found().speed, 1 / slowness, 0.02);
    EXPECT_EQ(all.looks_until_news(50), -1) << all.news();
  }
}

TEST(SlowRanks, TheLogNamesTheSpeed) {
  Ranks all(4, 1, 0.02, 1, true);
  all.slow(2, 1.15);
  ASSERT_GT(all.looks_until_news(20), 0);
  EXPECT_MENTIONS(all.news(), " since step 0; from now on it counts with a speed of 0.87");
  all.slow(2, 1);
  ASSERT_GT(all.looks_until_news(20), 0);
  EXPECT_EQ(all.news(),
            "rank 2 is not slower than the other ranks any more; all speeds are equal again");
}

TEST(SlowRanks, ARankThatMostlyWaitsIsNotCompared) {
  Ranks all(3, 1, 0.02);
  all.slow(1, 1.5);
  all.let_wait_in_mpi(1);
  EXPECT_EQ(all.looks_until_news(40), -1);
}

TEST(SlowRanks, MeasuringKeepsToItsShare) {
  // An epoch takes a millisecond, and a measurement a microsecond.
  for (const auto& [share, looks] : {std::pair{1.0, 400}, {1e-3, 400}, {1e-4, 40}, {0.0, 0}}) {
    Ranks all(2, 1, 0.02, share);
    for (int i = 0; i < 400; ++i) all.look();
    EXPECT_NEAR(all.measured(), looks, 2) << share;
  }
  Ranks one(1, 1);
  EXPECT_EQ(one.looks_until_news(50), -1);
  EXPECT_EQ(one.measured(), 0);
}

// --- The piece of work ---------------------------------------------------------------------------

TEST(Pace, TheBuiltInProbeTakesTime) {
  const std::int64_t took = built_in_probe();
  EXPECT_GT(took, 100);
  EXPECT_LT(took, 1000000000);
}

TEST(Pace, AProbeWithoutATimeSaysNothing) {
  for (const std::int64_t nothing : {std::int64_t{0}, std::int64_t{-5}}) {
    Pace pace(OwnClock([nothing] { return nothing; }));
    for (int i = 0; i < 10; ++i) pace.measure(0);
    EXPECT_EQ(pace.tally(0, -1, 1).known, 0);
  }
  EXPECT_FALSE(Pace(nullptr));
}

TEST(Pace, TalliesAreTheSameInAnyOrder) {
  std::vector<Totals> all;
  for (int r = 0; r < 4; ++r) {
    Sample sample;
    sample.pace = {.known = r == 1 ? 0 : 1,
                   .sum = r == 1 ? 0 : 10,
                   .greatest = r == 1 ? 0 : 10,
                   .slowest = r == 1 ? -1 : r,
                   .waits = r,
                   .of_slow = r == 2 ? 10 : 0,
                   .variance = 3,
                   .took = 5 + r};
    all.push_back(totals_of(sample, 0));
  }
  std::vector<int> order = {0, 1, 2, 3};
  do {
    Totals sum = all[static_cast<std::size_t>(order[0])];
    for (std::size_t i = 1; i < order.size(); ++i)
      combine(sum, all[static_cast<std::size_t>(order[i])]);
    EXPECT_EQ(sum.pace.known, 3);
    EXPECT_EQ(sum.pace.sum, 30);
    EXPECT_EQ(sum.pace.greatest, 10);
    EXPECT_EQ(sum.pace.slowest, 0);
    EXPECT_EQ(sum.pace.of_slow, 10);
    EXPECT_EQ(sum.pace.waits, 0);
    EXPECT_EQ(sum.pace.took, 8);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace evenkeel
