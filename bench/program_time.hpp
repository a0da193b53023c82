#pragma once

// The two kinds of time in which a whole program runs, in mean steps.
//
// In virtual time, a program only advances the clock of each rank by the cost of its work. Ranks
// never wait for each other. A rebalance that moves objects has a given cost: one half when it
// moves, the other half in the next step, outside of kernels. So runs repeat exactly. In real time,
// a program computes a chain of multiplications, and ranks wait for each other at the end of each
// step.

#include "operations.hpp"

#include <evenkeel/evenkeel.hpp>

#include <atomic>
#include <cmath>

namespace evenkeel::bench {

class VirtualTime {
 public:
  // A step takes this long, so that the real time of the library is negligible.
  static constexpr double step_seconds = 1;

  explicit VirtualTime(double cost) : cost_(cost) {}

  void adapt(Options& options) const {
    options.own_clock = &now;
    options.watcher = false;  // the same decisions without many more threads that wake up
  }
  void start() { owed_ = 0; }
  // Even a rank without objects has some work outside of kernels.
  void begin_step() { advance(std::exchange(owed_, 0.0) + elsewhere); }
  // Returns the time that the work took.
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
  // The time of a run, in which the loads of the slowest ranks of all steps sum to `slowest`. It is
  // the same on all ranks.
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
  explicit RealTime(const Communicator& ranks)
      : ranks_(ranks), operations_(operations_in(ranks, 1e3 * step_seconds)) {}

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
  const Communicator& ranks_;
  Stopwatch whole_;
  double seconds_ = 0;
  double operations_;  // in a mean step
};

}  // namespace evenkeel::bench
