#include "monitor/drive/monitor/watching.hpp"

#include <evenkeel/monitor/options_text.hpp>

namespace evenkeel::agreement_test {
namespace {

using namespace test;

// --- Options that only a Balancer has ------------------------------------------------------------

TEST_F(MonitorTest, TakesNoMethod) {
  for (const Options& options : {Options{.method = Staggered{}}, Options{.least_objects = 1}})
    EXPECT_ERROR_EVERYWHERE(Monitor(outer, rank == 0 ? options : Options{}),
                            ", but a Monitor places no objects.");
  EXPECT_NO_THROW(Monitor(outer, rank == 0 ? Options{} : Options{.wrap = true}).finish());
}

// --- Kernels that differ -------------------------------------------------------------------------

TEST_F(MonitorTest, UnlessKernelsAreStrict) {
  for (int odd = 0; odd < size; ++odd) {
    Options options = exact(Custom{&always});
    options.strict_kernels = true;
    Monitor monitor = even(options);
    static_cast<void>(monitor.kernel("common"));
    if (rank != odd) static_cast<void>(monitor.kernel("missing"));
    EXPECT_EQ(advised(monitor, 15), Steps());
    EXPECT_ERROR_EVERYWHERE(monitor.step(), size == 1 ? "nothing was thrown"
                                                      : "Rank " + std::to_string(odd) +
                                                            " does not know the kernel 'missing'.");
    for (int step = 17; step < 30; ++step) EXPECT_NO_THROW(monitor.step());
    EXPECT_NO_THROW(monitor.finish());
  }
}

TEST_F(MonitorTest, StrictKernelsMayComeInAnyOrder) {
  Options options = exact(Custom{&always});
  options.strict_kernels = true;
  Monitor monitor = even(options);
  static_cast<void>(monitor.kernel(rank % 2 == 0 ? "a" : "b"));
  static_cast<void>(monitor.kernel(rank % 2 == 0 ? "b" : "a"));
  EXPECT_EQ(advised(monitor, 40), usual_advice);
  monitor.finish();
}

// --- Ranks that run differently ------------------------------------------------------------------

TEST_F(MonitorTest, ARuleThatDiffersIsTheSameErrorAndTurnsItOff) {
  for (const bool watcher : {true, false})
    for (int odd = 0; odd < size; ++odd) {
      Options options = exact(Custom{rank == odd ? &never : &always});
      options.watcher = watcher;
      Monitor monitor = even(options);
      EXPECT_EQ(advised(monitor, 15), Steps());
      const std::string text = test::error_everywhere([&] { monitor.step(); });
      if (size == 1) {
        EXPECT_EQ(text, "nothing was thrown");
      } else {
        EXPECT_MENTIONS(text, "The ranks do not agree on the decision.");
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
      Monitor monitor = even(options);
      EXPECT_EQ(advised(monitor, 15), Steps());
      const std::string text = test::error_everywhere([&] { monitor.step(); });
      EXPECT_MENTIONS(text, "rank " + std::to_string(odd) + ": monitor/epoch: ");
      EXPECT_MENTIONS(text, "The application threw an exception: the rule has a gap.");
      EXPECT_EQ(advised(monitor, 60), Steps()) << "it is off";
      EXPECT_NO_THROW(monitor.finish());
    }
}

// The ranks end their epochs at different steps, and must still notice the difference.
TEST_F(MonitorTest, ARebalanceOnOneRankAloneIsTheSameErrorOnAll) {
  for (int odd = 0; odd < size; ++odd)
    for (const int at : {5, 12, 16}) {
      Monitor monitor = even(exact(Custom{&always}));
      std::string text = "nothing was thrown";
      for (int step = 1; step <= 60 && text == "nothing was thrown"; ++step) {
        text = test::error_of([&] { monitor.step(); });
        if (step == at && rank == odd) monitor.rebalanced();
      }
      EXPECT_TRUE(test::same_everywhere(outer, text));
      EXPECT_MENTIONS(text, size == 1 ? "nothing was thrown" : "The ranks do not agree on the ");
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
  EXPECT_ERROR_EVERYWHERE(Monitor monitor(outer, options), "epoch_steps is '5'");
}

}  // namespace
}  // namespace evenkeel::agreement_test
