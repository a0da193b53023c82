#include "monitor/drive/monitor/watching.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

using test::always;
using test::exact;
using test::MonitorTest;
using test::never;
using test::Steps;
using test::usual_advice;

// --- Kernels that differ -------------------------------------------------------------------------

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
  const auto fails = [](const LoadView&) -> bool {
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
  EXPECT_EQ(monitor.options().epoch_steps, 0);
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

}  // namespace
}  // namespace evenkeel
