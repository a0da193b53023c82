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

#include <evenkeel/monitor/advice.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

class Engine;  // private

class EVENKEEL_API Monitor {
 public:
  // Collective over the communicator, which is duplicated, or taken over if it is moved in. Rank
  // 0's options count for all.
  explicit Monitor(const Communicator& communicator, const Options& options = {});
  explicit Monitor(Communicator&& communicator, const Options& options = {});
#if EVENKEEL_HAS_MPI
  explicit Monitor(MPI_Comm users, const Options& options = {});
#endif
  Monitor(Monitor&&) noexcept;
  Monitor& operator=(Monitor&&) noexcept;
  // Never waits: without finish(), pending reductions are abandoned, and other ranks will be told.
  ~Monitor();

  // Returns the kernel of this name, and registers it if it is new. Local, at any time. Ranks may
  // register different kernels, but should agree on the phase of each.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Collective: the end of a step. Waits for other ranks at most twice per epoch, for reductions
  // that were posted steps ago. `objects`: how many this rank owns. If ranks do not run alike,
  // all throw the same Error.
  Advice step(std::int64_t objects = 0, const StepOptions& options = {});

  // All ranks call it after the same step, but it does not communicate: the decomposition has
  // changed, and earlier measurements no longer count.
  void rebalanced(const Outcome& outcome = {});

  // Collective, before the first step: goes on with what an earlier run learned, as its
  // saved_state() returned it, on any number of ranks, and counts on from its steps. Rank 0's text
  // counts.
  void restore(const std::string& saved);

  // Collective. Completes what is pending, ends the thread and closes the journal. Call it once;
  // afterwards only local calls are allowed.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  const Options& options() const noexcept;  // as agreed
  std::int64_t steps() const noexcept;      // with those before a restore
  std::int64_t generation() const noexcept;

  // Of the last look that all ranks have agreed on.
  Metrics metrics() const;
  // Over the steps that looks have covered; after finish(), over all steps.
  Account account() const;
  // What was learned so far, for a checkpoint of the application; the same on all ranks.
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
  std::unique_ptr<Engine> engine_;
};

}  // namespace evenkeel
