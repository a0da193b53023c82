// Ranks behave differently. No rank may wait for ever, and all must get the same Error.

#include "monitor/drive/monitor/watching.hpp"
#include "monitor/drive/users_logger.hpp"
#include "support/scratch.hpp"

#include <chrono>

namespace evenkeel::apart_test {
namespace {

using namespace test;

constexpr const char* nothing = "nothing was thrown";

class ApartTest : public MonitorTest {
 protected:
  // Steps and finishes. Returns the error of a step or of finish().
  static std::string run(Monitor& monitor, std::int64_t steps) {
    std::string text = nothing;
    for (std::int64_t step = 0; step < steps && text == nothing; ++step)
      text = test::error_of([&] { monitor.step(); });
    const std::string at_the_end = test::error_of([&] { monitor.finish(); });
    EXPECT_TRUE(monitor.is_finished());
    if (text == nothing) return at_the_end;
    EXPECT_EQ(at_the_end, nothing) << "it was reported before";
    return text;
  }

  // Rank `odd` takes `extra` steps more than the others.
  void expect_told(const Options& options, int odd, std::int64_t steps, std::int64_t extra) {
    SCOPED_TRACE(std::to_string(steps) + " steps, rank " + std::to_string(odd) + " takes " +
                 std::to_string(extra) + " more");
    Monitor monitor = uneven(options);
    const std::string text = run(monitor, steps + (rank == odd ? extra : 0));
    EXPECT_TRUE(test::same_everywhere(outer, text));
    if (size == 1) {
      EXPECT_EQ(text, nothing);
    } else if (text.find("The ranks have diverged: ") == std::string::npos) {
      EXPECT_MENTIONS(text, "monitor: Ranks reached finish after " + std::to_string(steps) +
                                " to " + std::to_string(steps + extra) +
                                " steps. Call step "
                                "equally often on all ranks");
    } else {
      EXPECT_MENTIONS(text, "rank " + std::to_string(odd) + " was at ");
      EXPECT_MENTIONS(text, "in finish after step " + std::to_string(steps));
    }
  }
};

// --- More steps on one rank ----------------------------------------------------------------------

TEST_F(ApartTest, NobodyIsApart) {
  for (std::int64_t steps = 0; steps <= 30; ++steps) {
    Monitor monitor = uneven(exact(Custom{&always}));
    EXPECT_EQ(run(monitor, steps), nothing) << steps;
  }
}

TEST_F(ApartTest, OneStepMoreInEveryPhase) {
  for (int odd = 0; odd < size; ++odd)
    for (std::int64_t steps = 0; steps <= 20; ++steps)
      expect_told(exact(Custom{&always}), odd, steps, 1);
}

TEST_F(ApartTest, OneStepMoreWherePicturesAreTaken) {
  const ScratchDirectory scratch;
  Options options = exact(Custom{&always});
  options.journal = scratch.path_of("journal");
  for (std::int64_t steps = 8; steps <= 20; ++steps)
    expect_told(options, static_cast<int>(steps) % size, steps, 1);
}

TEST_F(ApartTest, TwiceAsManySteps) {
  for (int odd = 0; odd < size; ++odd)
    for (const std::int64_t steps : {1, 7, 11, 12, 14, 16, 30, 100})
      expect_told(exact(Custom{&always}), odd, steps, steps);
}

TEST_F(ApartTest, EachRankTakesAsManyAsItLikes) {
  for (const std::int64_t more : {1, 3, 9}) {
    Monitor monitor = uneven(exact(Custom{&always}));
    const std::string text = run(monitor, 10 + more * rank);
    EXPECT_TRUE(test::same_everywhere(outer, text));
    EXPECT_EQ(text == nothing, size == 1);
  }
}

// --- One rank that leaves without finish ---------------------------------------------------------

TEST_F(ApartTest, ARankThatLeavesIsMissed) {
  for (const bool unwinds : {false, true})
    for (int odd = 0; odd < size; ++odd)
      for (const std::int64_t steps : {0, 1, 10, 11, 12, 13, 14, 16, 20}) {
        SCOPED_TRACE("rank " + std::to_string(odd) + " leaves after step " + std::to_string(steps));
        std::string text;
        const auto live = [&] {
          Monitor monitor = uneven(exact(Custom{&always}));
          for (std::int64_t step = 0; step < steps; ++step) monitor.step();
          if (rank == odd) {
            if (unwinds) throw std::runtime_error("the application gives up");
            return;
          }
          text = run(monitor, 60);
        };
        EXPECT_EQ(test::error_of([&] {
                    try {
                      live();
                    } catch (const std::runtime_error& error) {
                      if (dynamic_cast<const Error*>(&error) != nullptr) throw;
                    }
                  }),
                  nothing);
        const std::string told = "rank " + std::to_string(odd) +
                                 " was at the end without finish after step " +
                                 std::to_string(steps);
        const bool others_are_told = rank == odd || text.find(told) != std::string::npos;
        EXPECT_TRUE(others_are_told) << text;
        const int another = odd == 0 ? size - 1 : 0;
        std::string of_another = text;
        of_another.resize(static_cast<std::size_t>(outer.broadcast(std::ssize(text), another)));
        outer.broadcast(std::span<char>(of_another), another);
        EXPECT_TRUE(rank == odd || text == of_another);
      }
}

// --- Patience ------------------------------------------------------------------------------------

// Rank 0 is late before the step `late`. If that is beyond the last step, it is late before
// finish().
int warnings_of(const Communicator& outer, double patience, std::int64_t late,
                const std::string& expected, LogLevel log = LogLevel::summary) {
  const test::UsersLogger logger;
  Options options = exact(Never{});
  options.patience = patience;
  options.log = log;
  Monitor monitor(outer, options);
  monitor.set_load(1);
  const auto be_late = [&](std::int64_t step) {
    if (step == late && outer.rank() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  };
  for (std::int64_t step = 1; step <= 20; ++step) {
    be_late(step);
    monitor.step();
  }
  be_late(21);
  monitor.finish();
  const int warnings =
      logger.count_of("warning: rank " + std::to_string(outer.rank()) + ", " + expected);
  EXPECT_TRUE(warnings == 0 || logger.count_of("and continues to wait.") >= warnings);
  return warnings;
}

// If ranks share few cores, they may have to wait elsewhere, too.
TEST_F(MonitorTest, WhoWaitsTooLongSaysSoOnce) {
  const int expected = rank == 0 ? 0 : 1;
  EXPECT_EQ(
      warnings_of(outer, 0.5, 11, "at a look after step 11, has waited for other ranks for 0.5 s,"),
      expected);
  EXPECT_EQ(warnings_of(outer, 0.5, 15, "at the comparison of a look after step 14,"), expected);
  EXPECT_EQ(warnings_of(outer, 0.5, 21, "in finish after step 20,"), expected);
}

TEST_F(MonitorTest, ThePatientSayNothing) {
  EXPECT_EQ(warnings_of(outer, 0, 11, ""), 0) << "0 is off";
  EXPECT_EQ(warnings_of(outer, 60, 11, ""), 0);
  EXPECT_EQ(warnings_of(outer, 0.5, 11, "", LogLevel::off), 0);
}

}  // namespace
}  // namespace evenkeel::apart_test
