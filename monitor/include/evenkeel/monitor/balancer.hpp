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
#include <evenkeel/monitor/monitor.hpp>

#include <concepts>
#include <functional>

namespace evenkeel {

// Times kernels, decides when a rebalance pays, and moves the objects.
class EVENKEEL_API Balancer : public Facade {
 public:
  // Collective over the communicator, which is duplicated twice. Rank 0's options count for all.
  // Kokkos must be running. If `space` is given, for example ek::space_of(stream), work on memory
  // of its kind runs on that instance. Other work runs on the default instances. Before a step or a
  // rebalance, other instances must have finished writing fields. After it, all fields are
  // complete.
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

  // These register a hook. Local, at any time. Ranks may have different hooks; hooks run in the
  // order of registration. before_move hooks run on every rank before objects move. Fields still
  // have their old values, and a hook must keep their lengths. If a hook throws, the move is undone
  // on all ranks. after_move hooks run on every rank after objects have moved, when fields, domains
  // and report are new. If a hook throws, all ranks throw the same Error, and the objects stay on
  // their new ranks.
  void before_move(std::function<void()> hook);
  void after_move(std::function<void(const MoveReport&)> hook);
  // Registers a hook that runs when the domains have changed, even if nothing moved. It runs before
  // the after_move hooks, and is like them otherwise. Its arguments are the old and the new
  // domains.
  void on_new_domains(std::function<void(const Domains&, const Domains&)> hook);

  // Collective, before the first step. The run begins with domains of the application's own, such
  // as GridDomains::uniform(). Give the same domains on every rank. Then migrate() and Halo work
  // from the start, no first distribution is needed, and the account of the run is exact. Objects
  // need not be on their owners yet: migrate() sends them there.
  void adopt(const Domains& domains);
  // The same for a division that does not follow from places, such as the parts of a graph or of a
  // list of blocks: each rank owns the objects that it has.
  void adopt(const SetList& sets);

  // Collective; ends a step. If a rebalance pays, moves objects; then every field has a new length,
  // order and storage. If the report converts to false, no field has changed, not even its order.
  // The domains may have changed nevertheless: new domains can leave every object on its rank. An
  // Error is the same on all ranks. It leaves every field unchanged, unless it comes from a hook
  // that runs after a move.
  MoveReport step(const SetList& sets, const StepOptions& how = {});

  // Collective. Balances now, by the latest load. The first call distributes the objects, which may
  // start on any rank. Does not end a step; otherwise it is like step().
  MoveReport rebalance(const SetList& sets);

  // Collective. Sends objects that have left the domain of their rank to the owner of their place;
  // the domains do not change. This is for codes whose objects cannot wait for a rebalance. It is
  // cheap enough for every step: objects that stay keep their index, except a few that fill holes,
  // and arrays with unused room (.count, .reserve, std::vector) keep their memory. If sets have
  // groups or payloads, all objects are sorted again, as in a rebalance. There must be domains, so
  // call rebalance() first. Does not end a step; otherwise it is like step().
  MoveReport migrate(const SetList& sets);

  // The same for one set, which is given by its fields.
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

  // --- Local -------------------------------------------------------------------------------------

  // The domains since the last rebalance, for any method; empty before the first rebalance.
  const Domains& domains() const noexcept;
  // The learned costs of types and features; empty if no set has any.
  const CostTable& costs() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
