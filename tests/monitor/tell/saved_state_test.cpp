#include "tell/saved_state.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <sys/stat.h>

namespace evenkeel::saved_state_test {
namespace {

bool always(const LoadView&) { return true; }

// The state of a run that has learned. Any rounding would change its numbers.
DecisionState learned(std::int64_t method = 1) {
  DecisionState state;
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
  state.ledger.run.worked = 1e12;
  state.ledger.spent = 1e9 / 3;
  state.ledger.never.add(1e12, 0.1);
  Outlook& outlook = state.outlook;
  outlook.curable.latest = {0.1, 0.2, 0.3};
  outlook.measured = 136;
  outlook.scatter.bends = {1.0 / 3, 1.0 / 7};
  outlook.scatter.variance = 1.0 / 17;
  outlook.fresh = 0.01;
  outlook.ageing.level = {0, 1.0 / 3, 0.5};
  outlook.ageing.known = {4, 3, 1};
  outlook.shortfall = {0.04, 0, 1.0 / 23};
  outlook.surveys = {1e6, 0};
  outlook.ageing.age = {1.5, 3, 7};
  outlook.first.generation = 1;
  outlook.next_epoch = 10;
  return state;
}

// The first state of the next run.
DecisionState fresh(std::int64_t method = 1) {
  DecisionState state;
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
  EXPECT_EQ(a.bytes_bytes, b.bytes_bytes);
  EXPECT_EQ(a.bytes_cost, b.bytes_cost);
  EXPECT_EQ(a.first_cost, b.first_cost);
  EXPECT_EQ(a.first_bytes, b.first_bytes);
  EXPECT_EQ(a.moved, b.moved);
  EXPECT_EQ(a.predicted, b.predicted);
}

// Copies what is known of the load, without the costs.
void take_load(Outlook& into, const Outlook& from) {
  into.scatter = from.scatter;
  into.ageing = from.ageing;
  into.shortfall.last = from.shortfall.last;
}

// --- Text ----------------------------------------------------------------------------------------

// Exactly this must be restored, and nothing else.
TEST(SavedState, WhatWasLearnedGoesOn) {
  DecisionState expected = fresh();
  expected.ledger.cost = learned().ledger.cost;
  take_load(expected.outlook, learned().outlook);
  EXPECT_EQ(to_text(restored(fresh(), saved_text(learned(), 8, 140), 8, "here").state),
            to_text(expected));
  EXPECT_NE(to_text(expected), to_text(fresh()));
}

TEST(SavedState, HasTheStepsOfItsRun) {
  EXPECT_EQ(restored(fresh(), saved_text(learned(), 8, 144), 8, "here").steps, 144);
  EXPECT_EQ(restored(fresh(), saved_text(fresh(), 8, 0), 8, "here").steps, 0);
  EXPECT_ERROR(static_cast<void>(restored(fresh(), saved_text(fresh(), 8, -1), 8, "here").steps),
               "here: step is '-1'.");
  EXPECT_ERROR(static_cast<void>(restored(fresh(), "nonsense", 8, "here").steps),
               "here: it is not a saved state");
}

// Earlier versions had no runs that continue.
TEST(SavedState, OfAnEarlierVersionIsRead) {
  std::string old = saved_text(learned(), 8, 140);
  const std::string line = "began_at = 0\n";
  old.erase(old.find(line), line.size());
  EXPECT_EQ(restored(fresh(), old, 8, "here").steps, 140);
  EXPECT_EQ(to_text(restored(fresh(), old, 8, "here").state),
            to_text(restored(fresh(), saved_text(learned(), 8, 140), 8, "here").state));
}

TEST(SavedState, ARunThatHasLearnedNothingTellsNothing) {
  const DecisionState now = restored(fresh(), saved_text(fresh(), 3, 140), 3, "here").state;
  EXPECT_EQ(to_text(now), to_text(fresh()));
  const DecisionState elsewhere = restored(fresh(), saved_text(fresh(), 3, 140), 4, "here").state;
  EXPECT_EQ(to_text(elsewhere), to_text(fresh()));
}

TEST(SavedState, OnAnotherNumberOfRanksTheCostCountsLittle) {
  for (const int ranks : {1, 7, 9}) {
    const CostModel then = learned().ledger.cost;
    DecisionState now = restored(fresh(), saved_text(learned(), 8, 140), ranks, "here").state;
    EXPECT_EQ(now.outlook.scatter.variance, not_known) << "the load is cut differently";
    EXPECT_EQ(now.outlook.scatter.bends, Scatter{}.bends);
    EXPECT_EQ(now.outlook.ageing.known[0], 0);
    EXPECT_EQ(now.outlook.shortfall.last, 0);
    EXPECT_EQ(now.ledger.cost.weight, 0.25);
    EXPECT_EQ(now.ledger.cost.cost, then.cost);
    const double before = now.ledger.cost.cost, measured = 100 * before;
    now.ledger.cost.learn(measured, 0);
    CostModel there = then;
    there.learn(measured, 0);
    EXPECT_GT(now.ledger.cost.cost, 0.8 * measured);
    EXPECT_LT(there.cost, 0.5 * measured);
  }
}

// If a state has seen little, its weight must not grow.
TEST(SavedState, OnAnotherNumberOfRanksNoWeightGrows) {
  DecisionState then = learned();
  then.ledger.cost.weight = 0.125;
  EXPECT_EQ(restored(fresh(), saved_text(then, 8, 140), 9, "here").state.ledger.cost.weight, 0.125);
}

TEST(SavedState, OfAnotherMethodNoCostIsKept) {
  const DecisionState now = restored(fresh(2), saved_text(learned(1), 8, 140), 8, "here").state;
  EXPECT_EQ(now.ledger.cost.method, 2);
  EXPECT_FALSE(now.ledger.cost.knows());
  EXPECT_EQ(now.outlook.scatter.variance, learned().outlook.scatter.variance)
      << "the load is what it is";
}

// A rebalance that is still open when the run ends must count, too.
TEST(SavedState, TheLastRebalanceIsSettled) {
  DecisionState then = fresh();
  then.ledger.last.open = 1;
  then.ledger.last.looks_since = 1;
  then.ledger.last.replaced.add(1000, 0.5);
  then.ledger.last.since = 1100;
  then.ledger.last.price = 250;
  const std::string text = saved_text(then, 2, 140);
  for (const char* line :
       {"\nledger_open = 0\n", "\nledger_counted = 1\n", "\nledger_gained = 400\n"})
    EXPECT_MENTIONS(text, line);
}

TEST(SavedState, AFunctionNeedsNoText) {
  DecisionState then = learned(), first = fresh();
  then.trigger = first.trigger = Custom{&always};
  const DecisionState now = restored(first, saved_text(then, 2, 140), 2, "here").state;
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

// Weights and counts are sums of positive values. With other values, the next look would divide by
// 0.
TEST(SavedState, AWeightBelowNothingIsAnError) {
  const auto refused = [](const DecisionState& then, const std::string& why) {
    EXPECT_ERROR(static_cast<void>(restored(fresh(), saved_text(then, 2, 140), 2, "'old.txt'")),
                 "'old.txt': " + why);
  };
  DecisionState then = learned();
  then.ledger.cost.weight = -1.25;
  refused(then, "cost_weight is '-1.25'.");
  then = learned();
  then.outlook.scatter.variance = -0.5;
  refused(then, "outlook_variance is '-0.5'.");
  then = learned();
  then.outlook.ageing.known[15] = -1;
  refused(then, "outlook_ageing_known is '-1'.");
}

// A truncated text must be refused, or have the same meaning. It must never get another meaning.
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

TEST_F(SavedFile, ThatIsNoneIsAnErrorThatNamesIt) {
  std::filesystem::create_directory(scratch.path_of("directory"));
  const std::string unreadable = "it cannot be read: ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {scratch.with_file("empty", ""), "it cannot be read, or is empty."},
      {scratch.with_file("file", "x") + "/state", unreadable + "Not a directory."},
      {scratch.path_of("directory"), unreadable},
      {scratch.with_file("long", std::string(2 << 20, 'x')),
       "it is far too long for a saved state."}};
  for (const auto& one : cases)
    EXPECT_ERROR(static_cast<void>(read_saved(one.first)), "'" + one.first + "': " + one.second);
}

TEST_F(SavedFile, ThatMayNotBeReadIsAnError) {
  const std::string path = scratch.with_file("state", "secret");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const test::Unprivileged without_rights;
  EXPECT_ERROR(static_cast<void>(read_saved(path)),
               "'" + path + "': it cannot be read: Permission denied.");
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

// If the disk is full, the old file must stay.
TEST_F(SavedFile, AFullDiskLeavesTheOldOne) {
  const std::string path = scratch.with_file("state", "old");
  for (const auto signal : {test::FullDisk::Signal::ignored, test::FullDisk::Signal::as_it_is}) {
    const test::FullDisk full(3, signal);
    EXPECT_EQ(write_saved(path, "text"), "File too large");
    EXPECT_EQ(unwritable_reason(path), "") << "it cannot be known before";
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

// Opening the FIFO would wait for a writer.
TEST_F(SavedFile, ThatIsNoRegularFileIsAnError) {
  const std::string path = scratch.path_of("state");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const std::string& odd : {path, std::string("/dev/zero")}) {
    EXPECT_ERROR(static_cast<void>(read_saved(odd)), "it cannot be read: it is not a regular file");
    EXPECT_EQ(write_saved(odd, "text"), "it is not a regular file");
  }
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"state"});
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

}  // namespace
}  // namespace evenkeel::saved_state_test
