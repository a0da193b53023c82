#include "replay/journal.hpp"
#include "decide/decision.hpp"
#include "journal/reader.hpp"
#include "monitor/drive/monitor/watching.hpp"
#include "monitor/drive/users_logger.hpp"
#include "monitor/drive/virtual_clock.hpp"
#include "support/scratch.hpp"

#include <evenkeel/backends/config.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace evenkeel::journal_test {
namespace {

using nlohmann::json;
using namespace test;
using tool::totals_from;

// A custom rule has no text, so the caller gives the trigger.
DecisionState read_state(const json& from, const Trigger& trigger) {
  DecisionState state = tool::state_from(from);
  state.trigger = trigger;
  return state;
}

class JournalTest : public MeasuredTest {
 protected:
  ScratchDirectory scratch;  // of this rank; only rank 0's options count
  const std::string path = scratch.path_of("run.jsonl");

  Options with_journal(Options options) const {
    options.journal = path;
    return options;
  }

  // The journal's lines, on rank 0.
  std::vector<std::string> lines() const {
    EXPECT_EQ(std::filesystem::exists(path), rank == 0);
    std::vector<std::string> all;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      EXPECT_TRUE(json::accept(line)) << line;
      all.push_back(line);
    }
    return all;
  }

  // The header and the looks, on rank 0 alone. The last line, which has the account, is left out.
  std::vector<json> parsed() const {
    std::vector<json> all;
    for (const std::string& line : lines()) all.push_back(json::parse(line, nullptr, false));
    if (!all.empty() && all.back().contains("finished")) all.pop_back();
    return all;
  }

  // A run with many kinds of events. Once, the application requests a rebalance by itself.
  enum class Ask { during_a_look, between_looks };
  void run(const Options& options, Ask ask) const;
};

TEST_F(JournalTest, AHeaderWithoutALook) {
  Monitor monitor(outer, with_journal(exact(Threshold{.lambda = 1.5})));
  static_cast<void>(monitor.kernel("force"));
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].at("version"), EVENKEEL_VERSION);
  EXPECT_EQ(read[0].at("ranks"), size);
  EXPECT_EQ(read[0].at("kernels"), json::array({"force"}));
  EXPECT_EQ(read[0].at("options").at("trigger"), "threshold lambda 1.5");
  EXPECT_EQ(read[0].at("options").at("journal"), path);
  EXPECT_EQ(read[0].at("state").at("looks"), 0);
}

TEST_F(JournalTest, TheLastLineHasTheBooks) {
  Monitor monitor = uneven(with_journal(exact(Never{})));
  advised(monitor, 29);
  monitor.finish();
  const auto all = lines();
  if (rank != 0) return;
  const json last = json::parse(all.back());
  EXPECT_EQ(last.at("finished"), true);
  EXPECT_EQ(last.at("step"), 29);
  const Account account = monitor.account();
  EXPECT_EQ(last.at("account").at("steps"), 29) << "those after the last look, too";
  EXPECT_EQ(last.at("account").at("mean"), account.mean);
  EXPECT_EQ(last.at("account").at("actual"), account.actual);
  EXPECT_EQ(last.at("account").at("never"), account.never);
  EXPECT_EQ(last.at("account").at("knows_never"), account.knows_never);
  EXPECT_EQ(last.at("account").at("advised"), account.advised);
  const DecisionState state = tool::state_from(last.at("state"));
  EXPECT_EQ(account_of(state.ledger).actual, account.actual);
  EXPECT_TRUE(last.at("summary").get<std::string>().starts_with("29 steps on "));
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    EXPECT_FALSE(json::parse(all[i]).contains("finished"));
}

TEST_F(JournalTest, ALineForEachLook) {
  Monitor monitor = uneven(with_journal(exact(Threshold{.lambda = 1.5})));
  for (int step = 1; step <= 26; ++step) {
    if (monitor.step(rank + 5) && step == 24)
      monitor.rebalanced({.objects_moved = 3,
                          .bytes_moved = 96,
                          .seconds = 0.25,
                          .stages = {{"order", 0.125}, {"cut", 0.0625}}});
  }
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  ASSERT_EQ(read.size(), 3U);
  const bool advises = size > 1;
  for (std::size_t look : {1U, 2U}) {
    const json& line = read[look];
    EXPECT_EQ(line.at("step"), look == 1 ? 11 : 19);
    EXPECT_EQ(line.at("generation"), 0);
    EXPECT_EQ(line.at("totals").at("steps"), 8);
    EXPECT_EQ(line.at("totals").at("load").at(0), 16'000'000 * size + (size == 1 ? 8'000'000 : 0));
    EXPECT_EQ(line.at("totals").at("load").at(2), 24'000'000);
    EXPECT_EQ(line.at("totals").at("objects"),
              json::array({5 * size + size * (size - 1) / 2, 5, size + 4}));
    EXPECT_EQ(line.at("lambda"), advises ? 1.5 : 1);
    EXPECT_EQ(line.at("coverage"), 1);
    EXPECT_EQ(line.at("decision"), advises ? "rebalance" : "hold");
    EXPECT_EQ(line.at("cause"), advises ? "above_threshold" : "below_threshold");
    EXPECT_EQ(line.at("per_rank").size(), static_cast<std::size_t>(size));
    EXPECT_EQ(line.at("per_rank").at(0), 0.003);
    EXPECT_EQ(line.at("state").at("looks"), look - 1);
  }
  EXPECT_TRUE(read[1].at("cost").is_null()) << "it was not taken";
  if (!advises) return;
  EXPECT_EQ(read[2].at("cost"), 0.25);
  EXPECT_EQ(read[2].at("objects_moved"), 3);
  EXPECT_EQ(read[2].at("bytes_moved"), 96);
  EXPECT_EQ(read[2].at("seconds"), (json{{"order", 0.125}, {"cut", 0.0625}}));
}

TEST_F(JournalTest, ARankThatIsSlow) {
  Options options = with_journal({.trigger = Never{},
                                  .epoch_steps = 6,
                                  .warmup_steps = 0,
                                  .own_clock = &virtual_now,
                                  .log = LogLevel::off});
  options.own_probe = [&] { return std::int64_t{rank == size - 1 ? 1200 : 1000}; };
  Monitor monitor(outer, options);
  const Kernel kernel = monitor.kernel("work");
  for (int step = 0; step < 100; ++step) {
    spend(kernel, 1000000);
    monitor.step();
  }
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  EXPECT_FALSE(read[1].contains("slow_rank"));
  const json& last = read[read.size() - 2];
  EXPECT_EQ(last.contains("slow_rank"), size > 1);
  if (size == 1) return;
  const json& slow = last.at("slow_rank");
  EXPECT_EQ(slow.at("rank"), size - 1);
  EXPECT_NEAR(slow.at("percent"), 20, 0.01);
  EXPECT_EQ(slow.at("error"), 0);
  EXPECT_EQ(slow.at("waiting"), 0);
  EXPECT_EQ(slow.at("since"), 0);
}

// A rebalance that had to wait is in the line of the last look that settled before it.
TEST_F(JournalTest, ARebalanceThatHadToWait) {
  if (size == 1) GTEST_SKIP() << "alone, nothing is advised";
  for (const int taken_at : {20, 26}) {
    Monitor monitor = uneven(with_journal(exact(Threshold{.lambda = 1.5})));
    for (int step = 1; step <= 30; ++step)
      if (monitor.step(0, {.may_move = step == taken_at})) monitor.rebalanced({.objects_moved = 3});
    monitor.finish();
    const auto read = parsed();
    if (rank != 0) continue;
    const std::size_t look = taken_at == 20 ? 1 : 2;
    ASSERT_GT(read.size(), look);
    EXPECT_EQ(read[look].at("step"), look == 1 ? 11 : 19);
    EXPECT_EQ(read[look].at("cause"), "above_threshold");
    EXPECT_EQ(read[look].at("taken_at"), taken_at);
    EXPECT_EQ(read[look].at("kind"), "fresh");
    EXPECT_EQ(read[look].at("objects_moved"), 3);
    if (look == 2) {
      EXPECT_TRUE(read[1].at("taken_at").is_null());
    }
  }
}

// The look at step 19 asks for nothing, so the rebalance has a line of its own.
TEST_F(JournalTest, ARebalanceThatHadToWaitForLongerThanALook) {
  if (size == 1) GTEST_SKIP() << "alone, nothing is advised";
  const UsersLogger log;
  Options options = with_journal(exact(Threshold{.lambda = 1.5}));
  options.log = LogLevel::decisions;
  Monitor monitor(outer, options);
  for (int step = 1; step <= 34; ++step) {
    monitor.set_load(step <= 11 ? uneven_load() : 2);
    if (monitor.step(0, {.may_move = step == 30})) monitor.rebalanced({.objects_moved = 3});
  }
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  EXPECT_MENTIONS(log.text(), "step 11: rebalance: lambda 1.50");
  EXPECT_MENTIONS(log.text(), "; not taken yet");
  EXPECT_MENTIONS(log.text(), "step 30: rebalance (decided at step 11): lambda 1.50");
  ASSERT_GT(read.size(), 3U);
  EXPECT_EQ(read[1].at("step"), 11);
  EXPECT_TRUE(read[1].at("taken_at").is_null());
  EXPECT_FALSE(read[1].contains("decided_at"));
  EXPECT_EQ(read[2].at("decision"), "hold");
  EXPECT_EQ(read[3].at("step"), 30);
  EXPECT_EQ(read[3].at("decided_at"), 11);
  EXPECT_EQ(read[3].at("taken_at"), 30);
  EXPECT_EQ(read[3].at("cause"), "above_threshold");
}

TEST_F(JournalTest, ALineForEachRebalanceWithoutALook) {
  Monitor monitor(outer, with_journal(exact(Every{.start = 5, .stop = 10, .period = 5})));
  EXPECT_EQ(advised(monitor, 12), (Steps{5, 10}));
  monitor.rebalanced({.objects_moved = 7});
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  ASSERT_EQ(read.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_TRUE(read[i].at("totals").is_null());
    EXPECT_EQ(read[i].at("decision"), "rebalance");
    EXPECT_EQ(read[i].at("cause"), i < 3 ? "due" : "requested");
  }
  EXPECT_EQ(read[1].at("step"), 5);
  EXPECT_EQ(read[1].at("reason"), "every 5:10:5");
  EXPECT_TRUE(read[1].at("cost").is_null());
  EXPECT_EQ(read[2].at("step"), 10);
  EXPECT_EQ(read[3].at("step"), 12);
  EXPECT_EQ(read[3].at("reason"), "asked for by the application");
  EXPECT_EQ(read[3].at("objects_moved"), 7);
}

TEST_F(JournalTest, WhatKernelsCostInAMeasuredRun) {
  Monitor monitor(outer, with_journal(measured(Custom{&always})));
  const Kernel outside = monitor.kernel("outside"), inside = monitor.kernel("inside");
  static_cast<void>(monitor.kernel("idle"));
  for (int step = 1; step <= 32; ++step) {
    {
      const Timer timing = outside.time();
      work();
      const Timer interruption = inside.time();
      work();
    }
    if (monitor.step() && step == 16)
      monitor.rebalanced({.moved = false, .seconds = 0.5 * (rank + 1)});
  }
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  ASSERT_EQ(read.size(), 4U);
  for (std::size_t look = 1; look <= 3; ++look) {
    const json& totals = read[look].at("totals");
    ASSERT_EQ(totals.at("kernels").size(), 3U);
    EXPECT_EQ(totals.at("kernels").at(0), json::array({0, 0, 0})) << "the idle one";
    const Totals all = totals_from(totals);
    const RankTally in = all.kernels[1], out = all.kernels[2], load = all.load;
    EXPECT_GE(in.least, 8 * 1000);
    EXPECT_GE(out.least, 8 * 1000);
    EXPECT_EQ(in.sum + out.sum, load.sum) << "nothing counts twice";
    EXPECT_LE(load.sum, all.duration.sum);
    EXPECT_EQ(totals.at("cost"), look == 2 ? std::int64_t{500'000'000} * size : 0)
        << "of the slowest rank";
    EXPECT_TRUE(read[look].at("kernels").contains("inside"));
  }
}

TEST_F(JournalTest, KernelsInPhases) {
  Monitor monitor(outer, with_journal(measured(Never{})));
  const Kernel push = monitor.kernel("push"), solve = monitor.kernel("solve", {.phase = 2}),
               lists = monitor.kernel("lists", {.phase = 2, .every = 4});
  EXPECT_ERROR(static_cast<void>(monitor.kernel("solve")),
               "registered already, with other options");
  for (int step = 1; step <= 32; ++step) {
    for (const Kernel& kernel : {push, solve}) {
      const Timer timing = kernel.time();
      work();
    }
    const Timer timing = lists.time();
    if (step % 4 == 0) work();
    monitor.step();
  }
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  ASSERT_GE(read.size(), 2U);
  ASSERT_EQ(read[1].at("totals").at("phases").size(), 3U);
  const Totals totals = totals_from(read[1].at("totals"));
  const RankTally first = totals.phases[0], last = totals.phases[2];
  EXPECT_GE(first.least, 8 * 1000);
  EXPECT_GE(last.least, 10 * 1000);
  EXPECT_EQ(totals.phases[1].sum, 0);
  EXPECT_EQ(first.sum + last.sum, totals.load.sum);
  EXPECT_EQ(totals.critical_load(), first.greatest + last.greatest);
}

TEST_F(JournalTest, SaysWhyNothingHappens) {
  const auto cause = [&](const Options& options, double load) {
    Monitor monitor(outer, with_journal(options));
    monitor.set_load(load);
    advised(monitor, 16);
    monitor.finish();
    const auto read = parsed();
    return rank == 0 && read.size() == 2 ? read[1].at("cause") : json("elsewhere");
  };
  const auto expect_cause = [&](const json& found, const char* expected) {
    EXPECT_EQ(found, rank == 0 ? expected : "elsewhere");
  };
  Options options = exact(Threshold{.lambda = 1.4});
  expect_cause(cause(options, 0), "no_load");
  expect_cause(cause(options, -1), "unfit");
  expect_cause(cause(options, 1), "below_threshold");
  options.floor_percent = 1;
  expect_cause(cause(options, 1), "below_floor");
  expect_cause(cause(exact(Never{}), 1), "not_asked");
  expect_cause(cause(exact(Custom{&never}), 1), "custom");
}

void JournalTest::run(const Options& options, Ask ask) const {
  Monitor monitor(outer, options);
  std::mt19937 random(7);
  static_cast<void>(monitor.kernel("force"));
  if (rank % 2 == 1) static_cast<void>(monitor.kernel("odd ranks"));
  int advices = 0, steps_in_epoch = 0;
  bool asked = false;
  for (int step = 1; step <= 300; ++step) {
    for (int r = 0; r < size; ++r) {
      const double load = 0.001 * static_cast<double>(random() % 1000);
      if (r == rank) monitor.set_load(load);
    }
    if (step == 100 && rank == 0) static_cast<void>(monitor.kernel("late"));
    steps_in_epoch = monitor.next_step_looks() ? 0 : steps_in_epoch + 1;
    const bool advice = monitor.step(step + rank).rebalance;
    advices += advice ? 1 : 0;
    const bool asks = !asked && step > 150 && !advice &&
                      steps_in_epoch == (ask == Ask::during_a_look ? 2 : latency + 1);
    asked = asked || asks;
    if ((advice && advices % 3 != 0) || asks)
      monitor.rebalanced({.moved = advices % 3 == 1, .objects_moved = step, .seconds = 0.5});
  }
  EXPECT_TRUE(asked);
  monitor.finish();
}

TEST_F(JournalTest, IsTheSameWithAndWithoutAWatcher) {
  for (const Trigger& trigger :
       {Trigger(Threshold{.lambda = 1.2}), Trigger(Every{.period = 7}), Trigger(Never{})}) {
    Options options = with_journal(exact(trigger));
    options.cooldown_steps = 10;
    run(options, Ask::during_a_look);
    const auto with = lines();
    options.watcher = false;
    run(options, Ask::during_a_look);
    const auto without = lines();
    if (rank != 0) continue;
    ASSERT_GT(with.size(), 20U);
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t i = 1; i < with.size(); ++i) EXPECT_EQ(with[i], without[i]);
    json header = json::parse(with[0]), other = json::parse(without[0]);
    EXPECT_EQ(std::exchange(header.at("options").at("watcher"), nullptr), "on");
    EXPECT_EQ(std::exchange(other.at("options").at("watcher"), nullptr), "off");
    EXPECT_EQ(header.dump(), other.dump());
  }
}

TEST_F(JournalTest, IsEnoughToDecideAgain) {
  const Trigger trigger = Threshold{.lambda = 1.2};
  Options options = with_journal(exact(trigger));
  options.cooldown_steps = 10;
  run(options, Ask::between_looks);
  const auto read = parsed();
  if (rank != 0) return;
  int decided = 0, acted = 0;
  DecisionState state = read_state(read[0].at("state"), trigger);
  for (std::size_t i = 1; i < read.size(); ++i) {
    const json& line = read[i];
    const DecisionState before = read_state(line.at("state"), trigger);
    EXPECT_EQ(hash_of(before), hash_of(state)) << "what the lines before have led to";
    std::int64_t step = line.at("step");
    if (!line.at("totals").is_null()) {
      const Totals totals = totals_from(line.at("totals"));
      const Verdict verdict = fold(before, totals);
      EXPECT_EQ(line.at("totals").at("cost"), 0) << "no clock in a deterministic run";
      EXPECT_EQ(line.at("totals").at("variance"), 0);
      EXPECT_EQ(line.at("decision"), name_of(verdict.decision.action));
      EXPECT_EQ(line.at("cause"), name_of(verdict.decision.reason));
      EXPECT_EQ(line.at("reason"), explain(before, totals, verdict.decision));
      state = verdict.state;
      step += latency;
      ++decided;
      acted += verdict.decision.action == Action::rebalance ? 1 : 0;
    }
    if (line.at("cost").is_null()) continue;
    const std::int64_t next =
        i + 1 < read.size() ? read[i + 1].at("generation").get<std::int64_t>() : state.generation;
    EXPECT_LE(next - state.generation, 1);
    state = rebalanced(state, step, next);
  }
  EXPECT_GT(decided, 20);
  EXPECT_GT(acted, size > 1 ? 3 : -1);
}

TEST_F(JournalTest, AnUnwritableOneIsTheSameErrorOnAllRanks) {
  Options options = exact(Never{});
  options.journal = rank == 0 ? "/nonexistent directory/journal.jsonl" : path;
  const std::string text = test::error_everywhere([&] { Monitor monitor(outer, options); });
  EXPECT_MENTIONS(text, "rank 0: monitor/journal");
  EXPECT_MENTIONS(text, "The journal '/nonexistent directory/journal.jsonl' cannot");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(JournalTest, TheWordNoneMeansNone) {
  Options options = exact(Custom{&always});
  options.journal = rank == 0 ? "none" : path;
  Monitor monitor(outer, options);
  EXPECT_EQ(monitor.options().journal, "");
  advised(monitor, 20);
  monitor.rebalanced();
  monitor.finish();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists("none"));
}

// A rebalance at a fixed step may have its line before that of an earlier look. Readers that show
// the journal must show all looks.
TEST_F(JournalTest, IsReadWholeIfRebalancesAreDueDuringLooks) {
  Monitor monitor = uneven(with_journal(exact(Every{.period = 10})));
  advised(monitor, 100, [&] { monitor.rebalanced({.moved = true, .seconds = 1e-3}); });
  monitor.finish();
  if (rank != 0) return;
  const tool::JournalReplay replay = tool::replay_journal(path);
  EXPECT_GT(replay.looks, 5);
  std::int64_t looks = 0;
  const tool::Reading reading = tool::read_journal(
      tool::FileSource(path), tool::Care::tolerant,
      {[](const JournalHeader&) {},
       [&](const tool::JournalPlace&, const JournalLine& line) { looks += line.totals ? 1 : 0; }});
  EXPECT_EQ(reading.broken, 0);
  EXPECT_EQ(looks, replay.looks);
}

TEST_F(JournalTest, WithoutFinishAllThatIsSettledIsWritten) {
  for (const bool watcher : {true, false}) {
    Options options = with_journal(exact(Threshold{.lambda = 1.5}));
    options.watcher = watcher;
    {
      Monitor monitor = uneven(options);
      advised(monitor, 38);
    }
    const auto read = parsed();
    EXPECT_EQ(read.size(), rank == 0 ? 5U : 0U) << "the last line says that this is no end";
  }
}

// The chain must have a row for each step that a look covers, and a bin for each rank.
TEST_F(JournalTest, IsAChainAsLongAsNothingMoves) {
  {
    Monitor monitor = uneven(with_journal(exact(Never{})));
    advised(monitor, 40);
    monitor.finish();
  }
  if (rank == 0) {
    const tool::ChainTable chain = tool::chain_of_journal(path);
    EXPECT_EQ(chain.bins, static_cast<std::uint64_t>(size));
    EXPECT_EQ(chain.costs.size(), 35U * static_cast<std::size_t>(size)) << "the last look's step";
    for (std::size_t i = 0; i < chain.costs.size(); ++i)
      EXPECT_NEAR(chain.costs[i], 1e-3 * (i % chain.bins == 0 ? 3 : (2.0 * size - 3) / (size - 1)),
                  1e-8);
  }
  {
    Monitor monitor = uneven(with_journal(exact(Never{})));
    advised(monitor, 20);
    monitor.rebalanced();
    advised(monitor, 60);
    monitor.finish();
  }
  if (rank != 0) return;
  EXPECT_ERROR(tool::chain_of_journal(path), " has other domains than the lines before it.");
  std::ofstream(path).close();
  EXPECT_ERROR(tool::chain_of_journal(path), "is empty.");
}

TEST_F(JournalTest, KernelsMayDifferBetweenRanks) {
  Monitor monitor = even(with_journal(exact(Custom{&always})));
  static_cast<void>(monitor.kernel("common"));
  static_cast<void>(monitor.kernel("only " + std::to_string(rank)));
  advised(monitor, 33);
  static_cast<void>(monitor.kernel("late"));  // in the epoch that ends at 35
  if (rank == size - 1) static_cast<void>(monitor.kernel("last"));
  EXPECT_EQ(advised(monitor, 60), (Steps{40, 48, 56}));
  monitor.finish();
  const auto read = parsed();
  if (rank != 0) return;
  ASSERT_EQ(read.size(), 7U);
  const auto names = [&](std::size_t look) {
    std::vector<std::string> all;
    if (read[look].at("kernels").is_null()) return all;
    for (const auto& item : read[look].at("kernels").items()) all.push_back(item.key());
    std::ranges::sort(all);
    return all;
  };
  std::vector<std::string> expected = {"common"};
  for (int r = 0; r < size; ++r) expected.push_back("only " + std::to_string(r));
  EXPECT_EQ(names(1), size == 1 ? expected : std::vector<std::string>());
  EXPECT_EQ(names(2), expected);
  EXPECT_EQ(names(3), expected);
  expected.insert(expected.begin() + 1, {"last", "late"});
  EXPECT_EQ(names(4), size == 1 ? expected : std::vector<std::string>());
  EXPECT_EQ(names(5), expected);
}

}  // namespace
}  // namespace evenkeel::journal_test
