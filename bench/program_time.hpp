#pragma once

// The two kinds of time in which a whole program runs; all in mean steps.
//
// In virtual time nothing is computed. A clock of each rank goes on by what its work costs, ranks
// never wait for each other, and a rebalance that moves something costs so much: half when it
// moves, half in the next step, outside of kernels. So runs repeat exactly. In real time a chain of
// multiplications is computed, and ranks wait for each other at the end of each step.

#include "timing.hpp"

#include <evenkeel/evenkeel.hpp>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evenkeel::bench {

class VirtualTime {
 public:
  // Long: what the library really takes is nothing beside it.
  static constexpr double step_seconds = 1;

  explicit VirtualTime(double cost) : cost_(cost) {}

  void adapt(Options& options) const {
    options.own_clock = &now;
    options.watcher = false;  // decides the same, but 64 threads more wake up now and then
  }
  void start() { owed_ = 0; }
  // A rank without objects has something to do outside of kernels too.
  void begin_step() { advance(std::exchange(owed_, 0.0) + elsewhere); }
  // Returns how long it took.
  double work(double load) {
    advance(load);
    return load;
  }
  void end_step() {}
  void stop() {}
  void begin_move() {
    advance(cost_ / 2);
    owed_ = cost_ / 2;
  }
  // Of a run in which the slowest rank of each step has worked so long; the same on all ranks.
  double total(double slowest, std::size_t moves) const {
    return slowest + cost_ * static_cast<double>(moves);
  }

 private:
  static constexpr double elsewhere = 0.01;  // in each step, and not counted

  static std::int64_t now() noexcept { return clock().load(std::memory_order_relaxed); }
  static std::atomic<std::int64_t>& clock() noexcept {
    static std::atomic<std::int64_t> nanoseconds = 1;
    return nanoseconds;
  }
  static void advance(double steps) noexcept {
    clock().fetch_add(std::llround(steps * step_seconds * 1e9), std::memory_order_relaxed);
  }

  double cost_;
  double owed_ = 0;
};

class RealTime {
 public:
  static constexpr double step_seconds = 1e-3;

  // Collective.
  explicit RealTime(const Communicator& ranks) : ranks_(ranks) {
    constexpr std::int64_t trial = 1'000'000;
    constexpr int trials = 9;
    std::vector<double> milliseconds;
    milliseconds.reserve(trials);
    for (int i = 0; i < trials; ++i)
      milliseconds.push_back(slowest_milliseconds(ranks, [&] { compute(trial); }));
    operations_ = step_seconds * 1e3 * trial / median(milliseconds);
  }

  void adapt(Options&) const {}
  void start() {
    ranks_.barrier();
    whole_.restart();
  }
  void begin_step() {}
  double work(double load) {
    const Stopwatch watch;
    compute(std::llround(load * operations_));
    return watch.seconds() / step_seconds;
  }
  void end_step() { ranks_.barrier(); }
  void begin_move() {}
  void stop() { seconds_ = whole_.restart(); }
  // Collective.
  double total(double, std::size_t) const {
    return ranks_.all_reduce(seconds_, Reduction::greatest) / step_seconds;
  }

 private:
  [[gnu::noinline]] void compute(std::int64_t count) {
    double value = held_;
    for (std::int64_t i = 0; i < count; ++i) value = value * 0.999999 + 1e-6;
    held_ = value;
  }

  const Communicator& ranks_;
  Stopwatch whole_;
  double seconds_ = 0;
  double operations_ = 0;  // in a mean step
  volatile double held_ = 1;
};

}  // namespace evenkeel::bench
