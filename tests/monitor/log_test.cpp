#include "log.hpp"

#include "support/harness.hpp"
#include "words.hpp"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

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
  run.steps = 1000;
  run.ranks = 4;
  run.state.ledger.worked = 8e9;
  run.state.ledger.lost = 2e9;
  run.state.ledger.elapsed = 16e9;
  return run;
}

const std::string start =
    "1,000 steps on 4 ranks; the kernels took 50.0 % of the time.\n"
    "The slowest ranks worked 10.00 s, the average rank 8.00 s: 2.00 s lost to imbalance (lambda "
    "1.25, imbalance 27 %).\n";

TEST(SummaryOf, RebalancesThatGained) {
  Summary gained = run();
  gained.state.rebalances = 12;
  gained.state.ledger.spent = 0.5e9;
  gained.state.ledger.gained = 3e9;
  gained.state.ledger.counted = 12;
  EXPECT_EQ(summary_of(gained),
            start + "12 rebalances cost 0.50 s (4.8 %) and gained 3.00 s: 2.50 s saved.");
  gained.state.ledger.losses = 2;
  EXPECT_EQ(summary_of(gained),
            start +
                "12 rebalances cost 0.50 s (4.8 %) and gained 3.00 s: 2.50 s saved; 2 did not "
                "pay for themselves.");
  gained.state.ledger.foreseen = 2.25e9;
  EXPECT_EQ(summary_of(gained),
            start +
                "12 rebalances cost 0.50 s (4.8 %) and gained 3.00 s: 2.50 s saved, and 2.25 s "
                "foreseen; 2 did not pay for themselves.");
}

TEST(SummaryOf, RebalancesThatLost) {
  Summary lost = run();
  lost.state.rebalances = 1;
  lost.state.ledger.spent = 10e9;
  lost.state.ledger.gained = 3e9;
  lost.state.ledger.counted = 1;
  lost.state.ledger.losses = 1;
  EXPECT_EQ(summary_of(lost),
            start +
                "1 rebalance cost 10.00 s (50.0 %) and gained 3.00 s: 7.00 s lost; 1 did not "
                "pay for itself.");
  lost.state.ledger.spent = 3e9;
  lost.state.ledger.losses = 0;
  EXPECT_EQ(summary_of(lost),
            start + "1 rebalance cost 3.00 s (23.1 %) and gained 3.00 s: 0.00 us saved.");
}

TEST(SummaryOf, ARebalanceOfWhichNothingIsKnown) {
  Summary unknown = run();
  unknown.state.rebalances = 1;
  unknown.state.ledger.spent = 0.01e9;
  EXPECT_EQ(summary_of(unknown), start + "1 rebalance cost 10.00 ms (0.1 %).");
}

// It has brought 0.25 s per step over 8 steps when the run ends.
TEST(SummaryOf, TheLastRebalanceCounts) {
  Summary open = run();
  open.state.rebalances = 1;
  Ledger& ledger = open.state.ledger;
  ledger.open = 1;
  ledger.before = 0.3e9;
  ledger.after = {0.05e9, 0, 0};
  ledger.looks_since = 1;
  ledger.steps_since = 8;
  ledger.price = ledger.spent = 0.5e9;
  EXPECT_EQ(summary_of(open),
            start + "1 rebalance cost 0.50 s (4.8 %) and gained 2.00 s: 1.50 s saved.");
}

TEST(SummaryOf, AdviceOnly) {
  Summary advice = run();
  advice.moves = false;
  EXPECT_EQ(summary_of(advice), start + "Balancing would not have paid for itself.");
  advice.advices = 1;
  advice.shadow_gain = 1.5e9;
  EXPECT_EQ(summary_of(advice), start +
                                    "Nothing was moved. Balancing 1 time would have saved up "
                                    "to 1.50 s (15.0 % of the work's time).");
  advice.advices = 1234;
  EXPECT_EQ(summary_of(advice), start +
                                    "Nothing was moved. Balancing 1,234 times would have saved "
                                    "up to 1.50 s (15.0 % of the work's time).");
}

// The first distribution says nothing of what balancing is worth.
TEST(SummaryOf, AdviceAfterAFirstDistribution) {
  Summary advice = run();
  advice.moves = false;
  advice.state.rebalances = 1;
  advice.state.ledger.spent = 0.5e9;
  advice.advices = 2;
  advice.shadow_gain = 1.5e9;
  EXPECT_EQ(summary_of(advice),
            start +
                "1 rebalance cost 0.50 s (4.8 %). Balancing 2 times would have saved up to "
                "1.50 s (15.0 % of the work's time).");
}

// As where a threshold acts on what goes away by itself.
TEST(SummaryOf, AdviceThatWouldHaveLost) {
  Summary advice = run();
  advice.moves = false;
  advice.advices = 3;
  advice.shadow_gain = -1.5e9;
  EXPECT_EQ(summary_of(advice), start + "Balancing would not have paid for itself.");
}

// Looks are rare where rebalances are many, or the run is short.
TEST(SummaryOf, RebalancesAreToldAlsoWithoutALook) {
  Summary blind = run();
  blind.state.rebalances = 100;
  blind.state.ledger = {};
  EXPECT_TRUE(test::mentions(summary_of(blind), "100 rebalances"));
  EXPECT_EQ(summary_of(blind).find("No kernel was timed"), std::string::npos);
}

TEST(SummaryOf, OneStepOnOneRank) {
  Summary single = run();
  single.steps = single.ranks = 1;
  single.state.ledger.lost = 0;
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
  idle.state.ledger.worked = 0;
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

}  // namespace
}  // namespace evenkeel
