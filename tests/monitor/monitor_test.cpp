#include "monitor/journal_lines.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/monitor/monitor.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace evenkeel {
namespace {

using nlohmann::json;
using test::read_tally;
using test::read_totals;
using Steps = std::vector<std::int64_t>;

constexpr std::int64_t latency = 2 * protocol_latency_steps + 1;  // from an epoch to the advice

// With the default warm-up of 3 and epochs of 8 steps.
const Steps usual_advice = {16, 24, 32, 40};

// A deterministic run, in which nothing but the trigger decides.
Options exact(const Trigger& trigger) {
  Options options;
  options.trigger = trigger;
  options.cooldown_steps = 0;
  options.floor_percent = 0;
  options.deterministic = true;
  return options;
}

bool always(const State&, const Totals&) { return true; }
bool never(const State&, const Totals&) { return false; }

// Works until the clock has noticed.
void work() {
  const std::int64_t start = wall_nanoseconds();
  while (wall_nanoseconds() - start < 1000) continue;
}

class MonitorTest : public testing::Test {
 protected:
  Communicator outer = test::world();
  int rank = outer.rank(), size = outer.size();

  // Lambda is exactly 1.5, so long as there are two ranks.
  double uneven_load() const { return rank == 0 || size == 1 ? 3 : (2.0 * size - 3) / (size - 1); }

  Monitor uneven(const Options& options) const {
    Monitor monitor(outer, options);
    monitor.set_load(uneven_load());
    return monitor;
  }

  // The steps that advise, up to step `last`, the same on all ranks, with the same reason.
  Steps advised(
      Monitor& monitor, std::int64_t last, const std::function<void()>& on_advice = [] {}) const {
    Steps steps;
    std::string text;
    while (monitor.steps() < last) {
      const Advice advice = monitor.step();
      EXPECT_EQ(advice.reason.empty(), !advice.rebalance);
      if (!advice) continue;
      steps.push_back(monitor.steps());
      text += std::to_string(monitor.steps()) + advice.reason + '\n';
      on_advice();
    }
    EXPECT_TRUE(test::same_everywhere(outer, text));
    return steps;
  }

  Steps where_several(const Steps& steps) const { return size > 1 ? steps : Steps(); }
};

// --- When it advises -----------------------------------------------------------------------------

TEST_F(MonitorTest, AdvisesWhereTheThresholdIsReached) {
  Monitor monitor = uneven(exact(Threshold{.lambda = 1.5}));
  EXPECT_EQ(advised(monitor, 40), where_several(usual_advice)) << "and again if it is not taken";
  Monitor below = uneven(exact(Threshold{.lambda = std::nextafter(1.5, 2.0)}));
  EXPECT_EQ(advised(below, 40), Steps());
  Monitor percent = uneven(exact(Threshold{.imbalance_percent = 41}));
  EXPECT_EQ(advised(percent, 40), where_several(usual_advice));
  for (Monitor* each : {&monitor, &below, &percent}) each->finish();
}

TEST_F(MonitorTest, SaysWhy) {
  Monitor monitor = uneven(exact(Threshold{.lambda = 1.25}));
  for (int step = 1; step < 16; ++step) EXPECT_EQ(monitor.step().reason, "");
  const Advice advice = monitor.step();
  if (size > 1) {
    EXPECT_TRUE(test::mentions(advice.reason, "lambda 1.50 (imbalance "));
    EXPECT_TRUE(test::mentions(advice.reason, " %) is above the threshold of 1.25"));
  }
  monitor.finish();
}

TEST_F(MonitorTest, LooksAfterTheWarmUpAndThenOncePerEpoch) {
  for (const int warmup : {0, 1, 3, 11})
    for (const int epoch : {6, 7, 8, 20}) {
      Options options = exact(Custom{&always});
      options.warmup_steps = warmup;
      options.epoch_steps = epoch;
      Monitor monitor = uneven(options);
      Steps expected;
      for (std::int64_t end = warmup + epoch; end + latency <= 100; end += epoch)
        expected.push_back(end + latency);
      EXPECT_EQ(advised(monitor, 100), expected) << warmup << ' ' << epoch;
      monitor.finish();
    }
}

TEST_F(MonitorTest, SaysBeforehandWhichStepLooks) {
  Monitor monitor = uneven(exact(Never{}));
  Steps looking;
  for (int step = 1; step <= 60; ++step) {
    if (monitor.next_step_looks()) looking.push_back(step);
    monitor.step();
    if (step == 30) monitor.rebalanced();
  }
  EXPECT_EQ(looking, (Steps{11, 19, 27, 39, 47, 55}));
  monitor.finish();
}

TEST_F(MonitorTest, TheLoadIsThatOfTheStepThatLooks) {
  Monitor monitor(outer, exact(Threshold{.lambda = 1.5}));
  Steps steps;
  for (int step = 1; step <= 40; ++step) {
    const bool heavy = step == 19 || step == 35;
    monitor.set_load(heavy ? uneven_load() : 2);
    if (monitor.step()) steps.push_back(step);
  }
  EXPECT_EQ(steps, where_several({24, 40}));
  monitor.finish();
}

TEST_F(MonitorTest, EvenLoadsAreLeftAlone) {
  Monitor monitor(outer, exact(Threshold{.lambda = 1.0000001}));
  monitor.set_load(7.25);
  EXPECT_EQ(advised(monitor, 60), Steps());
  monitor.finish();
}

TEST_F(MonitorTest, TheFloor) {
  Options options = exact(Threshold{.lambda = 1.01});
  options.floor_percent = 70;  // the imbalance is 66.7 % for two ranks, and less for more
  Monitor low = uneven(options);
  EXPECT_EQ(advised(low, 40), Steps());
  options.floor_percent = 40;  // it is 41.7 % for five
  Monitor high = uneven(options);
  EXPECT_EQ(advised(high, 40), where_several(usual_advice));
  low.finish();
  high.finish();
}

TEST_F(MonitorTest, EveryAdvisesAtItsSteps) {
  Options options = exact(Every{.start = 5, .stop = 20, .period = 5});
  options.cooldown_steps = 100;
  Monitor monitor(outer, options);
  EXPECT_EQ(advised(monitor, 40, [&] { monitor.rebalanced(); }), (Steps{5, 10, 15, 20}));
  EXPECT_EQ(monitor.generation(), 4);
  Monitor each(outer, exact(Every{}));
  EXPECT_EQ(advised(each, 7), (Steps{1, 2, 3, 4, 5, 6, 7}));
  monitor.finish();
  each.finish();
}

TEST_F(MonitorTest, NeverNeverAdvises) {
  Monitor monitor = uneven(exact(Never{}));
  EXPECT_EQ(advised(monitor, 60), Steps());
  monitor.finish();
}

// The rule sees the state before the look: every other look says yes.
TEST_F(MonitorTest, ARuleOfOnesOwn) {
  Monitor monitor(outer, exact(Custom{[](const State& state, const Totals& totals) {
                    return state.looks % 2 == 1 && totals.steps == 8;
                  }}));
  monitor.set_load(1);
  EXPECT_EQ(advised(monitor, 60), (Steps{24, 40, 56}));
  monitor.finish();
}

TEST_F(MonitorTest, NoLoadIsNoReason) {
  Monitor monitor(outer, exact(Custom{&always}));
  EXPECT_EQ(advised(monitor, 40), Steps());
  monitor.set_load(rank == size - 1 ? 1e-6 : 0);
  EXPECT_EQ(advised(monitor, 56), (Steps{48, 56})) << "a nanosecond on one rank is a load";
  monitor.finish();
}

TEST_F(MonitorTest, ALoadThatIsNoneIsNotTrusted) {
  for (int odd = 0; odd < size; ++odd) {
    Monitor monitor(outer, exact(Custom{&always}));
    monitor.set_load(rank == odd ? -1 : 1);
    EXPECT_EQ(advised(monitor, 26), Steps());
    monitor.set_load(1);
    EXPECT_EQ(advised(monitor, 40), (Steps{32, 40}));
    monitor.finish();
  }
}

// --- After a rebalance ---------------------------------------------------------------------------

TEST_F(MonitorTest, ARebalanceStartsANewEpochAndTheCoolDown) {
  // One step settles, eight are measured, and five more until all agree.
  const std::vector<std::pair<int, std::int64_t>> cases = {
      {0, 14}, {9, 14}, {10, 22}, {17, 22}, {18, 30}};
  for (const auto& [cooldown, pause] : cases) {
    Options options = exact(Custom{&always});
    options.cooldown_steps = cooldown;
    Monitor monitor = uneven(options);
    EXPECT_EQ(advised(monitor, 16 + 2 * pause, [&] { monitor.rebalanced(); }),
              (Steps{16, 16 + pause, 16 + 2 * pause}));
    EXPECT_EQ(monitor.generation(), 3);
    monitor.finish();
  }
}

TEST_F(MonitorTest, ARebalanceThatMovedNothingStartsTheCoolDownAlone) {
  Options options = exact(Custom{&always});
  options.cooldown_steps = 10;
  Monitor monitor = uneven(options);
  // The epochs end at 11, 19, 27, ...; 11 steps after the rebalance at 16 is at 27.
  EXPECT_EQ(advised(monitor, 50, [&] { monitor.rebalanced({.moved = false}); }),
            (Steps{16, 32, 48}));
  EXPECT_EQ(monitor.generation(), 0);
  monitor.finish();
}

// What was measured before counts no more, however far the ranks have come in agreeing on it.
TEST_F(MonitorTest, ARebalanceDropsTheLookUnderWay) {
  for (const bool watcher : {true, false})
    for (std::int64_t at = 8; at < 16; ++at) {
      Options options = exact(Custom{&always});
      options.watcher = watcher;
      Monitor monitor = uneven(options);
      EXPECT_EQ(advised(monitor, at), Steps());
      monitor.rebalanced();
      EXPECT_EQ(monitor.generation(), 1);
      EXPECT_EQ(advised(monitor, at + 22), (Steps{at + 14, at + 22})) << at;
      monitor.finish();
    }
}

TEST_F(MonitorTest, ARebalanceBeforeTheFirstStep) {
  for (const int warmup : {0, 3}) {
    Options options = exact(Custom{&always});
    options.warmup_steps = warmup;
    Monitor monitor = uneven(options);
    monitor.rebalanced();
    EXPECT_EQ(monitor.generation(), 1);
    EXPECT_EQ(monitor.steps(), 0);
    const std::int64_t first = std::max(warmup, 1) + 8 + latency;
    EXPECT_EQ(advised(monitor, first + 8), (Steps{first, first + 8}));
    monitor.finish();
  }
}

// --- What it measures ----------------------------------------------------------------------------

class MeasuredTest : public MonitorTest {
 protected:
  static Options measured(const Trigger& trigger) {
    Options options = exact(trigger);
    options.deterministic = false;
    options.clock = ClockKind::wall;
    return options;
  }
};

TEST_F(MeasuredTest, TheLoadSinceTheRebalance) {
  Monitor monitor(outer, measured(Never{}));
  const Kernel force = monitor.kernel("force");
  const auto load_after = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      {
        const Timer timing = force.time();
        work();
      }
      monitor.step();
    }
    return monitor.load_nanoseconds();
  };
  EXPECT_EQ(load_after(3), 0) << "in the warm-up";
  EXPECT_GE(load_after(1), 1000);
  EXPECT_GE(load_after(20), 1000);
  monitor.rebalanced();
  EXPECT_EQ(monitor.load_nanoseconds(), 0);
  EXPECT_EQ(load_after(1), 0) << "while the rebalance settles";
  EXPECT_GE(load_after(1), 1000);
  monitor.rebalanced({.moved = false});
  EXPECT_GE(monitor.load_nanoseconds(), 1000);
  monitor.finish();
}

TEST_F(MeasuredTest, ARankWithoutWorkHasNoLoad) {
  Monitor monitor(outer, measured(Threshold{.imbalance_percent = 99}));
  std::optional<Kernel> force;
  if (rank == size - 1) force = monitor.kernel("force");
  Steps advice;
  for (int step = 1; step <= 40; ++step) {
    if (force) {
      const Timer timing = force->time();
      work();
    }
    if (monitor.step()) advice.push_back(step);
  }
  EXPECT_EQ(advice, where_several(usual_advice));
  monitor.finish();
}

TEST_F(MeasuredTest, WarmUpAndSettlingStepsAreNotMeasured) {
  Monitor monitor(outer, measured(Custom{&always}));
  const Kernel force = monitor.kernel("force");
  Steps advice;
  for (int step = 1; step <= 60; ++step) {
    // In the warm-up, in the step that settles the rebalance, and in one like others.
    if (step <= 3 || step == 31 || step == 48) {
      const Timer timing = force.time();
      work();
    }
    if (monitor.step()) advice.push_back(step);
    if (step == 30) monitor.rebalanced();
  }
  EXPECT_EQ(advice, Steps{60}) << "of the epoch from 48 to 55";
  monitor.finish();
}

TEST_F(MeasuredTest, TheLeastCoverage) {
  for (const double least : {0.0, 1e-12, 1.0}) {
    Options options = measured(Custom{&always});
    options.least_coverage = least;
    Monitor monitor(outer, options);
    const Kernel force = monitor.kernel("force");
    Steps advice;
    for (int step = 1; step <= 40; ++step) {
      {
        const Timer timing = force.time();
        work();
      }
      work();  // in no kernel
      if (monitor.step()) advice.push_back(step);
    }
    EXPECT_EQ(advice, least == 1.0 ? Steps() : usual_advice);
    monitor.finish();
  }
}

TEST_F(MeasuredTest, AnyClockMeasures) {
  for (const ClockKind clock : {ClockKind::automatic, ClockKind::wall, ClockKind::thread_cpu}) {
    Options options = measured(Never{});
    options.clock = clock;
    options.warmup_steps = 0;
    Monitor monitor(outer, options);
    const Kernel force = monitor.kernel("force");
    {
      const Timer timing = force.time();
      const std::int64_t start = thread_cpu_nanoseconds();
      while (thread_cpu_nanoseconds() - start < 1000) continue;
    }
    monitor.step();
    EXPECT_GE(monitor.load_nanoseconds(), 1000);
    monitor.finish();
  }
}

TEST_F(MeasuredTest, TheLongestWarmUp) {
  Options options = measured(Custom{&always});
  options.warmup_steps = std::numeric_limits<int>::max();
  Monitor monitor(outer, options);
  const Kernel force = monitor.kernel("force");
  for (int step = 1; step <= 20; ++step) {
    EXPECT_FALSE(monitor.next_step_looks());
    const Timer timing = force.time();
    work();
    EXPECT_FALSE(monitor.step());
  }
  EXPECT_EQ(monitor.load_nanoseconds(), 0);
  monitor.finish();
}

// --- The journal ---------------------------------------------------------------------------------

// A rule of one's own has no text: the test gives the trigger.
State read_state(const json& from, const Trigger& trigger) {
  State state = test::read_state(from);
  state.trigger = trigger;
  return state;
}

class JournalTest : public MeasuredTest {
 protected:
  JournalTest() { std::filesystem::remove(path); }
  ~JournalTest() override { std::filesystem::remove(path); }

  // This rank's own; that of rank 0 counts.
  std::string path = testing::TempDir() + "evenkeel_monitor_test_" + std::to_string(getpid()) +
                     '_' + std::to_string(rank) + ".jsonl";

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

  // The header's and the looks', on rank 0 alone.
  std::vector<json> parsed() const {
    std::vector<json> all;
    for (const std::string& line : lines()) all.push_back(json::parse(line, nullptr, false));
    return all;
  }

  // A run in which all sorts of things happen; once the application asks for a rebalance by itself.
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
    EXPECT_EQ(read[i].at("cause"), "not_asked");
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
    const Tally in = read_tally(totals.at("kernels").at(1)),
                out = read_tally(totals.at("kernels").at(2)), load = read_tally(totals.at("load"));
    EXPECT_GE(in.least, 8 * 1000);
    EXPECT_GE(out.least, 8 * 1000);
    EXPECT_EQ(in.sum + out.sum, load.sum) << "nothing counts twice";
    EXPECT_LE(load.sum, read_tally(totals.at("duration")).sum);
    EXPECT_EQ(totals.at("cost"), look == 2 ? std::int64_t{500'000'000} * size : 0)
        << "of the slowest rank";
    EXPECT_TRUE(read[look].at("kernels").contains("inside"));
  }
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
  State state = read_state(read[0].at("state"), trigger);
  for (std::size_t i = 1; i < read.size(); ++i) {
    const json& line = read[i];
    const State before = read_state(line.at("state"), trigger);
    EXPECT_EQ(hash_of(before), hash_of(state)) << "what the lines before have led to";
    std::int64_t step = line.at("step");
    if (!line.at("totals").is_null()) {
      const Totals totals = read_totals(line.at("totals"));
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
  const std::string text = test::error_of([&] { Monitor monitor(outer, options); });
  EXPECT_TRUE(test::mentions(text, "rank 0: monitor/journal"));
  EXPECT_TRUE(test::mentions(text, "The journal '/nonexistent directory/journal.jsonl' cannot"));
  EXPECT_TRUE(test::same_everywhere(outer, text));
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

TEST_F(JournalTest, WithoutFinishAllThatIsSettledIsWritten) {
  for (const bool watcher : {true, false}) {
    Options options = with_journal(exact(Threshold{.lambda = 1.5}));
    options.watcher = watcher;
    {
      Monitor monitor = uneven(options);
      advised(monitor, 38);
    }
    const auto read = parsed();
    EXPECT_EQ(read.size(), rank == 0 ? 4U : 0U);
  }
}

// --- Kernels that differ -------------------------------------------------------------------------

TEST_F(JournalTest, KernelsMayDifferBetweenRanks) {
  Monitor monitor(outer, with_journal(exact(Custom{&always})));
  monitor.set_load(1);
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

TEST_F(MonitorTest, UnlessKernelsAreStrict) {
  for (int odd = 0; odd < size; ++odd) {
    Options options = exact(Custom{&always});
    options.strict_kernels = true;
    Monitor monitor(outer, options);
    monitor.set_load(1);
    static_cast<void>(monitor.kernel("common"));
    if (rank != odd) static_cast<void>(monitor.kernel("missing"));
    EXPECT_EQ(advised(monitor, 15), Steps());
    const std::string text = test::error_of([&] { monitor.step(); });
    EXPECT_TRUE(test::same_everywhere(outer, text));
    EXPECT_TRUE(test::mentions(
        text, size == 1 ? "nothing was thrown"
                        : "Rank " + std::to_string(odd) + " does not know the kernel 'missing'."));
    for (int step = 17; step < 30; ++step) EXPECT_NO_THROW(monitor.step());
    EXPECT_NO_THROW(monitor.finish());
  }
}

TEST_F(MonitorTest, StrictKernelsMayComeInAnyOrder) {
  Options options = exact(Custom{&always});
  options.strict_kernels = true;
  Monitor monitor(outer, options);
  monitor.set_load(1);
  static_cast<void>(monitor.kernel(rank % 2 == 0 ? "a" : "b"));
  static_cast<void>(monitor.kernel(rank % 2 == 0 ? "b" : "a"));
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
}

// --- Ranks that do not run alike -----------------------------------------------------------------

TEST_F(MonitorTest, ARuleThatDiffersIsTheSameErrorAndTurnsItOff) {
  for (const bool watcher : {true, false})
    for (int odd = 0; odd < size; ++odd) {
      Options options = exact(Custom{rank == odd ? &never : &always});
      options.watcher = watcher;
      Monitor monitor(outer, options);
      monitor.set_load(1);
      EXPECT_EQ(advised(monitor, 15), Steps());
      const std::string text = test::error_of([&] { monitor.step(); });
      EXPECT_TRUE(test::same_everywhere(outer, text));
      if (size == 1) {
        EXPECT_EQ(text, "nothing was thrown");
      } else {
        EXPECT_TRUE(test::mentions(text, "The ranks do not agree on the decision."));
        EXPECT_EQ(advised(monitor, 60), Steps()) << "it is off";
        monitor.rebalanced();
        EXPECT_EQ(advised(monitor, 90), Steps());
      }
      EXPECT_NO_THROW(monitor.finish());
    }
}

TEST_F(MonitorTest, ARuleThatThrowsIsTheSameErrorAndTurnsItOff) {
  const auto fails = [](const State&, const Totals&) -> bool {
    throw std::runtime_error("the rule has a gap");
  };
  for (const bool watcher : {true, false})
    for (int odd = 0; odd < size; ++odd) {
      Options options = exact(Custom{rank == odd ? +fails : &never});
      options.watcher = watcher;
      Monitor monitor(outer, options);
      monitor.set_load(1);
      EXPECT_EQ(advised(monitor, 15), Steps());
      const std::string text = test::error_of([&] { monitor.step(); });
      EXPECT_TRUE(test::same_everywhere(outer, text));
      EXPECT_TRUE(test::mentions(text, "rank " + std::to_string(odd) + ": monitor/epoch: "));
      EXPECT_TRUE(test::mentions(text, "The application threw the rule has a gap."));
      EXPECT_EQ(advised(monitor, 60), Steps()) << "it is off";
      EXPECT_NO_THROW(monitor.finish());
    }
}

// The ranks end their epochs at different steps, and still find out.
TEST_F(MonitorTest, ARebalanceOnOneRankAloneIsTheSameErrorOnAll) {
  for (int odd = 0; odd < size; ++odd)
    for (const int at : {5, 12, 16}) {
      Monitor monitor(outer, exact(Custom{&always}));
      monitor.set_load(1);
      std::string text = "nothing was thrown";
      for (int step = 1; step <= 60 && text == "nothing was thrown"; ++step) {
        text = test::error_of([&] { monitor.step(); });
        if (step == at && rank == odd) monitor.rebalanced();
      }
      EXPECT_TRUE(test::same_everywhere(outer, text));
      EXPECT_TRUE(test::mentions(
          text, size == 1 ? "nothing was thrown" : "The ranks do not agree on the "));
      EXPECT_NO_THROW(monitor.finish());
    }
}

TEST_F(MonitorTest, TheOptionsOfRankZeroCount) {
  Options options = exact(Custom{&always});
  if (rank != 0) {
    options.epoch_steps = 50;
    options.warmup_steps = 20;
    options.cooldown_steps = 99;
    options.deterministic = false;
    options.watcher = false;
    options.strict_kernels = true;
  }
  Monitor monitor(outer, options);
  EXPECT_TRUE(test::same_everywhere(outer, to_text(monitor.options())));
  EXPECT_EQ(monitor.options().epoch_steps, 8);
  monitor.set_load(1);
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
}

TEST_F(MonitorTest, BadOptionsOfRankZeroAreTheSameErrorOnAllRanks) {
  Options options = exact(Never{});
  if (rank == 0) options.epoch_steps = 5;
  const std::string text = test::error_of([&] { Monitor monitor(outer, options); });
  EXPECT_TRUE(test::mentions(text, "epoch_steps is '5'"));
  EXPECT_TRUE(test::same_everywhere(outer, text));
}

// --- Life ----------------------------------------------------------------------------------------

class LifeTest : public MonitorTest, public testing::WithParamInterface<bool> {
 protected:
  Options options() const {
    Options options = exact(Custom{&always});
    options.watcher = GetParam();
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Watcher, LifeTest, testing::Bool());

thread_local bool is_thread_of_test = false;
std::atomic<bool> asked_elsewhere = false;

// The rule is asked on the watcher's thread, if there is one and if it has the time.
TEST_P(LifeTest, TheWatcherThinks) {
  is_thread_of_test = true;
  asked_elsewhere = false;
  Options choice = options();
  choice.trigger = Custom{[](const State&, const Totals&) {
    if (!is_thread_of_test) asked_elsewhere = true;
    return false;
  }};
  Monitor monitor(Communicator::self(), choice);
  monitor.set_load(1);
  for (int step = 0; step < 100 || (GetParam() && !asked_elsewhere); ++step) {
    monitor.step();
    std::this_thread::yield();
  }
  monitor.finish();
  EXPECT_EQ(asked_elsewhere, GetParam());
}

TEST_P(LifeTest, FinishesAfterAnyStep) {
  for (std::int64_t steps = 0; steps <= 17; ++steps) {
    Monitor monitor = uneven(options());
    advised(monitor, steps);
    EXPECT_NO_THROW(monitor.finish());
    EXPECT_EQ(monitor.steps(), steps);
  }
}

TEST_P(LifeTest, IsLetGoAfterAnyStep) {
  for (std::int64_t steps = 0; steps <= 17; ++steps) {
    {
      Monitor monitor = uneven(options());
      advised(monitor, steps);
    }
    EXPECT_EQ(outer.all_reduce(1, Reduction::sum), size);
  }
}

TEST_P(LifeTest, IsLetGoWhileUnwindingAfterAnyStep) {
  for (std::int64_t steps = 0; steps <= 17; ++steps) {
    const auto give_up = [&] {
      Monitor monitor = uneven(options());
      advised(monitor, steps);
      throw std::runtime_error("the application gives up");
    };
    EXPECT_THROW(give_up(), std::runtime_error);
    EXPECT_EQ(outer.all_reduce(1, Reduction::sum), size);
  }
}

TEST_P(LifeTest, AfterFinishNothingMore) {
  Monitor monitor = uneven(options());
  advised(monitor, 12);
  EXPECT_FALSE(monitor.is_finished());
  monitor.finish();
  EXPECT_TRUE(monitor.is_finished());
  EXPECT_ERROR(monitor.step(), "step was called after finish");
  EXPECT_ERROR(monitor.finish(), "finish was called after finish");
  EXPECT_EQ(monitor.steps(), 12);
}

TEST_P(LifeTest, MovesWithALookUnderWay) {
  Monitor first = uneven(options());
  advised(first, 13);
  Monitor second = std::move(first);
  EXPECT_EQ(advised(second, 17), Steps{16});
  Monitor third = uneven(options());
  advised(third, 12);
  third = std::move(second);  // lets go of a look
  EXPECT_EQ(advised(third, 40), (Steps{24, 32, 40}));
  third.finish();
}

TEST_P(LifeTest, AKernelOutlivesItsMonitor) {
  std::optional<Monitor> monitor = uneven(options());
  const Kernel force = monitor->kernel("force");
  const Timer timing = force.time();
  advised(*monitor, 13);
  monitor.reset();
  EXPECT_EQ(force.name(), "force");
  const Timer again = force.time();
}

TEST_P(LifeTest, SeveralOnOneCommunicator) {
  Options short_epochs = options(), long_epochs = options();
  short_epochs.epoch_steps = 6;
  long_epochs.epoch_steps = 10;
  Monitor a = uneven(short_epochs), b = uneven(long_epochs), c = uneven(options());
  Steps of_a, of_b, of_c;
  for (int step = 1; step <= 40; ++step) {
    if (a.step()) of_a.push_back(step);
    if (b.step()) of_b.push_back(step);
    if (c.step()) of_c.push_back(step);
  }
  EXPECT_EQ(of_a, (Steps{14, 20, 26, 32, 38}));
  EXPECT_EQ(of_b, (Steps{18, 28, 38}));
  EXPECT_EQ(of_c, usual_advice);
  b.finish();
  c.finish();
  a.finish();
}

// Each rank by itself, the ranks at different steps.
TEST_P(LifeTest, OnOneRankAlone) {
  Monitor monitor(Communicator::self(), options());
  monitor.set_load(1);
  Steps advice;
  for (int step = 1; step <= 20 + 10 * rank; ++step)
    if (monitor.step()) advice.push_back(step);
  ASSERT_GE(advice.size(), 1U);
  EXPECT_EQ(advice[0], 16);
  monitor.finish();
}

#if EVENKEEL_HAS_MPI
TEST_P(LifeTest, OnACommunicatorOfMpi) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  Monitor monitor(half, options());
  MPI_Comm_free(&half);  // it was duplicated
  monitor.set_load(1);
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
}
#endif

}  // namespace
}  // namespace evenkeel
