#include "support/harness.hpp"

#include "decide/state.hpp"

#include <sstream>

namespace evenkeel::state_test {
namespace {

bool always(const LoadView&) { return true; }
bool never(const LoadView&) { return false; }

DecisionState state_of(const Trigger& trigger) { return {.trigger = trigger}; }

// The text of a state, as keys with the numbers behind each.
struct Written {
  std::vector<std::pair<std::string, std::vector<std::string>>> members;

  explicit Written(const DecisionState& state) {
    std::istringstream lines(to_text(state));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t equals = line.find(" = ");
      std::istringstream values(line.substr(equals + 3));
      auto& member = members.emplace_back();
      member.first = line.substr(0, equals);
      for (std::string value; std::getline(values, value, ',');) member.second.push_back(value);
    }
  }

  std::string text() const {
    std::string all;
    for (const auto& [key, values] : members) {
      all += key + " = ";
      for (std::size_t i = 0; i < values.size(); ++i) all += (i > 0 ? "," : "") + values[i];
      all += '\n';
    }
    return all;
  }

  DecisionState state() const { return state_from_text(text(), "a test"); }
};

// Returns copies of the state. In each, another number is changed.
std::vector<DecisionState> all_changes() {
  std::vector<DecisionState> states;
  const Written plain{DecisionState{}};
  for (std::size_t m = 1; m < plain.members.size(); ++m)
    for (std::size_t i = 0; i < plain.members[m].second.size(); ++i) {
      Written changed = plain;
      changed.members[m].second[i] = "17";
      states.push_back(changed.state());
    }
  return states;
}

void expect_distinct(const std::vector<DecisionState>& states) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(states.size());
  for (const DecisionState& state : states) hashes.push_back(hash_of(state));
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

// --- Medians -------------------------------------------------------------------------------------

TEST(Interval, MediansOfAsManyLooksAsThereAre) {
  LookInterval interval;
  interval.waste = {5, 1, 9};
  interval.peak = {2, 8, 4};
  EXPECT_EQ(interval.median_waste(), 0);
  interval.looks = 1;
  EXPECT_EQ(interval.median_waste(), 5);
  interval.looks = 2;
  EXPECT_EQ(interval.median_waste(), 3);
  EXPECT_EQ(interval.median_peak(), 5);
  interval.looks = 3;
  EXPECT_EQ(interval.median_waste(), 5);
  EXPECT_EQ(interval.median_peak(), 4);
  interval.looks = 1000;
  EXPECT_EQ(interval.median_waste(), 5);
}

// --- Text ----------------------------------------------------------------------------------------

// All members except the trigger are numbers of eight bytes. So this test finds a member that is
// missing in the text.
TEST(StateText, HoldsEveryMember) {
  std::size_t numbers = 0;
  const Written written{DecisionState{}};
  for (std::size_t m = 1; m < written.members.size(); ++m)
    numbers += written.members[m].second.size();
  EXPECT_EQ(written.members.front().first, "trigger");
  EXPECT_EQ(sizeof(DecisionState), sizeof(Trigger) + 8 * numbers);
}

TEST(StateText, IsReadAgainToTheBit) {
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 50; ++repeat) {
    Written written(state_of(Threshold{.lambda = 1 + 1.0 / 3}));
    for (std::size_t m = 1; m < written.members.size(); ++m)
      for (std::string& value : written.members[m].second)
        value = std::to_string(static_cast<std::int64_t>(random() >> 12U) - (1LL << 51));
    const DecisionState state = written.state();
    DecisionState again = state_from_text(to_text(state), "a test");
    EXPECT_EQ(hash_of(again), hash_of(state));
    EXPECT_EQ(to_text(again), to_text(state));
    again.floor_percent = std::bit_cast<double>(random() >> 2U);
    EXPECT_EQ(state_from_text(to_text(again), "").floor_percent, again.floor_percent);
  }
  DecisionState extreme;
  extreme.floor_percent = std::numeric_limits<double>::denorm_min();
  extreme.step = std::numeric_limits<std::int64_t>::lowest();
  extreme.interval.waste = {-0.0, 1e308, 1e-308};
  EXPECT_EQ(hash_of(state_from_text(to_text(extreme), "")), hash_of(extreme));
}

TEST(StateText, KeepsTheTrigger) {
  for (const Trigger& trigger :
       {Trigger(CostAware{}), Trigger(Never{}), Trigger(Every{.start = 1, .stop = 9, .period = 2}),
        Trigger(Threshold{.lambda = 1.1, .imbalance_percent = 3}), Trigger(Menon{}),
        Trigger(Zhai{}), Trigger(Procassini{.rho = 3}), Trigger(Boulmier{})})
    EXPECT_TRUE(state_from_text(to_text(state_of(trigger)), "").trigger == trigger);
}

TEST(StateText, WhatIsNoStateIsAnError) {
  const std::string text = to_text(DecisionState{});
  const auto refused = [](const std::string& bad, const std::string& why) {
    EXPECT_ERROR(static_cast<void>(state_from_text(bad, "old.txt")), "old.txt: " + why);
  };
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string changed = text;
    return changed.replace(changed.find(before), before.size(), after);
  };
  refused("", "the key 'trigger' is missing.");
  refused(text + "nonsense\n", "'nonsense' is not of the form key = value.");
  refused(text + "looks = 3\n", "'looks' is given twice.");
  refused(text + "mood = good\n", "'mood' is not a key of a state.");
  refused(with("looks = 0", "looks = few"), "looks is 'few'.");
  refused(with("looks = 0", "looks = 1.5"), "looks is '1.5'.");
  refused(with("floor_percent = 0", "floor_percent = inf"), "floor_percent is 'inf'.");
  refused(with("interval_waste = 0,0,0", "interval_waste = 0,0"), "interval_waste is '0,0'.");
  refused(with("interval_waste = 0,0,0", "interval_waste = 0,0,0,0"),
          "interval_waste is '0,0,0,0'.");
  EXPECT_ERROR(static_cast<void>(state_from_text(with("never", "sometimes"), "old.txt")),
               "'sometimes' is not a trigger");
}

// --- Hash ----------------------------------------------------------------------------------------

// The test vectors of FNV-1a's authors.
TEST(Hash, OfText) {
  EXPECT_EQ(hash_of(std::string()), 0xcbf29ce484222325U);
  EXPECT_EQ(hash_of(std::string("a")), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(hash_of(std::string("foobar")), 0x85944171f73967e8U);
  EXPECT_NE(hash_of(std::string("a\0", 2)), hash_of(std::string("a")));
}

TEST(Hash, EveryNumberMatters) {
  std::vector<DecisionState> states = all_changes();
  states.emplace_back();
  expect_distinct(states);
}

TEST(Hash, EveryPartOfTheTriggerMatters) {
  expect_distinct({state_of(CostAware{}), state_of(Never{}), state_of(Every{}),
                   state_of(Every{.start = 1}), state_of(Every{.stop = 1}),
                   state_of(Every{.period = 2}), state_of(Threshold{.lambda = 1.1}),
                   state_of(Threshold{.imbalance_percent = 1.1}), state_of(Menon{}),
                   state_of(Zhai{}), state_of(Procassini{}), state_of(Procassini{.rho = 2}),
                   state_of(Boulmier{}), state_of(Custom{&always})});
}

TEST(Hash, WhatIsEqualHashesAlike) {
  DecisionState zero, negative_zero;
  negative_zero.floor_percent = -0.0;
  EXPECT_EQ(hash_of(zero), hash_of(negative_zero));
  EXPECT_EQ(hash_of(state_of(Threshold{.lambda = 2, .imbalance_percent = -0.0})),
            hash_of(state_of(Threshold{.lambda = 2})));
  // A function has another address in each process, so it must not be in the hash.
  EXPECT_EQ(hash_of(state_of(Custom{&always})), hash_of(state_of(Custom{&never})));
}

}  // namespace
}  // namespace evenkeel::state_test
