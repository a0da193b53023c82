#include "tell/log.hpp"

#include "support/harness.hpp"
#include "tell/words.hpp"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

#include <unistd.h>

namespace evenkeel {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::lowest();

// --- Numbers in sentences ------------------------------------------------------------------------

TEST(Words, TimesHaveTheUnitThatFits) {
  EXPECT_EQ(detail::seconds_of(0), "0.00 us");
  EXPECT_EQ(detail::seconds_of(1), "0.00 us");
  EXPECT_EQ(detail::seconds_of(1234), "1.23 us");
  EXPECT_EQ(detail::seconds_of(99'990), "99.99 us");
  EXPECT_EQ(detail::seconds_of(1e5), "0.10 ms");
  EXPECT_EQ(detail::seconds_of(1'234'000), "1.23 ms");
  EXPECT_EQ(detail::seconds_of(99'990'000), "99.99 ms");
  EXPECT_EQ(detail::seconds_of(1e8), "0.10 s");
  EXPECT_EQ(detail::seconds_of(123.456e9), "123.46 s");
  EXPECT_EQ(detail::seconds_of(-1'234'000), "-1.23 ms");
}

TEST(Words, NumbersAreGrouped) {
  EXPECT_EQ(detail::count_of(0), "0");
  EXPECT_EQ(detail::count_of(999), "999");
  EXPECT_EQ(detail::count_of(1000), "1,000");
  EXPECT_EQ(detail::count_of(123'456), "123,456");
  EXPECT_EQ(detail::count_of(1'234'567), "1,234,567");
  EXPECT_EQ(detail::count_of(-1), "-1");
  EXPECT_EQ(detail::count_of(-999), "-999");
  EXPECT_EQ(detail::count_of(-1000), "-1,000");
  EXPECT_EQ(detail::count_of(-123'456), "-123,456");
  EXPECT_EQ(detail::count_of(most), "9,223,372,036,854,775,807");
  EXPECT_EQ(detail::count_of(lowest), "-9,223,372,036,854,775,808");
}

TEST(Words, BytesHaveTheUnitThatFits) {
  EXPECT_EQ(detail::bytes_of(0), "0 B");
  EXPECT_EQ(detail::bytes_of(999), "999 B");
  EXPECT_EQ(detail::bytes_of(1000), "1.0 kB");
  EXPECT_EQ(detail::bytes_of(3'240'000), "3.2 MB");
  EXPECT_EQ(detail::bytes_of(7'000'000'000), "7.0 GB");
  EXPECT_EQ(detail::bytes_of(7'000'000'000'000), "7.0 TB");
  EXPECT_EQ(detail::bytes_of(7'000'000'000'000'000), "7000.0 TB");
}

TEST(Words, AnyNumberCanBeWritten) {
  EXPECT_EQ(detail::fixed(1.005, 1), "1.0");
  EXPECT_EQ(detail::fixed(-0.5, 0), "-0");
  EXPECT_EQ(detail::fixed(std::numeric_limits<double>::lowest(), 6).size(), 317U);
  EXPECT_EQ(detail::fixed(std::numeric_limits<double>::infinity(), 2), "inf");
}

// --- A line --------------------------------------------------------------------------------------

JournalLine line_of(Action action) {
  JournalLine line;
  line.step = 12345;
  line.decision.action = action;
  line.reason = "some reason";
  return line;
}

TEST(LogLine, OfALookThatHolds) {
  EXPECT_EQ(log_line(line_of(Action::hold)), "step 12,345: hold: some reason");
}

TEST(LogLine, OfAnAdviceThatWasNotTaken) {
  EXPECT_EQ(log_line(line_of(Action::rebalance)), "step 12,345: rebalance: some reason; not taken");
}

TEST(LogLine, OfAnAdviceThatWasTaken) {
  JournalLine line = line_of(Action::rebalance);
  line.outcome = Outcome{.objects_moved = 12'000, .bytes_moved = 3'200'000, .seconds = 0.0125};
  EXPECT_EQ(log_line(line),
            "step 12,345: rebalance: some reason; 12,000 objects (3.2 MB) moved in 12.50 ms");
}

TEST(LogLine, OfARebalanceThatMovedNothing) {
  JournalLine line = line_of(Action::rebalance);
  line.outcome = Outcome{.moved = false, .seconds = 2.5};
  EXPECT_EQ(log_line(line),
            "step 12,345: rebalance: some reason; nothing had to change, in 2.50 s");
}

// Whatever moves, if anything does, the application moves; or borders moved and no object did.
TEST(LogLine, OfARebalanceInWhichNoObjectMoved) {
  JournalLine line = line_of(Action::rebalance);
  line.outcome = Outcome{.seconds = 0.0125, .lambda = 1.1};
  EXPECT_EQ(log_line(line),
            "step 12,345: rebalance: some reason; new domains in 12.50 ms; lambda 1.10 foreseen");
}

TEST(LogLine, OfOneObject) {
  JournalLine line = line_of(Action::rebalance);
  line.outcome = Outcome{.objects_moved = 1, .bytes_moved = 96, .seconds = 0.0125};
  EXPECT_EQ(log_line(line),
            "step 12,345: rebalance: some reason; 1 object (96 B) moved in 12.50 ms");
}

// --- The summary ---------------------------------------------------------------------------------

// 1000 steps on 4 ranks that worked 8 of 10 s and lost 2 s: lambda 1.25, imbalance 2 / 10 * 4 / 3.
Summary run() {
  Summary run;
  run.steps = run.account.steps = 1000;
  run.ranks = 4;
  run.account.mean = 8;
  run.account.actual = 10;
  run.account.never = 13;
  run.account.knows_never = true;
  run.state.ledger.covered = 8e9;
  run.state.ledger.elapsed = 16e9;
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

TEST(SummaryOf, RebalancesThatSaved) {
  Summary saved = rebalanced_run(12, 0.5);
  EXPECT_EQ(summary_of(saved),
            start +
                "12 rebalances cost 0.50 s (4.8 %). Without them the slowest ranks would have "
                "worked 13.00 s: 2.50 s saved.");
  saved.account.uncertainty = 0.3;
  EXPECT_EQ(summary_of(saved),
            start +
                "12 rebalances cost 0.50 s (4.8 %). Without them the slowest ranks would have "
                "worked 13.00 s: 2.50 s saved, give or take 0.30 s.");
}

TEST(SummaryOf, WhatTheApplicationRebuildsIsACost) {
  Summary saved = rebalanced_run(1, 0.5);
  saved.account.rebuild_cost = 2;
  EXPECT_EQ(summary_of(saved),
            start +
                "1 rebalance cost 2.50 s (20.0 %): 0.50 s evenkeel's, 2.00 s the application's "
                "rebuild. Without them the slowest ranks would have worked 13.00 s: 0.50 s "
                "saved.");
}

TEST(SummaryOf, RebalancesThatLost) {
  Summary lost = rebalanced_run(1, 10);
  EXPECT_EQ(summary_of(lost),
            start +
                "1 rebalance cost 10.00 s (50.0 %). Without them the slowest ranks would have "
                "worked 13.00 s: 7.00 s lost.");
  lost.account.own_cost = 3;
  EXPECT_TRUE(test::mentions(summary_of(lost), "worked 13.00 s: 0.00 us saved."));
}

TEST(SummaryOf, WhatNobodyKnowsIsSaidToBeSo) {
  Summary unknown = rebalanced_run(12, 0.5);
  unknown.account.knows_never = false;
  EXPECT_EQ(summary_of(unknown),
            start +
                "12 rebalances cost 0.50 s (4.8 %). Had it stayed as uneven as it last was "
                "without them, the slowest ranks would have worked 13.00 s: 2.50 s saved.");
}

TEST(SummaryOf, RebalancesThatChangedNothing) {
  Summary unchanged = rebalanced_run(12, 0.5);
  unchanged.state.unchanged = 3;
  EXPECT_TRUE(test::mentions(
      summary_of(unchanged),
      "9 rebalances, and 3 that changed nothing, cost 0.50 s (4.8 %). Without them"));
}

TEST(SummaryOf, WhatEachHasGained) {
  Summary gained = rebalanced_run(12, 0.5);
  gained.state.ledger.counted = 11;
  gained.state.ledger.gained = 4e9;
  gained.state.ledger.foreseen = 2.25e9;
  const std::string saved =
      start +
      "12 rebalances cost 0.50 s (4.8 %). Without them the slowest ranks would have worked "
      "13.00 s: 2.50 s saved. Against the domains that each has replaced they gained 4.00 "
      "s; 2.25 s net were foreseen";
  EXPECT_EQ(summary_of(gained), saved + ".");
  gained.state.ledger.losses = 1;
  EXPECT_EQ(summary_of(gained), saved + "; 1 did not pay for itself.");
  gained.state.ledger.losses = 2;
  EXPECT_EQ(summary_of(gained), saved + "; 2 did not pay for themselves.");
}

// It has brought 2 s for 0.5 s when the run ends.
TEST(SummaryOf, TheLastRebalanceCounts) {
  Summary open = rebalanced_run(1, 0.5);
  Ledger& ledger = open.state.ledger;
  ledger.open = 1;
  ledger.looks_since = 1;
  ledger.replaced.add(4e9, 0.5);
  ledger.since = 4e9;
  ledger.price = 0.5e9;
  ledger.predicted = 1e9;
  EXPECT_TRUE(test::mentions(summary_of(open), "they gained 2.00 s; 1.00 s net were foreseen."));
  ledger.price = 2.5e9;
  EXPECT_TRUE(test::mentions(summary_of(open), "foreseen; 1 did not pay for itself."));
}

// Weights have no seconds. A second stands for a thousand.
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
  EXPECT_TRUE(test::mentions(summary_of(short_of),
                             "50.0 % of the time; measured in 990 of 1,000 steps.\n"));
}

TEST(SummaryOf, NothingWasRebalanced) {
  EXPECT_EQ(summary_of(run()), start + "Nothing was rebalanced.");
}

TEST(SummaryOf, AdviceOnly) {
  Summary advice = run();
  advice.moves = false;
  EXPECT_EQ(summary_of(advice), start + "Balancing would not have paid for itself.");
  advice.advices = 1;
  advice.account.advised = 1.5;
  EXPECT_EQ(summary_of(advice), start +
                                    "Nothing was moved. Balancing 1 time would have saved 1.50 s "
                                    "(15.0 % of the slowest ranks' work).");
  advice.advices = 1234;
  EXPECT_EQ(summary_of(advice), start +
                                    "Nothing was moved. Balancing 1,234 times would have saved "
                                    "1.50 s (15.0 % of the slowest ranks' work).");
}

// As where a threshold acts on what goes away by itself.
TEST(SummaryOf, AdviceThatWouldNotHavePaid) {
  Summary advice = run();
  advice.moves = false;
  advice.advices = 3;
  EXPECT_EQ(summary_of(advice), start + "Balancing would not have paid for itself.");
  advice.account.advised = -1.5;
  EXPECT_EQ(summary_of(advice), start + "Balancing would not have paid for itself.");
}

// Looks are rare where rebalances are many, or the run is short.
TEST(SummaryOf, RebalancesAreToldAlsoWithoutALook) {
  Summary blind = rebalanced_run(100, 0);
  blind.account = {};
  blind.state.ledger = {};
  EXPECT_EQ(summary_of(blind),
            "1,000 steps on 4 ranks; measured in 0 of 1,000 steps.\n"
            "No look has counted, so nothing is known of the load.\n"
            "100 rebalances cost 0.00 us (0.0 %).");
}

// By an application that rebalances before the first look, and never again.
TEST(SummaryOf, RebalancesAreToldAlsoWhereTheyHaveCostNothing) {
  Summary cheap = rebalanced_run(1, 0);
  cheap.account.never = 10;
  EXPECT_EQ(summary_of(cheap), start +
                                   "1 rebalance cost 0.00 us (0.0 %). Without them the slowest "
                                   "ranks would have worked 10.00 s: 0.00 us saved.");
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
            "0 steps on 1 rank.\nNo look has counted, so nothing is known of the load.");
  Summary idle = run();
  idle.account.mean = 0;
  idle.state.ledger.covered = 0;
  EXPECT_EQ(summary_of(idle),
            "1,000 steps on 4 ranks.\nNo look has counted, so nothing is known of the load.");
}

// --- Where it goes -------------------------------------------------------------------------------

// What an application has registered with spdlog, for the time of a test.
class UsersLogger : public testing::Test {
 protected:
  UsersLogger() {
    const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    const auto logger = std::make_shared<spdlog::logger>("evenkeel", sink);
    logger->set_pattern("[%l] %v");
    spdlog::register_logger(logger);
  }
  ~UsersLogger() override { spdlog::drop("evenkeel"); }

  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

TEST_F(UsersLogger, GetsTheLines) {
  const Log log(LogLevel::summary);
  log.write("one line");
  log.write("two\nlines");
  EXPECT_EQ(text(), "[info] one line\n[info] two\n[info] lines\n");
}

TEST_F(UsersLogger, GetsTheNameBeforeEachLine) {
  Log(LogLevel::summary, "fluid").write("two\nlines");
  EXPECT_EQ(text(), "[info] fluid: two\n[info] fluid: lines\n");
  Log(LogLevel::summary, "fluid").warn("two\nmore");
  EXPECT_EQ(text(),
            "[info] fluid: two\n[info] fluid: lines\n"
            "[warning] fluid: two\n[warning] fluid: more\n");
}

TEST_F(UsersLogger, GetsTextAsItIs) {
  Log(LogLevel::looks).write("{} {0:d} %v %n \\");
  EXPECT_EQ(text(), "[info] {} {0:d} %v %n \\\n");
}

TEST_F(UsersLogger, GetsNothingOfNothing) {
  const Log log(LogLevel::looks);
  log.write("");
  EXPECT_EQ(text(), "");
}

TEST_F(UsersLogger, GetsNothingAtLevelOff) {
  const Log log(LogLevel::off);
  log.write("a line");
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

// The name stays free for what the application registers later.
TEST(Log, GoesToStderrWhereNobodyHasRegisteredALogger) {
  testing::internal::CaptureStderr();
  Log(LogLevel::summary).write("two\nlines");
  Log(LogLevel::off).write("nothing");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "evenkeel: two\nevenkeel: lines\n");
  EXPECT_EQ(spdlog::get("evenkeel"), nullptr);
}

// The program that has read stderr is gone (`mpirun ... 2>&1 | head`).
TEST(Log, ToNobodyEndsNoRun) {
  ASSERT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  std::array<int, 2> ends = {};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  const int before = dup(STDERR_FILENO);
  ASSERT_EQ(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  const Log log(LogLevel::decisions, "fluid");
  for (int line = 0; line < 3; ++line) log.write("nobody reads this");
  log.warn("nor this");
  ASSERT_EQ(dup2(before, STDERR_FILENO), STDERR_FILENO);
  close(before);
  close(ends[1]);
}

}  // namespace
}  // namespace evenkeel
