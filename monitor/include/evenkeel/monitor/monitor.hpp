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
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/cost_table.hpp>
#include <evenkeel/monitor/counterfactual.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/outcome.hpp>
#include <evenkeel/monitor/step_options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// What a rank has found out about the load under other domains, in nanoseconds over an epoch.
struct Survey {
  Counterfactual would_be = {};  // the same on all ranks
  // This rank's own load under the first domains or, while those are in use, under the domains that
  // advice would have led to; below 0: not known.
  std::int64_t mine_otherwise = -1;
  std::int64_t took = 0;  // the time that this survey took
};

// What step() returns. True: rebalance now; the same on all ranks.
struct Advice {
  bool rebalance = false;
  std::string reason = {};  // in words, when true
  // The generation of an earlier decomposition that is to be taken again; -1: make a new one.
  // Always -1 unless earlier ones are kept, as a Balancer does.
  std::int64_t back_to = -1;
  // Not 0: no new cut, but a shift of the domains along their curve with this penalty
  // (Options::shift). Always 0 unless earlier domains are kept.
  double shift_penalty = 0;
  // By the load of the last epoch: what was measured before counts no more.
  bool shifts_by_last_epoch = false;
  explicit operator bool() const noexcept { return rebalance; }
};

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

  // The function that finds out the load under other domains, on all ranks or on none; may be
  // empty. Looks that need it call it on all ranks at the end of the same step, so it may
  // communicate. `load`: this rank's, in nanoseconds over the epoch. A Balancer sets one by itself.
  using Surveyor = std::function<Survey(std::int64_t load)>;
  void set_surveyor(Surveyor surveyor);

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
  friend class Balancer;
  friend class GraphBalancer;
  friend class GridBalancer;
  // Before the first step, on all ranks: domains from this generation on can be taken again.
  void keep_from(std::int64_t generation);
  // Whether advice would have made a fresh cut since the last call; the same on all ranks.
  bool take_advised() noexcept;
  bool has_begun() const noexcept;  // a step has been made since it was constructed
  // Nanoseconds per step that this rank has spent in kernels in the first and in the last epoch
  // since the last rebalance; while no epoch has ended, in the running one.
  struct EpochLoads {
    double first = 0, last = 0;
  };
  EpochLoads epoch_loads() const;
  // Nanoseconds per step that this rank has spent in each kernel in the last epoch that has ended;
  // the kernels' options; both in the clock's order.
  std::span<const double> epoch_kernels() const noexcept;
  std::span<const KernelOptions> kernel_options() const noexcept;
  // What is known of the costs of types and features: for journal, summary and saved state. What an
  // earlier run knew.
  void set_costs(CostTable costs) noexcept;
  const CostTable& costs() const noexcept;
  const CostTable& restored_costs() const noexcept;
  // What loops in chunks have taken since the last rebalance, the latest epochs above all.
  const std::vector<StretchTimes>& of_stretches() const noexcept;
  // step(), which asks at looks whether the sets of this rank can be moved.
  using Inspector = std::function<Status()>;
  Advice step(std::int64_t objects, const StepOptions& options, const Inspector& inspector);
  // Collective, before collective calls of a Balancer's own: throws the same Error on all ranks
  // when some have not come for the same.
  void meet_for_rebalance(const char* call);
  void meet_for_migration();
  void meet_for_survey();
  // A line in the log of rank 0, which calls it alone or with others.
  void warn(const std::string& text);
  std::int64_t now() const noexcept;               // by the clock that times rebalances
  std::int64_t first_generation() const noexcept;  // of the domains that the run began with
  std::int64_t best_generation() const noexcept;   // since the last new cut, while shifts are tried
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
