#include "replay/trial.hpp"

#include "monitor/decide/cut_world.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"
#include "tell/journal.hpp"

#include <evenkeel/monitor/options.hpp>

#include <nlohmann/json.hpp>

namespace evenkeel::tool::trial_test {
namespace {

using test::CutPlayer;
using test::CutRun;
using test::CutWorld;
using test::Played;
using test::Waste;

using Steps = std::vector<std::int64_t>;

constexpr std::int64_t second = 1'000'000'000;

// --- Looks by hand -------------------------------------------------------------------------------

// Two ranks have an average load of one second in each of 10 steps. Levels are shares of this load.
// A level below 0 is unknown.
struct Told {
  double level = 0;
  double first = -1, fresh = -1;
  std::map<std::int64_t, double> earlier = {};  // by age
  std::int64_t generation = 0;
  std::int64_t cost = 0;  // seconds
};

std::int64_t greatest(double level) {
  return level < 0 ? -1 : std::llround(10 * (1 + level) * static_cast<double>(second));
}

JournalLine look(std::int64_t step, const Told& told, const DecisionState& before = {}) {
  JournalLine line;
  line.before = before;
  line.before.generation = told.generation;
  Totals& totals = line.totals.emplace();
  for (const double level : {told.level, -told.level}) {
    Sample sample = {.step = step, .steps = 10, .generation = told.generation};
    sample.load = sample.duration = greatest(level);
    if (level < 0) sample.load = sample.duration = 20 * second - greatest(-level);
    sample.all_steps = 10;
    sample.all_load = sample.load;
    sample.slots[0] = sample.load;
    sample.other_slots[0] = told.first < 0 ? 0 : greatest(told.first);
    sample.cost = told.cost * second;
    sample.would_be.first = sample.would_be.first_again = greatest(told.first);
    sample.would_be.fresh = greatest(told.fresh);
    std::size_t i = 0;
    for (const auto& [age, cut] : told.earlier) {
      sample.would_be.age[i] = age;
      sample.would_be.earlier[i++] = greatest(cut);
    }
    if (level == told.level)
      totals = totals_of(sample, 0);
    else
      combine(totals, totals_of(sample, 0));
    if (told.level == 0 && totals.ranks == 2) break;
  }
  return line;
}

DecisionState state_with(double expected_cost, std::int64_t latency) {
  DecisionState state;
  state.trigger = Never{};
  state.expected_cost = expected_cost;
  state.latency_steps = latency;
  return state;
}

JournalHeader header_of(int ranks, const DecisionState& state) {
  JournalHeader header;
  header.ranks = ranks;
  header.state = state;
  return header;
}

JournalTrial tried(const JournalHeader& header, const Trigger& trigger,
                   const std::vector<JournalLine>& lines) {
  ReplayTrial trial(header, trigger);
  for (const JournalLine& line : lines) trial.add(line);
  return trial.result();
}
JournalTrial tried(const DecisionState& state, const std::string& trigger,
                   const std::vector<JournalLine>& lines) {
  return tried(header_of(2, state), trigger_from_text(trigger), lines);
}

// The run is never balanced. u is 0.5, and a cut gets 0.02 more uneven in each step.
std::vector<JournalLine> never_balanced(const DecisionState& state) {
  return {
      look(10, {.level = 0.5, .fresh = 0.1}, state),
      look(20, {.level = 0.5, .fresh = 0.1, .earlier = {{10, 0.3}}}, state),
      look(30, {.level = 0.5, .fresh = 0.1, .earlier = {{10, 0.3}, {20, 0.5}}}, state),
      look(40, {.level = 0.5, .fresh = 0.1, .earlier = {{10, 0.3}, {20, 0.5}, {30, 0.7}}}, state)};
}

TEST(Trial, NeverIsWhatNeverWas) {
  const DecisionState state = state_with(4, 0);
  const JournalTrial trial = tried(state, "never", never_balanced(state));
  EXPECT_EQ(trial.looks, 4);
  EXPECT_EQ(trial.known, 4);
  EXPECT_EQ(trial.steps, 40);
  EXPECT_NEAR(trial.mean, 40, 1e-6);
  EXPECT_NEAR(trial.never, 60, 1e-6);
  EXPECT_EQ(trial.trial.slowest, trial.never);
  EXPECT_EQ(trial.trial.spent, 0);
  EXPECT_NEAR(trial.recorded.slowest, 60, 1e-6);
  EXPECT_EQ(trial.trial.trigger, "never");
  EXPECT_EQ(trial.recorded.trigger, "never");
  EXPECT_TRUE(trial.trial.rebalances.empty());
}

// menon: the loss is 5 by step 10, and the cost is 4, so it cuts. The next look reports 0.3 for a
// cut of age 10. The loss is 3 then, and 8 with the 0.5 of the look after it, so it cuts again. No
// step of the last look has that cut.
TEST(Trial, LossesByHand) {
  const DecisionState state = state_with(4, 0);
  const JournalTrial trial = tried(state, "menon", never_balanced(state));
  EXPECT_EQ(trial.trial.rebalances, (Steps{10, 30}));
  EXPECT_EQ(trial.known, 4);
  EXPECT_NEAR(trial.trial.slowest, 15 + 13 + 15 + 13, 1e-6);
  EXPECT_NEAR(trial.trial.spent, 8, 1e-6);
  EXPECT_NEAR(trial.trial.saved(trial.never), 60 - 56 - 8, 1e-6);
}

// The action follows 5 steps after a decision. So one look has the old cut in half of its steps,
// and leads to no decision. A cut has the level 0.4 at age 15, and 0.2 at age 5.
TEST(Trial, TheLatencyOfADecision) {
  const DecisionState state = state_with(4, 5);
  const JournalTrial trial = tried(state, "menon", never_balanced(state));
  EXPECT_EQ(trial.trial.rebalances, (Steps{15, 35}));
  EXPECT_NEAR(trial.trial.slowest, 15 + (12.5 - 5 + 1 + 5) + 14 + ((16 + 12) / 2.0), 1e-6);
  EXPECT_NEAR(trial.trial.spent, 8, 1e-6);
}

// Right after a cut, the level is between those of the fresh and the youngest recorded cut. Beyond
// the oldest recorded age, it is constant.
TEST(Trial, LevelsBetweenThoseOnRecord) {
  const DecisionState state = state_with(0, 0);
  std::vector<JournalLine> lines = never_balanced(state);
  const auto slowest = [&](const std::string& trigger) {
    return tried(state, trigger, lines).trial.slowest;
  };
  EXPECT_NEAR(slowest("every 26:26:100"), 15 + 15 + (0.6 * 15 + 0.4 * 11.8) + 13.8, 1e-6);
  EXPECT_NEAR(slowest("every 4:4:100"), (0.4 * 15 + 0.6 * 11) + 13.0 + 15.0 + 17.0, 1e-6)
      << "little is known of a cut that is older than all";
}

TEST(Trial, PeriodsActByTheStep) {
  const DecisionState state = state_with(2, 5);
  const JournalTrial trial = tried(state, "every 5", never_balanced(state));
  EXPECT_EQ(trial.trial.rebalances, (Steps{5, 10, 15, 20, 25, 30, 35, 40}));
  EXPECT_NEAR(trial.trial.spent, 16, 1e-6);
}

// A look without a survey has no new levels, so the last levels stay.
TEST(Trial, LooksWithoutASurveyKeepTheLevel) {
  const DecisionState state = state_with(4, 0);
  const std::vector<JournalLine> lines = {
      look(10, {.level = 0.5, .fresh = 0.1}, state), look(20, {.level = 0.5}, state),
      look(30, {.level = 0.5}, state),
      look(40, {.level = 0.5, .fresh = 0.1, .earlier = {{30, 0.7}}}, state)};
  const JournalTrial trial = tried(state, "every 10:10:100", lines);
  EXPECT_EQ(trial.trial.rebalances, Steps{10});
  EXPECT_EQ(trial.looks, 4);
  EXPECT_EQ(trial.known, 2);
  EXPECT_NEAR(trial.trial.slowest, 15 + 11 + 11 + 17, 1e-6);
}

// The run itself was balanced after step 10, in 3 seconds. So its journal has the levels of the
// first domains, and the cost is known from then on.
TEST(Trial, OfARunThatWasBalanced) {
  DecisionState before = state_with(4, 0), after = state_with(4, 0);
  before.trigger = after.trigger = CostAware{};
  after.rebalanced_at = 10;
  after.ledger.cost.learn(3.0 * second, 0);
  std::vector<JournalLine> lines = {look(10, {.level = 0.5, .fresh = 0.1}, before),
                                    look(20,
                                         {.level = 0.2,
                                          .first = 0.7,
                                          .fresh = 0.1,
                                          .earlier = {{10, 0.2}},
                                          .generation = 1,
                                          .cost = 3},
                                         after),
                                    look(30,
                                         {.level = 0.3,
                                          .first = 0.9,
                                          .fresh = 0.1,
                                          .earlier = {{10, 0.2}, {20, 0.3}},
                                          .generation = 1},
                                         after)};
  lines[0].taken_at = 10;
  lines[0].outcome.emplace();
  const JournalTrial never = tried(before, "never", lines);
  EXPECT_EQ(never.recorded.rebalances, Steps{10});
  EXPECT_NEAR(never.recorded.slowest, 15 + 12 + 13, 1e-6);
  EXPECT_NEAR(never.recorded.spent, 3, 1e-6);
  EXPECT_NEAR(never.never, 15 + 17 + 19, 1e-6);
  EXPECT_NEAR(never.trial.slowest, never.never, 1e-6);
  EXPECT_EQ(never.known, 3);
  const JournalTrial later = tried(before, "every 20:20:100", lines);
  EXPECT_NEAR(later.trial.slowest, 15 + 17 + 12, 1e-6);
  EXPECT_NEAR(later.trial.spent, 3, 1e-6) << "what the run has learned by then";
  EXPECT_NEAR(later.trial.saved(later.never), 51 - 44 - 3, 1e-6);
}

// If the clock of a rank has failed, a look leads to no decision, but its time counts.
TEST(Trial, UnfitLooks) {
  const DecisionState state = state_with(4, 0);
  std::vector<JournalLine> lines = never_balanced(state);
  lines[0].totals->unfit = 1;
  const JournalTrial trial = tried(state, "menon", lines);
  EXPECT_EQ(trial.known, 3);
  EXPECT_EQ(trial.steps, 40);
  EXPECT_EQ(trial.trial.rebalances.front(), 20);
}

// --- Comparison with real runs -------------------------------------------------------------------

std::vector<JournalLine> lines_of(const Played& played) {
  std::vector<JournalLine> lines;
  for (const test::CutLook& look : played.looks) {
    JournalLine& line = lines.emplace_back();
    line.step = look.totals.step_greatest;
    line.before = look.before;
    line.totals = look.totals;
    line.decision = look.decision;
    line.reason = explain(look.before, look.totals, look.decision);
    line.taken_at = look.taken_at;
    line.kind = look.kind;
    if (look.taken_at >= 0) line.outcome.emplace();
  }
  return lines;
}

struct Case {
  const char* name;
  CutWorld world;
};

std::vector<Case> cases() {
  return {{"cured", {[](std::int64_t, std::int64_t cut) { return cut > 0 ? 0.02 : 0.5; }}},
          {"incurable", {[](std::int64_t, std::int64_t) { return 0.5; }}},
          {"growing", {[](std::int64_t step, std::int64_t cut) {
             return static_cast<double>(std::max<std::int64_t>(0, step - cut)) / 400;
           }}},
          {"jump", {[](std::int64_t step, std::int64_t cut) {
             return step >= 300 && cut <= 300 ? 0.6 : 0.02;
           }}},
          {"noisy",
           {[](std::int64_t step, std::int64_t cut) {
              return static_cast<double>(std::max<std::int64_t>(0, step - cut)) / 400;
            },
            0.05}}};
}

// A trial on a run with any trigger must give about the result of a real run with the other
// trigger.
TEST(Trial, IsAboutWhatTheOtherTriggerMakesOfIt) {
  const CutRun recorded = {.steps = 800, .epoch = 8, .latency = 5, .unit = 1 << 24};
  for (const auto& [name, world] : cases())
    for (const char* record : {"never", "menon", "cost_aware"})
      for (const char* trigger :
           {"never", "cost_aware", "menon", "boulmier", "threshold lambda 1.3", "every 50"}) {
        SCOPED_TRACE(std::string(name) + ": " + trigger + " on " + record);
        CutRun run = recorded;
        run.trigger = trigger_from_text(record);
        CutPlayer player(world, run);
        const std::vector<JournalLine> lines = lines_of(player.play());
        const JournalTrial found =
            tried(header_of(4, player.first()), trigger_from_text(trigger), lines);
        run.trigger = trigger_from_text(trigger);
        Played live = CutPlayer(world, run).play();
        if (std::string(trigger) == "every 50") {  // it looks at the load only
          EXPECT_EQ(std::ssize(found.trial.rebalances), found.steps / 50);
          continue;
        }
        const double unit = static_cast<double>(run.unit) * 1e-9;
        const double steps_seen = static_cast<double>(found.steps) / 800;
        // A trial has only the looks of the recorded run. A trigger with more looks would decide
        // differently.
        const double exact = std::string(record) == "never" ? 0.05 : 0.1;
        EXPECT_NEAR(found.trial.slowest + found.trial.spent, live.total() * unit * steps_seen,
                    exact * live.total() * unit);
        EXPECT_NEAR(found.mean, live.mean * unit * steps_seen, 0.02 * live.mean * unit);
        const auto rebalances = static_cast<double>(live.rebalances.size());
        EXPECT_NEAR(static_cast<double>(found.trial.rebalances.size()), rebalances,
                    1 + 4 * exact * rebalances);
        EXPECT_GT(found.known, found.looks - 3);
      }
}

// --- Journals ------------------------------------------------------------------------------------

class TrialOnJournal : public testing::Test {
 protected:
  test::ScratchDirectory scratch;

  std::string journal(CutRun run, const std::string& more = "") const {
    const CutWorld world = cases()[0].world;
    CutPlayer player(world, run);
    const std::vector<JournalLine> lines = lines_of(player.play());
    std::string text = to_json(header_of(4, player.first())) + '\n';
    for (const JournalLine& line : lines) text += to_json(line) + '\n';
    return scratch.with_file("run.jsonl", text + more);
  }
  static CutRun never() {
    return {.steps = 400, .epoch = 8, .latency = 5, .unit = 1 << 24, .trigger = Never{}};
  }
};

TEST_F(TrialOnJournal, SaysTheSameAsOnWhatItIsMadeFrom) {
  for (const Trigger& recorded : {Trigger(Never{}), Trigger(CostAware{})}) {
    CutRun run = never();
    run.trigger = recorded;
    const std::string path = journal(run);
    const JournalTrial found = try_on_journal(path, CostAware{});
    CutPlayer player(cases()[0].world, run);
    const std::vector<JournalLine> lines = lines_of(player.play());
    const JournalTrial direct = tried(header_of(4, player.first()), CostAware{}, lines);
    EXPECT_EQ(report_of(found, true), report_of(direct, true));
    EXPECT_EQ(found.trial.rebalances.size(), 1U);
    EXPECT_GT(found.trial.saved(found.never), 0);
  }
}

TEST_F(TrialOnJournal, Reports) {
  const std::string path = journal(never(), "{\"step\":");
  const JournalTrial found = try_on_journal(path, trigger_from_text("threshold lambda 1.2"));
  EXPECT_TRUE(found.reading.is_cut_off);
  const std::string text = report_of(found, false);
  for (const char* line : {", on 4 ranks, cut off in its last line\n",
                           "trigger    threshold lambda 1.2 (on record: never)\n",
                           "steps      400 in 50 looks; the load under other cuts is known at 50\n",
                           "rebalances 1, after step 13 (on record: 0)\n", "mean       ",
                           "never      ", "slowest    ", "spent      0.08389 s (", "saved      "})
    EXPECT_MENTIONS(text, line);
  const auto json = nlohmann::json::parse(report_of(found, true));
  EXPECT_EQ(json.at("trial").at("trigger"), "threshold lambda 1.2");
  EXPECT_EQ(json.at("trial").at("rebalances").dump(), "[13]");
  EXPECT_EQ(json.at("recorded").at("trigger"), "never");
  EXPECT_EQ(json.at("recorded").at("rebalances").dump(), "[]");
  EXPECT_EQ(json.at("looks"), 50);
  EXPECT_EQ(json.at("known_looks"), 50);
  EXPECT_EQ(json.at("steps"), 400);
  EXPECT_NEAR(json.at("trial").at("saved").get<double>(),
              json.at("never").get<double>() - json.at("trial").at("slowest").get<double>() -
                  json.at("trial").at("spent").get<double>(),
              1e-12);
  EXPECT_NEAR(json.at("recorded").at("saved").get<double>(), 0, 1e-6);
}

TEST_F(TrialOnJournal, RefusesOneThatTellsNothing) {
  CutRun run = never();
  run.is_told = false;
  const std::string path = journal(run);
  EXPECT_EQ(test::error_of([&] { try_on_journal(path, CostAware{}); }),
            "evenkeel: tools/replay: The journal '" + path +
                "' does not hold the loads of other cuts. Give a journal that a Balancer has "
                "written on two ranks or more.");
  EXPECT_ERROR(try_on_journal(scratch.path_of("missing"), CostAware{}), "cannot be read");
  EXPECT_ERROR(try_on_journal(scratch.with_file("empty", ""), CostAware{}), "is empty");
  EXPECT_ERROR(try_on_journal(scratch.with_file("garbage", "{}\n"), CostAware{}), "Line 1 of '");
}

}  // namespace
}  // namespace evenkeel::tool::trial_test
