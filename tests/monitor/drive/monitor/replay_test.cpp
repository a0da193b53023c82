// A journal has all data of its decisions. If the library or `evenkeel replay` repeats the
// decisions, they must be the same to the bit. Loads are random, under every trigger. Each rank has
// a clock that the test advances, so a run can be repeated exactly.

#include "decide/decision.hpp"
#include "journal/line.hpp"
#include "monitor/drive/monitor/watching.hpp"
#include "monitor/drive/virtual_clock.hpp"
#include "support/program.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

namespace evenkeel::replay_test {
namespace {

using nlohmann::json;
using namespace test;
using tool::state_from;
using tool::totals_from;

constexpr std::int64_t millisecond = 1'000'000;

class ReplayTest : public MonitorTest, public testing::WithParamInterface<Trigger> {
 protected:
  test::ScratchDirectory scratch;
  const std::string journal = scratch.path_of("run.jsonl");

  Options recorded() const {
    Options options;
    options.trigger = GetParam();
    options.own_clock = &virtual_now;
    options.least_coverage = 0.05;
    options.cooldown_steps = 12;
    options.horizon = 600;
    options.expected_cost = 3;
    options.log = LogLevel::off;
    options.name = "fluid";
    options.journal = journal;
    return options;
  }

  void run(const Options& options, std::int64_t steps = 500) const;

  // The lines of the journal on rank 0: the header and the looks.
  Words lines() const {
    Words all;
    std::istringstream text(rank == 0 ? test::content_of(journal) : "");
    for (std::string line; std::getline(text, line);) all.push_back(line);
    if (!all.empty() && json::parse(all.back()).contains("finished")) all.pop_back();
    return all;
  }
  static std::string joined(const Words& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
  }

  // Runs `evenkeel replay` on rank 0.
  Ended replay(const std::string& path, const Words& more = {}) const {
    Words words = {EVENKEEL_TEST_PROGRAM, "replay", "--journal", path, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_program(scratch, words);
  }
  Ended replay_text(const std::string& text) const {
    return replay(scratch.with_file("changed.jsonl", text));
  }
  static void expect_refused(const Ended& ended, int status, const std::string& part) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_MENTIONS(ended.err, part);
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
};

// Loads change randomly. Now and then a rank is slow, a clock runs backwards or stops, and a kernel
// is registered late. Advice is followed, or not, or moves nothing.
void ReplayTest::run(const Options& options, std::int64_t steps) const {
  virtual_time = 0;
  Monitor monitor(outer, options);
  const Kernel force = monitor.kernel("force"), lists = monitor.kernel("lists", {.phase = 1});
  std::optional<Kernel> late;
  std::mt19937 own(static_cast<unsigned>(rank)), common(7);
  std::int64_t load = 5 * millisecond;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const std::int64_t began = virtual_time;
    const std::int64_t phase = step % 100;  // of a hundred steps
    const bool rests = phase >= 30 && phase < 50, is_even = phase >= 60 && phase < 75;
    load = std::max(millisecond, load + static_cast<std::int64_t>(own() % 400'000) - 190'000);
    const std::int64_t slowness = rank == 0 && phase < 25 ? 3 : 1;
    if (!rests) spend(force, is_even ? 5 * millisecond : slowness * load);
    if (step % 3 == 0 && !rests) spend(lists, static_cast<std::int64_t>(own() % 1'000'000));
    if (step == 150 && rank == size - 1) late = monitor.kernel("late");
    if (late && !rests) spend(*late, 1000);
    virtual_time += phase >= 80 ? 500 * millisecond : millisecond;
    if (phase == 55 && rank == 0) virtual_time = began - 1;
    const Advice advice = monitor.step(static_cast<std::int64_t>(own() % 1000));
    const auto dice = common() % 16;
    if (dice != 0 && !(advice && dice > 4) && step != 333) continue;
    const auto took = static_cast<std::int64_t>(own() % 2'000'000);
    virtual_time += took;
    const bool moved = dice % 4 != 3;
    monitor.rebalanced({.moved = moved,
                        .objects_moved = step,
                        .bytes_moved = 1000 * static_cast<std::int64_t>(dice),
                        .seconds = 1e-9 * static_cast<double>(took)});
    if (moved) load = 5 * millisecond;
    virtual_time += static_cast<std::int64_t>(own() % 1'000'000);  // rebuilds derived data
  }
  monitor.finish();
}

std::string name_of_trigger(const testing::TestParamInfo<Trigger>& info) {
  const std::string text = to_text(info.param);
  return text.substr(0, text.find(' '));
}

INSTANTIATE_TEST_SUITE_P(Triggers, ReplayTest,
                         testing::Values(CostAware{}, Threshold{.lambda = 1.1}, Menon{}, Zhai{},
                                         Procassini{2}, Boulmier{}, Every{.period = 40}, Never{}),
                         name_of_trigger);

// --- By the library ------------------------------------------------------------------------------

TEST_P(ReplayTest, TheJournalIsTheSameWithAndWithoutAWatcher) {
  Options options = recorded();
  run(options);
  const Words with = lines();
  options.watcher = false;
  run(options);
  Words without = lines();
  if (rank != 0) return;
  ASSERT_GT(with.size(), 30U);
  ASSERT_EQ(with.size(), without.size());
  const std::string off = R"("watcher":"off")", on = R"("watcher":"on")";
  without[0].replace(without[0].find(off), off.size(), on);  // the header has it, too
  for (std::size_t i = 0; i < with.size(); ++i) ASSERT_EQ(with[i], without[i]) << i;
}

TEST_P(ReplayTest, DecidingAgainGivesWhatIsOnRecord) {
  run(recorded());
  const Words all = lines();
  if (rank != 0) return;
  ASSERT_GT(all.size(), 30U);
  std::set<std::string> causes;
  int acted = 0;
  std::optional<DecisionState> expected;  // the state after the line before
  bool follows_a_look = true;             // false after a request, perhaps during a look
  int continued = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    SCOPED_TRACE("line " + std::to_string(i + 1));
    const json line = json::parse(all[i]);
    const DecisionState before = state_from(line.at("state"));
    const auto earlier = std::exchange(expected, std::nullopt);
    const bool can_go_on = std::exchange(follows_a_look, !line.at("totals").is_null());
    if (line.at("totals").is_null()) continue;
    if (earlier) {
      EXPECT_EQ(hash_of(before), hash_of(*earlier));
      ++continued;
    }
    const Totals totals = totals_from(line.at("totals"));
    const auto [after, decision] = fold(before, totals);
    EXPECT_EQ(line.at("decision"), name_of(decision.action));
    EXPECT_EQ(line.at("cause"), name_of(decision.reason));
    EXPECT_EQ(line.at("reason"), explain(before, totals, decision));
    EXPECT_EQ(line.at("predicted_gain").get<double>(), decision.predicted_gain * 1e-9);
    EXPECT_EQ(line.at("lambda").get<double>(), totals.lambda());
    if (decision.reason == Reason::below_cost) {
      EXPECT_LE(decision.weighed, decision.against) << explain(before, totals, decision);
    }
    causes.insert(line.at("cause"));
    acted += decision.action == Action::rebalance ? 1 : 0;
    if (can_go_on) expected = after;
    if (!can_go_on || i + 1 == all.size() || line.at("taken_at").is_null()) continue;
    const std::int64_t next = json::parse(all[i + 1]).at("generation");
    expected = rebalanced(after, line.at("taken_at"), next);
  }
  EXPECT_GT(continued, 5);
  EXPECT_TRUE(causes.contains("unfit"));
  EXPECT_TRUE(causes.contains("outdated"));
  const bool looks =
      !std::holds_alternative<Every>(GetParam()) && !std::holds_alternative<Never>(GetParam());
  for (const char* cause : {"no_load", "low_coverage", "cooling_down"})
    EXPECT_EQ(causes.contains(cause), looks) << cause;
  EXPECT_EQ(causes.contains("not_asked"), !looks);
  EXPECT_EQ(acted > 0, looks && size > 1);
}

// --- By the program ------------------------------------------------------------------------------

class ReplayProgramTest : public ReplayTest {
 protected:
  void SetUp() override {
    if (size > 2) GTEST_SKIP() << "it takes its time to start, while other ranks wait for it";
  }
};

INSTANTIATE_TEST_SUITE_P(Triggers, ReplayProgramTest, testing::Values(CostAware{}),
                         name_of_trigger);

TEST_P(ReplayProgramTest, TheProgramFindsThemIdentical) {
  run(recorded());
  if (rank != 0) return;
  const Ended ended = replay(journal);
  EXPECT_EQ(ended.status, 0) << ended.err;
  const json said = json::parse(ended.out);
  EXPECT_TRUE(said.at("identical").get<bool>());
  EXPECT_FALSE(said.at("cut_off").get<bool>());
  EXPECT_EQ(said.at("ranks"), size);
  EXPECT_EQ(said.at("own_rule"), 0);
  std::int64_t looks = 0, rebalances = 0, unchanged = 0;
  const Words all = lines();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const json line = json::parse(all[i]);
    looks += line.at("totals").is_null() ? 0 : 1;
    if (line.at("taken_at").is_null()) continue;
    ++(line.at("changed").get<bool>() ? rebalances : unchanged);
  }
  EXPECT_EQ(said.at("looks"), looks);
  EXPECT_EQ(said.at("rebalances"), rebalances);
  EXPECT_EQ(said.at("unchanged"), unchanged);
  EXPECT_GT(rebalances, 3);
}

// A Monitor knows no objects, so its journal has no loads under other cuts.
TEST_P(ReplayProgramTest, TheProgramTriesNothingOnWhatTellsNothing) {
  run(recorded(), 60);
  if (rank != 0) return;
  expect_refused(replay(journal, {"--trigger", "menon"}), 2,
                 "does not hold the loads of other cuts");
}

// Changes digits of totals that determine decisions. The look must be trusted, and be of the
// present decomposition. If the load determines the decision, the greatest load changes.
TEST_P(ReplayProgramTest, TheProgramRefusesAChangedDigit) {
  run(recorded(), 60);
  if (rank != 0) return;
  const Words all = lines();
  std::size_t looks = 0, loads = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const json line = json::parse(all[i]);
    if (line.at("totals").is_null() || line.at("cause") == "outdated") continue;
    const auto expect_noticed = [&](const char* key, auto&& change) {
      json whole = line;
      change(whole["totals"][key]);
      Words changed = all;
      changed[i] = whole.dump();
      expect_refused(replay_text(joined(changed)), 1, "Line " + std::to_string(i + 1) + " of '");
    };
    const auto increase = [](json& number) { number = number.get<std::int64_t>() + 1; };
    expect_noticed("generation_least", increase);
    if (line.at("cause") == "unfit" || ++looks > 3) continue;
    expect_noticed("unfit", increase);
    const std::string reason = line.at("reason");
    if (reason.find("lambda") == std::string::npos || size == 1) continue;
    ++loads;
    expect_noticed("load", [](json& load) {
      std::string digits = load.at(2).dump();
      digits[0] = digits[0] == '9' ? '8' : static_cast<char>(digits[0] + 1);
      load[2] = std::stoll(digits);
    });
  }
  EXPECT_GE(looks, 3U);
  EXPECT_EQ(loads > 0, size > 1);
}

TEST_P(ReplayProgramTest, TheProgramRefusesWhatIsNoJournal) {
  run(recorded(), 40);
  if (rank != 0) return;
  const Words all = lines();
  ASSERT_GE(all.size(), 3U);
  expect_refused(replay(scratch.path_of("missing.jsonl")), 2, "cannot be read");
  expect_refused(replay_text(""), 2, "is empty");
  for (const std::string& garbage :
       {std::string("garbage"), std::string("{}"), std::string("[1,2,3]"), std::string("null"),
        std::string("{\"step\":"), std::string(1000, '['), std::string("\0\xff\x80", 3)}) {
    expect_refused(replay_text(garbage + '\n'), 2, "Line 1 of '");
    expect_refused(replay_text(all[0] + '\n' + all[1] + '\n' + garbage + '\n'), 2, "Line 3 of '");
  }
  expect_refused(replay_text(all[1] + '\n'), 2, "Line 1 of '");  // without the header
}

TEST_P(ReplayProgramTest, TheProgramTakesAJournalWithoutItsEnd) {
  run(recorded(), 60);
  if (rank != 0) return;
  const json before = json::parse(replay(journal).out);
  EXPECT_FALSE(before.at("unfinished").get<bool>());
  const Ended ended = replay_text(joined(lines()) + "{\"unfinished\":true,\"step\":60}\n");
  ASSERT_EQ(ended.status, 0) << ended.err;
  json said = json::parse(ended.out);
  EXPECT_TRUE(said.at("unfinished").get<bool>());
  said["unfinished"] = false;
  EXPECT_EQ(said, before);
}

TEST_P(ReplayProgramTest, TheProgramTakesAJournalThatIsCutOff) {
  run(recorded(), 60);
  if (rank != 0) return;
  Words all = lines();
  const std::int64_t looks = json::parse(replay(journal).out).at("looks");
  const std::string last = all.back();
  all.pop_back();
  const std::int64_t before = looks - (json::parse(last).at("totals").is_null() ? 0 : 1);
  for (const std::size_t left : {std::size_t{1}, last.size() / 2, last.size() - 1, last.size()}) {
    const Ended ended = replay_text(joined(all) + last.substr(0, left));
    ASSERT_EQ(ended.status, 0) << ended.err;
    const json said = json::parse(ended.out);
    EXPECT_TRUE(said.at("cut_off").get<bool>());
    EXPECT_TRUE(said.at("identical").get<bool>());
    EXPECT_EQ(said.at("looks"), before) << left;
  }
}

}  // namespace
}  // namespace evenkeel::replay_test
