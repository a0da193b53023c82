#include "tell/saved_state.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace evenkeel {
namespace {

bool always(const LoadView&) { return true; }

// What a run on some ranks has learned, in numbers that no rounding leaves alone.
State learned(std::int64_t method = 1) {
  State state;
  state.trigger = Threshold{.lambda = 1.2};
  state.looks = 17;
  state.step = 140;
  state.generation = 3;
  state.rebalances = 3;
  state.rebalanced_at = 120;
  state.mean_load = 12345;
  state.paused = 1;
  state.interval.looks = 2;
  state.interval.wasted = 1e9 / 3;
  state.ledger.cost.method = method;
  state.ledger.cost.learn(1e9 / 7, 1e6 / 3);
  state.ledger.cost.learn(1e9 / 11, 1e6 / 13);
  state.ledger.worked = 1e12;
  state.ledger.spent = 1e9 / 3;
  state.ledger.never.add(1e12, 0.1);
  Outlook& outlook = state.outlook;
  outlook.curable = {0.1, 0.2};
  outlook.curable_looks = 2;
  outlook.measured = 136;
  outlook.bends = {1.0 / 3, 1.0 / 7};
  outlook.bends_known = 2;
  outlook.variance = 1.0 / 17;
  outlook.variance_looks = 8;
  outlook.fresh = 0.01;
  outlook.ageing.age = {1.5, 3, 7};
  outlook.ageing.level = {0, 1.0 / 3, 0.5};
  outlook.ageing.known = {4, 3, 1};
  outlook.shortfall = 0.04;
  outlook.last_shortfall = 1.0 / 23;
  outlook.shortfall_ratio = 2.0 / 3;
  outlook.judged_at = 128;
  outlook.surveys = 9;
  outlook.survey_cost = 1e6;
  outlook.first_generation = 1;
  outlook.previous_generation = 2;
  outlook.next_epoch = 10;
  return state;
}

// What the next run starts from.
State fresh(std::int64_t method = 1) {
  State state;
  state.trigger = Menon{};
  state.cooldown_steps = 9;
  state.expected_cost = 5;
  state.ledger.cost.method = method;
  return state;
}

void expect_same_cost(const CostModel& a, const CostModel& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.cost, b.cost);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.bytes_squared, b.bytes_squared);
  EXPECT_EQ(a.bytes_by_cost, b.bytes_by_cost);
  EXPECT_EQ(a.last_bytes, b.last_bytes);
}

// What the load was like, beside the costs.
void take_load(Outlook& into, const Outlook& from) {
  into.bends = from.bends;
  into.bends_known = from.bends_known;
  into.variance = from.variance;
  into.variance_looks = from.variance_looks;
  into.ageing = from.ageing;
  into.last_shortfall = from.last_shortfall;
  into.shortfall_ratio = from.shortfall_ratio;
}

// --- Text ----------------------------------------------------------------------------------------

// That, and nothing else.
TEST(SavedState, WhatWasLearnedGoesOn) {
  State expected = fresh();
  expected.ledger.cost = learned().ledger.cost;
  take_load(expected.outlook, learned().outlook);
  EXPECT_EQ(to_text(restored(fresh(), saved_text(learned(), 8, 140), 8, "here")),
            to_text(expected));
  EXPECT_NE(to_text(expected), to_text(fresh()));
}

TEST(SavedState, HasTheStepsOfItsRun) {
  EXPECT_EQ(steps_in(saved_text(learned(), 8, 144), "here"), 144);
  EXPECT_EQ(steps_in(saved_text(fresh(), 8, 0), "here"), 0);
  EXPECT_ERROR(steps_in(saved_text(fresh(), 8, -1), "here"), "here: step is '-1'.");
  EXPECT_ERROR(steps_in("nonsense", "here"), "here: it is not a saved state");
}

// Those knew no runs that go on.
TEST(SavedState, OfAnEarlierVersionIsRead) {
  std::string old = saved_text(learned(), 8, 140);
  const std::string line = "began_at = 0\n";
  old.erase(old.find(line), line.size());
  EXPECT_EQ(steps_in(old, "here"), 140);
  EXPECT_EQ(to_text(restored(fresh(), old, 8, "here")),
            to_text(restored(fresh(), saved_text(learned(), 8, 140), 8, "here")));
}

TEST(SavedState, ARunThatHasLearnedNothingTellsNothing) {
  const State now = restored(fresh(), saved_text(fresh(), 3, 140), 3, "here");
  EXPECT_EQ(to_text(now), to_text(fresh()));
  const State elsewhere = restored(fresh(), saved_text(fresh(), 3, 140), 4, "here");
  EXPECT_EQ(to_text(elsewhere), to_text(fresh()));
}

TEST(SavedState, OnAnotherNumberOfRanksTheCostCountsLittle) {
  for (const int ranks : {1, 7, 9}) {
    const CostModel then = learned().ledger.cost;
    State now = restored(fresh(), saved_text(learned(), 8, 140), ranks, "here");
    EXPECT_EQ(now.outlook.variance, 0) << "the load is cut differently";
    EXPECT_EQ(now.outlook.bends_known, 0);
    EXPECT_EQ(now.outlook.ageing.known[0], 0);
    EXPECT_EQ(now.outlook.last_shortfall, -1);
    EXPECT_EQ(now.ledger.cost.weight, 0.25);
    EXPECT_EQ(now.ledger.cost.estimate(), then.estimate());
    const double before = now.ledger.cost.cost, measured = 100 * before;
    now.ledger.cost.learn(measured, 0);
    CostModel there = then;
    there.learn(measured, 0);
    EXPECT_GT(now.ledger.cost.cost, 0.8 * measured);
    EXPECT_LT(there.cost, 0.5 * measured);
  }
}

// One that has seen little is not made to count more.
TEST(SavedState, OnAnotherNumberOfRanksNoWeightGrows) {
  State then = learned();
  then.ledger.cost.weight = 0.125;
  EXPECT_EQ(restored(fresh(), saved_text(then, 8, 140), 9, "here").ledger.cost.weight, 0.125);
}

TEST(SavedState, OfAnotherMethodNoCostIsKept) {
  const State now = restored(fresh(2), saved_text(learned(1), 8, 140), 8, "here");
  EXPECT_EQ(now.ledger.cost.method, 2);
  EXPECT_FALSE(now.ledger.cost.knows());
  EXPECT_EQ(now.outlook.variance, learned().outlook.variance) << "the load is what it is";
}

// The rebalance that is still open when the run ends has shown something too.
TEST(SavedState, TheLastRebalanceIsSettled) {
  State then = fresh();
  then.ledger.open = 1;
  then.ledger.looks_since = 1;
  then.ledger.replaced.add(1000, 0.5);
  then.ledger.since = 1100;
  then.ledger.price = 250;
  const std::string text = saved_text(then, 2, 140);
  for (const char* line : {"\nledger_open = 0\n", "\nledger_counted = 1\n",
                           "\nledger_gained = 400\n", "\nledger_last_net = 150\n"})
    EXPECT_TRUE(test::mentions(text, line));
}

TEST(SavedState, AFunctionNeedsNoText) {
  State then = learned(), first = fresh();
  then.trigger = first.trigger = Custom{&always};
  const State now = restored(first, saved_text(then, 2, 140), 2, "here");
  EXPECT_TRUE(now.trigger == Trigger(Custom{&always}));
  expect_same_cost(now.ledger.cost, then.ledger.cost);
}

TEST(SavedState, WhatIsNoneIsAnErrorThatNamesTheSource) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_ERROR(static_cast<void>(restored(fresh(), text, 2, "'old.txt'")), "'old.txt': " + why);
  };
  const std::string good = saved_text(learned(), 2, 140);
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string changed = good;
    return changed.replace(changed.find(before), before.size(), after);
  };
  EXPECT_NO_THROW(static_cast<void>(restored(fresh(), good, 2, "")));
  const std::string no_state = "it is not a saved state of this version.";
  refused("", no_state);
  refused("nonsense", no_state);
  refused("evenkeel state 1", no_state);
  refused(with("evenkeel state 1", "evenkeel state 2"), no_state);
  refused("\n" + good, no_state);
  const std::string no_ranks = "it does not say how many ranks the run had.";
  refused("evenkeel state 1\n", no_ranks);
  refused("evenkeel state 1\nranks = 2", no_ranks);
  refused(with("ranks = 2\n", ""), no_ranks);
  for (const char* ranks : {"0", "-2", "two", "", "2.5", "99999999999999999999"})
    refused(with("ranks = 2", std::string("ranks = ") + ranks), no_ranks);
  refused("evenkeel state 1\nranks = 2\n", "the key 'trigger' is missing.");
  refused(good.substr(0, good.rfind("outlook_next_epoch")),
          "the key 'outlook_next_epoch' is missing.");
  refused(good + "mood = good\n", "'mood' is not a key of a state.");
  refused(with("cost_weight = 1.8", "cost_weight = nan"), "cost_weight is 'nan'.");
  refused(with("cost_weight = 1.8", "cost_weight = much"), "cost_weight is 'much'.");
}

TEST(SavedState, ATriggerThatIsNoneIsAnErrorThatNamesTheSource) {
  std::string text = saved_text(fresh(), 2, 140);
  text.replace(text.find("menon"), 5, "moon!");
  EXPECT_ERROR(static_cast<void>(restored(fresh(), text, 2, "'old.txt'")), "'old.txt': ");
}

// Weights and counts are sums of what is positive: with these the next look would divide by
// nothing.
TEST(SavedState, AWeightBelowNothingIsAnError) {
  const auto refused = [](const State& then, const std::string& why) {
    EXPECT_ERROR(static_cast<void>(restored(fresh(), saved_text(then, 2, 140), 2, "'old.txt'")),
                 "'old.txt': " + why);
  };
  State then = learned();
  then.ledger.cost.weight = -1.25;
  refused(then, "cost_weight is '-1.25'.");
  then = learned();
  then.outlook.variance = -0.5;
  refused(then, "outlook_variance is '-0.5'.");
  then = learned();
  then.outlook.variance_looks = -1;
  refused(then, "outlook_variance_looks is '-1'.");
  then = learned();
  then.outlook.bends_known = -1;
  refused(then, "outlook_bends_known is '-1'.");
  then = learned();
  then.outlook.ageing.known[15] = -1;
  refused(then, "outlook_ageing_known is '-1'.");
}

// A text that was cut off anywhere is refused or says the same; it never says something else.
TEST(SavedState, WhatWasCutOffIsNoted) {
  const std::string good = saved_text(learned(), 2, 140);
  const std::size_t last_line = good.rfind("outlook_next_epoch");
  for (std::size_t length = 0; length < last_line; ++length)
    EXPECT_NE(test::error_of(
                  [&] { static_cast<void>(restored(fresh(), good.substr(0, length), 2, "here")); }),
              "nothing was thrown")
        << length;
}

// --- File ----------------------------------------------------------------------------------------

class SavedFile : public testing::Test {
 protected:
  test::ScratchDirectory scratch;
};

TEST_F(SavedFile, IsReadAsItWasWritten) {
  const std::string path = scratch.path_of("state");
  const std::string text = saved_text(learned(), 2, 140);
  EXPECT_EQ(write_saved(path, text), "");
  EXPECT_EQ(read_saved(path), text);
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"state"});
}

TEST_F(SavedFile, TheOldOneIsReplaced) {
  const std::string path = scratch.with_file("state", std::string(100'000, 'x'));
  EXPECT_EQ(write_saved(path, "short\n"), "");
  EXPECT_EQ(test::content_of(path), "short\n");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"state"});
}

TEST_F(SavedFile, ThatIsNotThereYetIsEmpty) {
  EXPECT_EQ(read_saved(scratch.path_of("state")), "");
  EXPECT_EQ(read_saved(scratch.path_of("no directory/state")), "");
}

TEST_F(SavedFile, ThatIsEmptyIsAnError) {
  const std::string path = scratch.with_file("state", "");
  EXPECT_ERROR(static_cast<void>(read_saved(path)), "'" + path + "': it cannot be read, or is");
}

TEST_F(SavedFile, ThatMayNotBeReadIsAnError) {
  const std::string path = scratch.with_file("state", "secret");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const test::Unprivileged without_rights;
  EXPECT_ERROR(static_cast<void>(read_saved(path)),
               "'" + path + "': it cannot be read: Permission denied.");
}

TEST_F(SavedFile, InAPathThatIsNoneIsAnError) {
  const std::string path = scratch.with_file("file", "x") + "/state";
  EXPECT_ERROR(static_cast<void>(read_saved(path)), "it cannot be read: Not a directory.");
}

TEST_F(SavedFile, IsWrittenWholeOrNotAtAll) {
  const std::string nowhere = scratch.path_of("no directory/state");
  EXPECT_EQ(write_saved(nowhere, "text"), "No such file or directory");
  EXPECT_EQ(unwritable_reason(nowhere), "No such file or directory");
  EXPECT_EQ(scratch.files(), std::vector<std::string>());
  std::filesystem::create_directory(scratch.path_of("state"));
  EXPECT_EQ(write_saved(scratch.path_of("state"), "text"), "it is not a regular file");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"state"});
}

// A full disk: what was there stays.
TEST_F(SavedFile, AFullDiskLeavesTheOldOne) {
  const std::string path = scratch.with_file("state", "old");
  for (const auto signal : {test::FullDisk::Signal::ignored, test::FullDisk::Signal::as_it_is}) {
    const test::FullDisk full(3, signal);
    EXPECT_EQ(write_saved(path, "text"), "File too large");
    EXPECT_EQ(unwritable_reason(path), "") << "nobody knows before";
  }
  EXPECT_EQ(test::content_of(path), "old");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"state"});
}

TEST_F(SavedFile, ToTryWhetherItCanBeWrittenChangesNothing) {
  const std::string path = scratch.with_file("state", "old");
  EXPECT_EQ(unwritable_reason(path), "");
  EXPECT_EQ(unwritable_reason(scratch.path_of("new")), "");
  EXPECT_EQ(test::content_of(path), "old");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"state"});
  const test::Unprivileged without_rights;
  EXPECT_EQ(unwritable_reason(path), "Permission denied");
}

// To open it would wait for somebody who writes.
TEST_F(SavedFile, ThatIsNoRegularFileIsAnError) {
  const std::string path = scratch.path_of("state");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const std::string& odd : {path, std::string("/dev/zero")}) {
    EXPECT_ERROR(static_cast<void>(read_saved(odd)), "it cannot be read: it is not a regular file");
    EXPECT_EQ(write_saved(odd, "text"), "it is not a regular file");
  }
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"state"});
}

TEST_F(SavedFile, ThatIsFarTooLongIsAnError) {
  const std::string path = scratch.with_file("state", std::string(2 << 20, 'x'));
  EXPECT_ERROR(static_cast<void>(read_saved(path)), "it is far too long for a saved state.");
}

mode_t rights_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

TEST_F(SavedFile, HasTheRightsOfTheOldOneOrOfANewFile) {
  const std::string path = scratch.path_of("state"), usual = scratch.with_file("usual", "x");
  EXPECT_EQ(write_saved(path, "text"), "");
  EXPECT_EQ(rights_of(path), rights_of(usual));
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(write_saved(path, "more"), "");
  EXPECT_EQ(rights_of(path), 0640U);
}

TEST_F(SavedFile, BehindALinkIsReplacedThere) {
  const std::string link = scratch.path_of("state"), target = scratch.path_of("target");
  std::filesystem::create_symlink(target, link);
  for (const char* text : {"first", "second"}) {
    EXPECT_EQ(write_saved(link, text), "");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(test::content_of(target), text);
    EXPECT_EQ(read_saved(link), text);
  }
}

TEST_F(SavedFile, ThatIsADirectoryIsAnErrorThatNamesIt) {
  const std::string path = scratch.path_of("state");
  std::filesystem::create_directory(path);
  EXPECT_ERROR(static_cast<void>(read_saved(path)), "'" + path + "': it cannot be read");
}

}  // namespace
}  // namespace evenkeel
