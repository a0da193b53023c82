#pragma once

// The monitor: times kernels, looks at the load of all ranks once per epoch, and says when a
// rebalance is due. It moves nothing. Codes that balance themselves use it alone:
//
//   ek::Monitor monitor(MPI_COMM_WORLD);
//   auto force = monitor.kernel("force");
//   while (...) {
//     { auto timing = force.time(); compute_forces(); }
//     if (auto advice = monitor.step()) { my_own_rebalance(); monitor.rebalanced(); }
//   }
//   monitor.finish();

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/journal.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// What a rank knows of what would have been, in nanoseconds over an epoch.
struct Survey {
  Counterfactual would_be = {};  // the same on all ranks
  // This rank's own load under the first domains; while they are those that it has, under what
  // advice would have led to; below 0: not known.
  std::int64_t mine_otherwise = -1;
  std::int64_t took = 0;  // to find out
};

// What the end of a step says. True: rebalance now; the same on all ranks.
struct Advice {
  bool rebalance = false;
  std::string reason = {};  // in words, when true
  // The generation of an earlier decomposition that is to be taken again; -1: make a new one. Only
  // where somebody keeps those: a Balancer does.
  std::int64_t back_to = -1;
  explicit operator bool() const noexcept { return rebalance; }
};

class EVENKEEL_API Monitor {
 public:
  // Collective over the communicator, which is duplicated, or taken over where it is given away.
  // Rank 0's options count for all.
  explicit Monitor(const Communicator& communicator, const Options& options = {});
  explicit Monitor(Communicator&& communicator, const Options& options = {});
#if EVENKEEL_HAS_MPI
  explicit Monitor(MPI_Comm users, const Options& options = {});
#endif
  Monitor(Monitor&&) noexcept;
  Monitor& operator=(Monitor&&) noexcept;
  // Never communicates: without finish() what is pending is let go.
  ~Monitor();

  // The kernel of this name, known from now on. Local, at any time. Ranks may know different ones,
  // but should agree on the phase of one.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Collective: the end of a step. Waits for other ranks at most twice per epoch, for reductions
  // that were posted steps ago. `objects`: how many this rank owns. Ranks that do not run alike are
  // the same Error on all ranks.
  Advice step(std::int64_t objects = 0);

  // Collective in the sense that all ranks call it after the same step: the decomposition has
  // changed, and what was measured before counts no more. Communicates nothing.
  void rebalanced(const Outcome& outcome = {});

  // Collective, before the first step: goes on with what an earlier run had learned and
  // saved_state() has told, on as many ranks or others. Rank 0's text counts.
  void restore(const std::string& saved);

  // Who finds out what would have been, on all ranks or on none; an empty one: nobody. Looks that
  // ask for it call it on all ranks at the end of the same step, so it may communicate, with the
  // nanoseconds of this rank's load over the epoch. A Balancer does it by itself.
  using Surveyor = std::function<Survey(std::int64_t load)>;
  void set_surveyor(Surveyor surveyor);

  // Collective. Completes what is pending, ends the thread and closes the journal. Once; then
  // nothing but the destructor.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  const Options& options() const noexcept;  // as agreed
  std::int64_t steps() const noexcept;
  std::int64_t generation() const noexcept;

  // Of the last look that all ranks have agreed on.
  Metrics metrics() const;
  // Of all that looks have told of; after finish() of all steps.
  Account account() const;
  // What was learned so far, for a checkpoint of the application's; the same on all ranks.
  std::string saved_state() const;

  bool is_finished() const noexcept;
  // Whether the next call of step ends an epoch.
  bool next_step_looks() const noexcept;

  // Nanoseconds per step that this rank has spent in kernels since the last rebalance, or since the
  // warm-up; 0 while nothing is measured.
  std::int64_t load_nanoseconds() const;

  // In a deterministic run: the sum of this rank's weights, which stands for its clock.
  void set_load(double weight) noexcept;

 private:
  friend class Balancer;
  friend class GridBalancer;
  // Before the first step, on all ranks: domains from this generation on can be taken again.
  void keep_from(std::int64_t generation);
  // Whether advice would have made a fresh cut since the last question; the same on all ranks.
  bool take_advised() noexcept;
  std::int64_t now() const noexcept;               // in the time in which rebalances are paid for
  std::int64_t first_generation() const noexcept;  // of the domains that the run began with
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
