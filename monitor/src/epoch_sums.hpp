#pragma once

// What one rank has measured in the running epoch, and since the last rebalance.
//
// A kernel that has run in every step counts the number of steps times its truncated mean, so that
// a step that something else has disturbed (a page fault, a file, another program) does not look
// like load. One that has not, or of which it is known that it recurs every few steps, counts its
// sum: truncation would take the very steps in which it works. Sums are of one rank, so nothing is
// lost when a kernel recurs on one and runs in every step of another.

#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/epoch.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

class EpochSums {
 public:
  // The epoch so far: steps, load, duration, variance, kernels, phases and fit. `unit` is that of
  // the variance, see Totals.
  Sample sample(std::int64_t unit) const;

  // `options` of the kernels, where they have any.
  void add(const Clock::Step& step, std::span<const std::int64_t> kernels,
           std::span<const KernelOptions> options = {});

  // So many nanoseconds of the running epoch were no work: waiting for a core. Everything gives the
  // same share of them, less what truncation has left out already.
  void leave_out(std::int64_t waited);

  // The next epoch begins.
  void restart();
  // ... after a rebalance.
  void restart_all();

  std::int64_t steps() const noexcept { return steps_; }
  // Nanoseconds per step since the last rebalance; 0 while nothing is measured.
  std::int64_t mean_load() const;

 private:
  // Long epochs are truncated in chunks of this many steps, of which the last two are kept.
  static constexpr std::size_t chunk = 64;

  struct Kernel {
    KernelOptions options;
    std::int64_t ran = 0;                               // in so many steps
    std::int64_t closed_sum = 0, closed_truncated = 0;  // of the chunks that are no longer kept
    std::vector<std::int64_t> kept = {};                // nanoseconds by step
  };

  bool recurs(const Kernel& kernel) const noexcept;
  std::int64_t total(const Kernel& kernel) const;
  std::int64_t load() const;
  double variance_of(std::size_t begin, std::size_t count) const;
  void close_chunk();

  std::vector<Kernel> kernels_;
  std::int64_t steps_ = 0;
  std::size_t kept_steps_ = 0;
  double closed_variance_ = 0;
  std::int64_t duration_ = 0;
  double working_share_ = 1;  // of the time; in the rest this rank waited for a core
  bool fit_ = true;
  std::int64_t load_since_ = 0, steps_since_ = 0;  // of epochs that have ended
};

}  // namespace evenkeel
