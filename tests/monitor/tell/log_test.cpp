#include "tell/log.hpp"

#include "monitor/drive/users_logger.hpp"
#include "support/harness.hpp"

#include <csignal>

#include <unistd.h>

namespace evenkeel::log_test {
namespace {

// --- A line --------------------------------------------------------------------------------------

std::string line_of(Action action, const std::optional<Outcome>& outcome = {}) {
  JournalLine line;
  line.step = 12345;
  line.decision.action = action;
  line.reason = "some reason";
  line.outcome = outcome;
  return log_line(line);
}

TEST(LogLine, OfALookThatHolds) {
  EXPECT_EQ(line_of(Action::hold), "step 12,345: hold: some reason");
}

TEST(LogLine, OfAnAdviceAndWhatCameOfIt) {
  const std::string advice = "step 12,345: rebalance: some reason; ";
  const auto taken = [](const Outcome& outcome) { return line_of(Action::rebalance, outcome); };
  EXPECT_EQ(line_of(Action::rebalance), advice + "not taken");
  EXPECT_EQ(taken({.objects_moved = 12'000, .bytes_moved = 3'200'000, .seconds = 0.0125}),
            advice + "12,000 objects (3.2 MB) moved in 12.50 ms");
  EXPECT_EQ(taken({.objects_moved = 1, .bytes_moved = 96, .seconds = 0.0125}),
            advice + "1 object (96 B) moved in 12.50 ms");
  EXPECT_EQ(taken({.moved = false, .seconds = 2.5}), advice + "nothing had to change, in 2.50 s");
  // The application moves the objects itself, if there are any to move. Borders may have moved
  // without any object.
  EXPECT_EQ(taken({.seconds = 0.0125, .lambda = 1.1}),
            advice + "new domains in 12.50 ms; lambda 1.10 predicted");
}

TEST(LogLine, OfAnAdviceThatWasFollowedLater) {
  JournalLine line;
  line.step = 11;
  line.decision.action = Action::rebalance;
  line.reason = "some reason";
  line.waits = true;
  EXPECT_EQ(log_line(line), "step 11: rebalance: some reason; not taken yet");
  line.taken_at = 2000;
  line.outcome = {.objects_moved = 1, .bytes_moved = 96, .seconds = 0.0125};
  EXPECT_EQ(
      log_line(line),
      "step 2,000: rebalance (decided at step 11): some reason; 1 object (96 B) moved in 12.50 "
      "ms");
  line.taken_at = 11;
  EXPECT_EQ(log_line(line), "step 11: rebalance: some reason; 1 object (96 B) moved in 12.50 ms");
  line.step = line.taken_at = 30;
  line.decided_at = 19;
  EXPECT_EQ(
      log_line(line),
      "step 30: rebalance (decided at step 19): some reason; 1 object (96 B) moved in 12.50 ms");
}

// --- The summary ---------------------------------------------------------------------------------

// 1000 steps on 4 ranks. Ranks worked for 8 of 10 s on average, and 2 s were lost. So lambda is
// 1.25, and the imbalance is 2 / 10 * 4 / 3.
Summary run() {
  Summary run;
  run.steps = run.account.steps = 1000;
  run.ranks = 4;
  run.account.mean = 8;
  run.account.actual = 10;
  run.account.never = 13;
  run.account.knows_never = true;
  run.state.ledger.run.covered = 8e9;
  run.state.ledger.run.elapsed = 16e9;
  return run;
}

Summary rebalanced_run(std::int64_t rebalances, double own_cost) {
  Summary rebalanced = run();
  rebalanced.state.rebalances = rebalances;
  rebalanced.account.own_cost = own_cost;
  return rebalanced;
}

const std::string start =
    "1,000 steps on 4 ranks; the kernels took 50.0 % of the time.\n"
    "The slowest ranks worked 10.00 s, the average rank 8.00 s: 2.00 s lost to imbalance (lambda "
    "1.25, imbalance 27 %).\n";

// The text after the lines that begin all such summaries.
std::string end_of(const Summary& summary) {
  const std::string text = summary_of(summary);
  EXPECT_TRUE(text.starts_with(start)) << text;
  return text.substr(std::min(start.size(), text.size()));
}

TEST(SummaryOf, RebalancesThatSaved) {
  Summary saved = rebalanced_run(12, 0.5);
  const std::string text =
      "12 rebalances cost 0.50 s (4.8 %). Without them the slowest ranks would have worked 13.00 "
      "s: 2.50 s saved";
  EXPECT_EQ(end_of(saved), text + ".");
  saved.account.uncertainty = 0.3;
  EXPECT_EQ(end_of(saved), text + ", give or take 0.30 s.");
  saved.account.uncertainty = 2.6;
  EXPECT_EQ(end_of(saved),
            text + ", give or take 2.60 s, so it is not clear whether they have saved time.");
}

TEST(SummaryOf, WhatTheApplicationRebuildsIsACost) {
  Summary saved = rebalanced_run(1, 0.5);
  saved.account.rebuild_cost = 2;
  EXPECT_EQ(end_of(saved),
            "1 rebalance cost 2.50 s (20.0 %): 0.50 s evenkeel's, 2.00 s the application's "
            "rebuild. Without them the slowest ranks would have worked 13.00 s: 0.50 s saved.");
}

TEST(SummaryOf, RebalancesThatLost) {
  Summary lost = rebalanced_run(1, 10);
  EXPECT_EQ(end_of(lost),
            "1 rebalance cost 10.00 s (50.0 %). Without them the slowest ranks would have worked "
            "13.00 s: 7.00 s lost.");
  lost.account.own_cost = 3;
  EXPECT_MENTIONS(summary_of(lost), "worked 13.00 s: 0.00 us saved.");
}

TEST(SummaryOf, WhatNobodyKnowsIsSaidToBeSo) {
  Summary unknown = rebalanced_run(12, 0.5);
  unknown.account.knows_never = false;
  EXPECT_EQ(end_of(unknown),
            "12 rebalances cost 0.50 s (4.8 %). How long the run would have taken without them is "
            "not known.");
}

TEST(SummaryOf, RebalancesThatChangedNothing) {
  Summary unchanged = rebalanced_run(12, 0.5);
  unchanged.state.ledger.gains.unchanged = 3;
  EXPECT_MENTIONS(summary_of(unchanged),
                  "9 rebalances, and 3 that changed nothing, cost 0.50 s (4.8 %). Without them");
}

TEST(SummaryOf, WhatEachHasGained) {
  Summary gained = rebalanced_run(12, 0.5);
  Gains& gains = gained.state.ledger.gains;
  gains = {.gained = 4e9, .foreseen = 2.25e9, .counted = 11};
  const std::string saved =
      "12 rebalances cost 0.50 s (4.8 %). Without them the slowest ranks would have worked "
      "13.00 s: 2.50 s saved. Compared with the domains that each replaced, they gained "
      "4.00 s; a net gain of 2.25 s was predicted";
  EXPECT_EQ(end_of(gained), saved + ".");
  gains.losses = 1;
  EXPECT_EQ(end_of(gained), saved + "; 1 did not pay for itself.");
  gains.losses = 2;
  EXPECT_EQ(end_of(gained), saved + "; 2 did not pay for themselves.");
}

// When the run ends, the open rebalance has saved 2 s at a cost of 0.5 s.
TEST(SummaryOf, TheLastRebalanceCounts) {
  Summary open = rebalanced_run(1, 0.5);
  LedgerEntry& last = open.state.ledger.last;
  last = {.open = 1, .predicted = 1e9, .price = 0.5e9, .replaced = {}, .since = 4e9};
  last.looks_since = 1;
  last.replaced.add(4e9, 0.5);
  EXPECT_MENTIONS(summary_of(open), "they gained 2.00 s; a net gain of 1.00 s was predicted.");
  last.price = 2.5e9;
  EXPECT_MENTIONS(summary_of(open), "predicted; 1 did not pay for itself.");
}

// Weights have no seconds. In this run, a second counts as a thousand.
TEST(SummaryOf, ADeterministicRunCountsWeights) {
  Summary weights = rebalanced_run(2, 0);
  weights.is_deterministic = true;
  weights.account.uncertainty = 0.0123;
  EXPECT_EQ(summary_of(weights),
            "1,000 steps on 4 ranks.\n"
            "The slowest ranks worked 10000.0 of weight, the average rank 8000.0 of weight: 2000.0 "
            "of weight lost to imbalance (lambda 1.25, imbalance 27 %).\n"
            "2 rebalances cost 0.0 of weight (0.0 %). Without them the slowest ranks would have "
            "worked 13000.0 of weight: 3000.0 of weight saved, give or take 12.3 of weight.");
}

TEST(SummaryOf, StepsThatNoLookHasToldOf) {
  Summary short_of = run();
  short_of.account.steps = 990;
  EXPECT_MENTIONS(summary_of(short_of), "50.0 % of the time; measured in 990 of 1,000 steps.\n");
}

TEST(SummaryOf, Loans) {
  Summary loans = run();
  loans.loans = {{"chemistry", 1200, 1100, 1.5, 1.75}, {"burn", 1, 0, 0, 2e-3}};
  EXPECT_MENTIONS(summary_of(loans),
                  "\nLoan 'chemistry': objects were lent in 1,100 of 1,200 calls, which saved 1.50 "
                  "s; even work would have saved 1.75 s.\nLoan 'burn': nothing was lent in 1 call; "
                  "even work would have saved 2.00 ms.");
  loans.loans.front().saved = -5;
  EXPECT_MENTIONS(summary_of(loans), "which lost 5.00 s;");
}

TEST(SummaryOf, APhaseThatIsUneven) {
  Summary phases = run();
  phases.kernels[0] = {"push"};
  phases.state.ledger.run.uneven[2] = 1.9e9;
  const std::string advice =
      " is uneven: even work in it would have saved 1.90 s. If its objects are independent of each "
      "other, a loan can even it out without moving them.";
  EXPECT_EQ(end_of(phases), "Nothing was rebalanced.\nPhase 2" + advice);
  phases.kernels[2] = {"chemistry", "soot"};
  EXPECT_EQ(end_of(phases), "Nothing was rebalanced.\nPhase 2 (chemistry, soot)" + advice);
  phases.loans = {{"chemistry", 1, 0, 0, 1.9}};
  EXPECT_FALSE(summary_of(phases).find("Phase 2") != std::string::npos);
  phases.loans.clear();
  phases.account.actual = 0;
  phases.state.ledger.run.uneven[2] = 0;
  EXPECT_FALSE(summary_of(phases).find("Phase") != std::string::npos) << "no look was usable";
  phases = run();
  phases.kernels[0] = {"push"};
  phases.state.ledger.run.uneven[2] = 0.4e9;
  EXPECT_EQ(end_of(phases), "Nothing was rebalanced.");
}

TEST(SummaryOf, NothingWasRebalanced) { EXPECT_EQ(end_of(run()), "Nothing was rebalanced."); }

TEST(SummaryOf, AdviceOnly) {
  Summary advice = run();
  advice.moves = false;
  const std::string in_vain = "Balancing would not have paid for itself.";
  EXPECT_EQ(end_of(advice), in_vain);
  advice.advices = 1;
  advice.account.advised = 1.5;
  EXPECT_EQ(
      end_of(advice),
      "The trigger moved nothing. Balancing 1 time would have saved 1.50 s (15.0 % of the slowest "
      "ranks' work).");
  advice.advices = 1234;
  EXPECT_EQ(
      end_of(advice),
      "The trigger moved nothing. Balancing 1,234 times would have saved 1.50 s (15.0 % of the "
      "slowest ranks' work).");
  // For example, a threshold may act on an imbalance that disappears by itself.
  for (const double advised : {0.0, -1.5}) {
    advice.account.advised = advised;
    EXPECT_EQ(end_of(advice), in_vain);
  }
}

// Looks are rare if rebalances are frequent or the run is short.
TEST(SummaryOf, RebalancesAreToldAlsoWithoutALook) {
  Summary blind = rebalanced_run(100, 0);
  blind.account = {};
  blind.state.ledger = {};
  EXPECT_EQ(summary_of(blind),
            "1,000 steps on 4 ranks; measured in 0 of 1,000 steps.\n"
            "No look was usable, so the load is not known.\n"
            "100 rebalances cost 0.00 us (0.0 %).");
}

// The application rebalances before the first look, and never again.
TEST(SummaryOf, RebalancesAreToldAlsoWhereTheyHaveCostNothing) {
  Summary cheap = rebalanced_run(1, 0);
  cheap.account.never = 10;
  EXPECT_EQ(end_of(cheap),
            "1 rebalance cost 0.00 us (0.0 %). Without them the slowest ranks would have worked "
            "10.00 s: 0.00 us saved.");
}

TEST(SummaryOf, OneStepOnOneRank) {
  Summary single = run();
  single.steps = single.account.steps = single.ranks = 1;
  single.account.actual = 8;
  single.moves = false;
  EXPECT_EQ(summary_of(single),
            "1 step on 1 rank; the kernels took 50.0 % of the time.\n"
            "The slowest ranks worked 8.00 s, the average rank 8.00 s: 0.00 us lost to imbalance "
            "(lambda 1.00, imbalance 0 %).\n"
            "Balancing would not have paid for itself.");
}

TEST(SummaryOf, WithoutKernels) {
  EXPECT_EQ(summary_of(Summary{}),
            "0 steps on 1 rank.\nNo look was usable, so the load is not known.");
  Summary idle = run();
  idle.account.mean = 0;
  idle.state.ledger.run.covered = 0;
  EXPECT_EQ(summary_of(idle),
            "1,000 steps on 4 ranks.\nNo look was usable, so the load is not known.");
}

// --- Where it goes -------------------------------------------------------------------------------

class UsersLogger : public testing::Test {
 protected:
  std::string text() const { return logger_.text(); }

 private:
  test::UsersLogger logger_;
};

TEST_F(UsersLogger, GetsTheLines) {
  const Log log(LogLevel::summary);
  log.write("one line");
  log.write("two\nlines");
  EXPECT_EQ(text(), "info: one line\ninfo: two\ninfo: lines\n");
}

TEST_F(UsersLogger, GetsTheNameBeforeEachLine) {
  Log(LogLevel::summary, "fluid").write("two\nlines");
  EXPECT_EQ(text(), "info: fluid: two\ninfo: fluid: lines\n");
  Log(LogLevel::summary, "fluid").warn("two\nmore");
  EXPECT_EQ(text(),
            "info: fluid: two\ninfo: fluid: lines\nwarning: fluid: two\nwarning: fluid: more\n");
}

TEST_F(UsersLogger, GetsTextAsItIs) {
  Log(LogLevel::looks).write("{} {0:d} %v %n \\");
  EXPECT_EQ(text(), "info: {} {0:d} %v %n \\\n");
}

TEST_F(UsersLogger, GetsNothingOfNothingOrAtLevelOff) {
  Log(LogLevel::looks).write("");
  Log(LogLevel::off).write("a line");
  EXPECT_EQ(text(), "");
}

TEST_F(UsersLogger, HasALevelOfItsOwn) {
  spdlog::get("evenkeel")->set_level(spdlog::level::warn);
  Log(LogLevel::looks).write("a line");
  EXPECT_EQ(text(), "");
}

TEST(Log, EachLevelShowsAllBeforeIt) {
  for (const LogLevel level :
       {LogLevel::off, LogLevel::summary, LogLevel::decisions, LogLevel::looks}) {
    const Log log(level);
    for (const LogLevel shown : {LogLevel::summary, LogLevel::decisions, LogLevel::looks})
      EXPECT_EQ(log.shows(shown), shown <= level);
  }
}

// The name must remain free for a logger that the application registers later.
TEST(Log, GoesToStderrWhereNobodyHasRegisteredALogger) {
  testing::internal::CaptureStderr();
  Log(LogLevel::summary).write("two\nlines");
  Log(LogLevel::off).write("nothing");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "evenkeel: two\nevenkeel: lines\n");
  EXPECT_EQ(spdlog::get("evenkeel"), nullptr);
}

// The program that reads stderr has ended, as in `mpirun ... 2>&1 | head`.
TEST(Log, ToNobodyEndsNoRun) {
  ASSERT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  std::array<int, 2> ends = {};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  const int before = dup(STDERR_FILENO);
  ASSERT_EQ(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  const Log log(LogLevel::decisions, "fluid");
  for (int line = 0; line < 3; ++line) log.write("no process reads this");
  log.warn("nor this");
  ASSERT_EQ(dup2(before, STDERR_FILENO), STDERR_FILENO);
  close(before);
  close(ends[1]);
}

}  // namespace
}  // namespace evenkeel::log_test
