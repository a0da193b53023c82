#pragma once

// The tests of hostile runs share this. Each rank has its own clock, which the test advances, so
// runs are exact and repeatable.

#include "monitor/drive/monitor/watching.hpp"
#include "support/scratch.hpp"

namespace evenkeel::test {

inline constexpr std::int64_t microsecond = 1000, millisecond = 1'000'000;
inline constexpr std::int64_t hour = 3'600'000 * millisecond;
inline constexpr std::int64_t beginning = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t longest_epoch = 10;
inline constexpr std::int64_t few_looks =
    3 + 3 * longest_epoch + latency;  // three, after the warm-up

// Each thread has its own: a rank steps on its main thread.
inline thread_local std::int64_t now = 0;
inline std::int64_t own_time() noexcept { return now; }

class HostileTest : public MonitorTest {
 protected:
  HostileTest() { now = 0; }

  ScratchDirectory scratch;
  const std::string journal = scratch.path_of("journal");

  Options watched(const Trigger& trigger) const {
    Options options;
    options.trigger = trigger;
    options.cooldown_steps = 0;
    options.floor_percent = 0;
    options.own_clock = &own_time;
    options.log = LogLevel::off;
    options.journal = journal;
    return options;
  }
  Options by_cost() const { return watched(CostAware{}); }
  Options by_threshold() const { return watched(Threshold{.lambda = 1.2}); }

  // Each rank in turn is the odd one.
  template <class Test>
  void with_each_rank(Test&& run) const {
    for (int odd = 0; odd < size; ++odd) {
      SCOPED_TRACE("odd rank " + std::to_string(odd));
      now = 0;
      run(odd);
    }
  }

  // The advice of a run. It is the same on all ranks.
  struct Advised {
    Steps steps;
    std::string text;  // with the reasons
    friend bool operator==(const Advised&, const Advised&) = default;
  };

  using Work = std::function<void(std::int64_t step)>;
  using Taken = std::function<void()>;

  // Steps up to `last`.
  Advised watch(
      Monitor& monitor, std::int64_t last, const Work& work, const Taken& on_advice = [] {}) const {
    Advised advised;
    while (monitor.steps() < last) {
      work(monitor.steps() + 1);
      const Advice advice = monitor.step();
      if (!advice) continue;
      advised.steps.push_back(monitor.steps());
      advised.text += std::to_string(monitor.steps()) + ": " + advice.reason + '\n';
      on_advice();
    }
    EXPECT_TRUE(same_everywhere(outer, advised.text));
    return advised;
  }

  // A rank works for `work`, and then waits for the slowest rank. The step takes `longest`.
  static void spend(const Kernel& kernel, std::int64_t work, std::int64_t longest) {
    {
      const Timer timing = kernel.time();
      now += work;
    }
    now += longest - work;
  }

  // A separate run with work in one kernel. One rank has three times as much.
  Advised run_with_a_slow_rank(const Options& options, int slow, const Work& before_work,
                               std::int64_t last = 40) const {
    Monitor monitor(outer, options);
    const Kernel force = monitor.kernel("force");
    const Advised advised = watch(monitor, last, [&](std::int64_t step) {
      before_work(step);
      spend(force, (rank == slow ? 3 : 1) * millisecond, 4 * millisecond);
    });
    monitor.finish();
    return advised;
  }
  static void nothing(std::int64_t) {}

  // Returns a number of a saved state.
  static double number_in(const std::string& saved, const std::string& key) {
    const std::size_t at = saved.find('\n' + key + " = ");
    return at == std::string::npos ? -1 : std::stod(saved.substr(at + key.size() + 4));
  }

  // On rank 0, the values of `key` in all looks of the journal; `key` is "cause" or "reason".
  std::vector<std::string> told(const std::string& key) const {
    std::vector<std::string> all;
    const std::string text = rank == 0 ? content_of(journal) : "";
    const std::string quoted = '"' + key + "\":\"";
    for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at)) {
      at += quoted.size();
      all.push_back(text.substr(at, text.find('"', at) - at));
    }
    return all;
  }
  void expect_told(const std::string& key, const std::vector<std::string>& expected) const {
    if (rank == 0) {
      EXPECT_EQ(told(key), expected);
    }
  }
};

}  // namespace evenkeel::test
