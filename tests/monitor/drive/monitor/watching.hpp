#pragma once

// The tests of the Monitor share this: runs with an exact load, and the steps with advice.

#include "observe/epoch.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/monitor/monitor.hpp>

namespace evenkeel::test {

using Steps = std::vector<std::int64_t>;

inline constexpr std::int64_t latency =
    2 * protocol_latency_steps + 1;  // from an epoch to the advice

// The steps with advice, for the default warm-up of 3 and epochs of 8 steps.
inline const Steps usual_advice = {16, 24, 32, 40};

// A deterministic run, in which only the trigger decides.
inline Options exact(const Trigger& trigger) {
  Options options;
  options.trigger = trigger;
  options.cooldown_steps = 0;
  options.floor_percent = 0;
  options.deterministic = true;
  return options;
}

inline bool always(const LoadView&) { return true; }
inline bool never(const LoadView&) { return false; }

// Works until the clock has advanced.
inline void work() {
  const std::int64_t start = wall_nanoseconds();
  while (wall_nanoseconds() - start < 1000) continue;
}

// The number of times that the text contains `part`.
inline int times(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

class MonitorTest : public testing::Test {
 protected:
  Communicator outer = test::world();
  int rank = outer.rank(), size = outer.size();

  // Lambda is exactly 1.5 if there are at least two ranks.
  double uneven_load() const { return rank == 0 || size == 1 ? 3 : (2.0 * size - 3) / (size - 1); }

  Monitor uneven(const Options& options) const {
    Monitor monitor(outer, options);
    monitor.set_load(uneven_load());
    return monitor;
  }

  Monitor even(const Options& options) const {
    Monitor monitor(outer, options);
    monitor.set_load(1);
    return monitor;
  }

  // Returns the steps with advice, up to step `last`. They must be the same on all ranks, with the
  // same reason.
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

// A run by the clock.
class MeasuredTest : public MonitorTest {
 protected:
  static Options measured(const Trigger& trigger) {
    Options options = exact(trigger);
    options.deterministic = false;
    options.clock = ClockKind::wall;
    return options;
  }
};

}  // namespace evenkeel::test
