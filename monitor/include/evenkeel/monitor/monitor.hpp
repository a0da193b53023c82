#pragma once

// The monitor: it times kernels, looks at the load of all ranks once per epoch, and says when to
// rebalance. It moves nothing. Codes that balance themselves use only the monitor:
//
//   ek::Monitor monitor(MPI_COMM_WORLD);
//   auto force = monitor.kernel("force");
//   while (...) {
//     { auto timing = force.time(); compute_forces(); }
//     if (auto advice = monitor.step()) { my_own_rebalance(); monitor.rebalanced(); }
//   }
//   monitor.finish();

#include <evenkeel/monitor/advice.hpp>
#include <evenkeel/monitor/loan.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

class Engine;  // private

// Times kernels and decides when a rebalance pays; the application carries it out.
class EVENKEEL_API Monitor {
 public:
  // Collective over the communicator, which is duplicated. Rank 0's options count for all ranks.
  // Options of domains and moves, such as the method, are an Error.
  explicit Monitor(const Communicator& communicator, const Options& options = {});
#if EVENKEEL_HAS_MPI
  explicit Monitor(MPI_Comm users, const Options& options = {});
#endif
  Monitor(Monitor&&) noexcept;
  Monitor& operator=(Monitor&&) noexcept;
  // Never waits. Without finish(), it abandons pending reductions and notifies the other ranks.
  ~Monitor();

  // Returns the kernel of this name, and registers it if it is new. Local, at any time. Ranks may
  // register different kernels, but a kernel should have the same phase on all ranks.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});
  // Returns a loan: it lends the objects of one kernel to ranks with less work, and takes the
  // results home (monitor/loan.hpp). Collective, between steps. This object must outlive it.
  Loan loan(const std::string& name, const Loan::Options& options = {});

  // Collective; ends a step. Waits for other ranks at most twice per epoch, for reductions that
  // were posted some steps earlier. `objects` is the number of objects that this rank owns.
  // StepOptions::changed is an Error, since a Monitor cannot predict the load of objects. If
  // ranks diverge, for example because they call step() unequally often, all ranks throw the same
  // Error.
  Advice step(std::int64_t objects = 0, const StepOptions& options = {});

  // Reports that the decomposition has changed; earlier measurements then no longer count. All
  // ranks must call this after the same step, but it does not communicate.
  void rebalanced(const Outcome& outcome = {});
  // Local, after rebalanced() and before the next step ends. Adds seconds to the cost of this
  // rebalance: those that this rank has spent for it since then, outside of kernels. Use the clock
  // of the load. May be called several times; the sum on the slowest rank counts. It is an Error if
  // there was no rebalance since the last step.
  void note_cost(double seconds);

  // Collective, before the first step. Takes over what an earlier run has learned, from the text of
  // that run's saved_state(), and continues its step count. The earlier run may have had any number
  // of ranks. Only the text on rank 0 counts.
  void restore(const std::string& saved);

  // Collective. Completes pending work, ends the thread and closes the journal. Call it once;
  // afterwards only local calls are allowed.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  const Options& options() const noexcept;  // those that all ranks agreed on
  std::int64_t steps() const noexcept;      // including those before a restore
  std::int64_t generation() const noexcept;

  // The results of the last look that all ranks have agreed on.
  Metrics metrics() const;
  // The account of the steps that looks have covered; after finish(), of all steps.
  Account account() const;
  // All that this run has learned so far, as a text for restore(); the same on all ranks.
  std::string saved_state() const;

  bool is_finished() const noexcept;
  // True if the next call of step() ends an epoch.
  bool next_step_looks() const noexcept;

  // The nanoseconds per step that this rank has spent in kernels since the last rebalance, or since
  // the warm-up. It is 0 before the first measurement.
  std::int64_t load_nanoseconds() const;

  // Sets the sum of the weights of this rank's objects, which a deterministic run uses instead of
  // measured times.
  void set_load(double weight) noexcept;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace evenkeel
