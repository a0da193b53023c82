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

// The functions that Monitor, Balancer, BlockBalancer, GraphBalancer and GridBalancer share.
class EVENKEEL_API Facade {
 public:
  // Returns the kernel of this name, and registers it if it is new. Local, at any time. Ranks may
  // register different kernels, but a kernel should have the same phase on all ranks.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});
  // Returns a loan: it lends the objects of one kernel to ranks with less work, and takes the
  // results home (monitor/loan.hpp). Collective, between steps. This object must outlive it.
  Loan loan(const std::string& name, const Loan::Options& options = {});

  // Local, after a rebalance (for a Monitor, after rebalanced(); for a proposal, after accept() or
  // drop()) and before the next step ends. Adds seconds to the cost of this rebalance: those that
  // this rank has spent for it, outside of kernels and of hooks before the move, for example to
  // send its own blocks. Use the clock of the load. May be called several times; the sum on the
  // slowest rank counts. It is an Error if there was no rebalance since the last step.
  void note_cost(double seconds);

  // Collective, before the first step. restore() takes over what an earlier run, on any number of
  // ranks, has learned, and continues its step count. Only the text on rank 0 counts. saved_state()
  // is local and returns the same text on all ranks.
  void restore(const std::string& saved);
  std::string saved_state() const;

  // Collective. Completes pending work, ends the thread and closes the journal. Call it once;
  // afterwards only local calls are allowed.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  const Options& options() const noexcept;  // those that all ranks agreed on
  std::int64_t steps() const noexcept;      // including those before a restore
  Metrics metrics() const;                  // of the last look
  // The time that the run has taken, and the time that it would have taken without any rebalance.
  // It covers the steps up to the last look; after finish(), it covers all steps.
  Account account() const;

 protected:
  Facade() noexcept = default;
  Facade(Facade&&) noexcept = default;
  Facade& operator=(Facade&&) noexcept = default;
  ~Facade() = default;

  Engine* engine_ = nullptr;  // the derived object owns it
};

// Times kernels and decides when a rebalance pays; the application carries it out.
class EVENKEEL_API Monitor : public Facade {
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

  // Collective; ends a step. Waits for other ranks at most twice per epoch, for reductions that
  // were posted some steps earlier. `objects` is the number of objects that this rank owns.
  // StepOptions::changed is an Error, since a Monitor cannot predict the load of objects. If
  // ranks diverge, for example because they call step() unequally often, all ranks throw the same
  // Error.
  Advice step(std::int64_t objects = 0, const StepOptions& options = {});

  // Reports that the decomposition has changed; earlier measurements then no longer count. All
  // ranks must call this after the same step, but it does not communicate.
  void rebalanced(const Outcome& outcome = {});

  // --- Local -------------------------------------------------------------------------------------

  std::int64_t generation() const noexcept;
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
  std::unique_ptr<Engine> own_;
};

}  // namespace evenkeel
