#pragma once

// The facade: an application registers its kernels with it and calls it at the end of each step.
//
//   ek::Balancer balancer(MPI_COMM_WORLD, {.method = ek::Hilbert{}});
//   auto force = balancer.kernel("force");
//   while (simulation.advance()) {
//     { auto timing = force.time(); compute_forces(position); }
//     if (auto moved = balancer.step(position, ek::carry(velocity, mass, id)))
//       rebuild_neighbours(position);
//   }
//   balancer.finish();

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/migrate/report.hpp>
#include <evenkeel/monitor/advice.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

#include <concepts>
#include <functional>

namespace evenkeel {

// Times kernels, decides when a rebalance pays, and moves the objects.
class EVENKEEL_API Balancer {
 public:
  // Collective over the communicator, which is duplicated twice. Rank 0's options count for all.
  // Kokkos must be running. Work on the memory of `space` runs on that instance
  // (for example ek::space_of(stream)); the default is the default instances. Other instances must
  // have finished writing fields before a step or a rebalance; afterwards all fields are complete.
  explicit Balancer(const Communicator& communicator, const Options& options = {},
                    const std::optional<Space>& space = std::nullopt);
#if EVENKEEL_HAS_MPI
  explicit Balancer(MPI_Comm users, const Options& options = {},
                    const std::optional<Space>& space = std::nullopt);
#endif
  Balancer(Balancer&&) noexcept;
  Balancer& operator=(Balancer&&) noexcept;
  // Never waits. Without finish(), it abandons pending reductions and notifies the other ranks.
  ~Balancer();

  // Returns the kernel of this name, and registers it if it is new. Local, at any time. Ranks may
  // register different kernels, but should agree on the phase of each.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Register a hook. Local, at any time. Ranks may have different hooks; hooks run in the order of
  // registration. before_move hooks run on every rank when objects are about to move: fields are
  // still unchanged and must keep their lengths, and an exception undoes the move on all ranks.
  // after_move hooks run when objects have moved: fields, domains and report are new; an exception
  // becomes the same Error on all ranks, and the objects stay moved.
  void before_move(std::function<void()> hook);
  void after_move(std::function<void(const MoveReport&)> hook);
  // Runs when the domains have changed, with or without a move, and before the after_move hooks;
  // otherwise it is like after_move. The arguments are the old and the new domains.
  void on_new_domains(std::function<void(const Domains&, const Domains&)> hook);

  // Collective; ends a step. Moves objects when it pays, and then every field has a new length,
  // order and storage. If the report converts to false, no field has changed, not even its order;
  // domains may have changed if new borders leave every object where it is. An Error is the same on
  // all ranks, and leaves every field unchanged unless it comes from a hook that runs after a move.
  MoveReport step(const SetList& sets, const StepOptions& how = {});

  // Collective; balances now, by the latest load. It also makes the first distribution, and objects
  // may start on any rank. Otherwise it is like step(), but does not count a step.
  MoveReport rebalance(const SetList& sets);

  // Collective; sends objects that have left the domain of their rank to the owner of their place,
  // without new domains. It is for codes whose objects cannot wait for a rebalance, and is cheap
  // enough for every step: objects that stay keep their index, except a few that fill holes, and
  // arrays with slack (.count, .reserve, std::vector) keep their memory. With groups or payloads
  // all objects are sorted again, as in a rebalance. It needs domains, so call rebalance() first.
  // Otherwise it is like step(), but does not count a step.
  MoveReport migrate(const SetList& sets);

  // The same for one set, given by its fields, or for several sets that share one decomposition.
  template <class Container>
  requires(!std::convertible_to<Container, SetList>) MoveReport
      step(Container&& position, Carried carried = {}, const SetOptions& options = {},
           const StepOptions& how = {}) {
    return step(set(std::forward<Container>(position), std::move(carried), options), how);
  }
  template <class Container>
  requires(!std::convertible_to<Container, SetList>) MoveReport
      rebalance(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
    return rebalance(set(std::forward<Container>(position), std::move(carried), options));
  }
  template <class Container>
  requires(!std::convertible_to<Container, SetList>) MoveReport
      migrate(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
    return migrate(set(std::forward<Container>(position), std::move(carried), options));
  }
  template <class... Sets>
  requires detail::FieldsGoIntoCarry<Sets...> MoveReport step(const Set& first,
                                                              const Sets&... sets) {
    return step({first, sets...});
  }
  template <class... Sets>
  requires detail::FieldsGoIntoCarry<Sets...> MoveReport rebalance(const Set& first,
                                                                   const Sets&... sets) {
    return rebalance({first, sets...});
  }
  template <class... Sets>
  requires detail::FieldsGoIntoCarry<Sets...> MoveReport migrate(const Set& first,
                                                                 const Sets&... sets) {
    return migrate({first, sets...});
  }

  // Collective, before the first step. Restores what an earlier run on any number of ranks has
  // learned, and continues its step count; rank 0's text counts. saved_state() is local and returns
  // the same on all ranks.
  void restore(const std::string& saved);
  std::string saved_state() const;

  // Collective. Completes pending work, ends the thread and closes the journal. Call it once;
  // afterwards only local calls are allowed.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  // The domains since the last rebalance, for any method; empty before the first rebalance.
  const Domains& domains() const noexcept;
  const Options& options() const noexcept;  // those that all ranks agreed on
  std::int64_t steps() const noexcept;
  Metrics metrics() const;  // of the last look
  // The time that the run has taken, and the time that it would have taken without any rebalance.
  // It covers all steps after finish().
  Account account() const;
  // The learned costs of types and features; empty if no set has any.
  const CostTable& costs() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
