#pragma once

// The facade: what an application registers its kernels with and calls at the end of each step.
//
//   ek::Balancer balancer(MPI_COMM_WORLD, {.method = ek::Hilbert{}});
//   auto force = balancer.kernel("force");
//   while (simulation.advance()) {
//     { auto timing = force.time(); compute_forces(position); }
//     if (auto moved = balancer.step(position, ek::carry(velocity, mass, id)))
//       rebuild_neighbours(position);
//   }
//   balancer.finish();

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/migrate.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/cost_table.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/step_options.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace evenkeel {

namespace detail {
// A set, or a range of them; everything else is a field.
template <class T>
inline constexpr bool holds_sets =
    std::same_as<std::remove_cvref_t<T>, Set> || std::convertible_to<T, std::span<const Set>>;
}  // namespace detail

class EVENKEEL_API Balancer {
 public:
  // Collective over the communicator, which is duplicated twice. Rank 0's options count for all.
  // Kokkos must be running. Work on the memory of `space` runs on that instance
  // (ek::space_of(stream), say); what other instances write into fields must have ended before a
  // step or a rebalance, after which all fields are complete. Default: the default instances.
  explicit Balancer(const Communicator& communicator, const Options& options = {},
                    const std::optional<Space>& space = std::nullopt);
#if EVENKEEL_HAS_MPI
  explicit Balancer(MPI_Comm users, const Options& options = {},
                    const std::optional<Space>& space = std::nullopt);
#endif
  Balancer(Balancer&&) noexcept;
  Balancer& operator=(Balancer&&) noexcept;
  // Never waits: without finish(), pending reductions are abandoned, and other ranks will be told.
  ~Balancer();

  // Returns the kernel of this name, and registers it if it is new. Local, at any time. Ranks may
  // register different kernels, but should agree on the phase of each.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Register a hook. Local, at any time; ranks may have different hooks, which run in the order in
  // which they were given. Those before run on every rank when objects are about to move: fields
  // are as they were and must keep their lengths, and an exception undoes the move on all ranks.
  // Those after run when objects have moved: fields, domains and report are new; an exception
  // becomes the same Error on all ranks, and the objects stay moved.
  void before_move(std::function<void()> hook);
  void after_move(std::function<void(const MoveReport&)> hook);
  // Those for new domains run when the domains have changed, with or without a move, and before the
  // hooks after a move; otherwise they are like these. The first argument is what was before.
  void on_new_domains(std::function<void(const Domains&, const Domains&)> hook);

  // Collective: the end of a step. Moves objects when it is worth it, and then every field has a
  // new length, order and storage. False: no field has changed, not even its order; domains may
  // have changed, when new borders leave every object where it is. An Error is the same on all
  // ranks, and leaves every field as it was, unless it comes from a hook after a move.
  MoveReport step(std::span<const Set> sets, const StepOptions& how = {});

  // Collective: balances now, by the latest load. Also makes the first distribution, from wherever
  // the objects are. Otherwise like step(), but does not count a step.
  MoveReport rebalance(std::span<const Set> sets);

  // Collective: sends what has left the domain of its rank to the owner of its place, without new
  // domains; for codes in which objects cannot wait for a rebalance. Cheap enough for every step:
  // what stays keeps its place in memory, but for a few objects that fill holes, and arrays with
  // slack (.count, .reserve, std::vector) keep their memory. With groups or payloads everything is
  // put in order anew, as in a rebalance. Needs domains, so call rebalance() first. Otherwise like
  // step(), but does not count a step.
  MoveReport migrate(std::span<const Set> sets);

  // The same for one set, given as it is or by its fields, and for several sets that share one
  // decomposition.
  template <class Container>
  requires(!std::same_as<std::remove_cvref_t<Container>, Set>) MoveReport
      step(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
    return step({set(std::forward<Container>(position), std::move(carried), options)});
  }
  template <class Container>
  requires(!std::same_as<std::remove_cvref_t<Container>, Set>) MoveReport
      step(Container&& position, Carried carried, const SetOptions& options,
           const StepOptions& how) {
    return step({set(std::forward<Container>(position), std::move(carried), options)}, how);
  }
  template <std::same_as<Set>... Sets>
  MoveReport step(const Set& first, const Sets&... others) {
    return step({first, others...});
  }
  MoveReport step(const Set& one, const StepOptions& how) { return step({one}, how); }
  // Several sets with options: step({cells, particles}, {.may_move = false}).
  MoveReport step(std::initializer_list<Set> sets, const StepOptions& how = {}) {
    return step(std::span<const Set>(sets.begin(), sets.size()), how);
  }
  template <class Container>
  requires(!std::same_as<std::remove_cvref_t<Container>, Set>) MoveReport
      rebalance(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
    return rebalance({set(std::forward<Container>(position), std::move(carried), options)});
  }
  template <std::same_as<Set>... Sets>
  MoveReport rebalance(const Set& first, const Sets&... others) {
    return rebalance({first, others...});
  }
  template <class Container>
  requires(!std::same_as<std::remove_cvref_t<Container>, Set>) MoveReport
      migrate(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
    return migrate({set(std::forward<Container>(position), std::move(carried), options)});
  }
  template <std::same_as<Set>... Sets>
  MoveReport migrate(const Set& first, const Sets&... others) {
    return migrate({first, others...});
  }

  // Fields beside the position without carry(): these do not compile.
  template <class Position, detail::Carriable Carries, detail::Carriable... Others>
  MoveReport step(Position&&, Carries&&, Others&&...) {
    return detail::refuse_without_carry<MoveReport, Carries>();
  }
  template <class Position, detail::Carriable Carries>
  MoveReport step(Position&&, Carries&&, const SetOptions&, const StepOptions& = {}) {
    return detail::refuse_without_carry<MoveReport, Carries>();
  }
  template <class Position, detail::Carriable Carries, detail::Carriable... Others>
  MoveReport rebalance(Position&&, Carries&&, Others&&...) {
    return detail::refuse_without_carry<MoveReport, Carries>();
  }
  template <class Position, detail::Carriable Carries>
  MoveReport rebalance(Position&&, Carries&&, const SetOptions&) {
    return detail::refuse_without_carry<MoveReport, Carries>();
  }
  template <class Position, detail::Carriable Carries, detail::Carriable... Others>
  MoveReport migrate(Position&&, Carries&&, Others&&...) {
    return detail::refuse_without_carry<MoveReport, Carries>();
  }
  template <class Position, detail::Carriable Carries>
  MoveReport migrate(Position&&, Carries&&, const SetOptions&) {
    return detail::refuse_without_carry<MoveReport, Carries>();
  }

  // Collective, before the first step: goes on with what an earlier run learned, on any number of
  // ranks, and counts on from its steps; rank 0's text counts. saved_state() is local and the same
  // on all ranks.
  void restore(const std::string& saved);
  std::string saved_state() const;

  // Collective. Completes what is pending, ends the thread and closes the journal. Call it once;
  // afterwards only local calls are allowed.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  // Who owns what since the last rebalance, whatever the method; empty before the first one.
  const Domains& domains() const noexcept;
  const Options& options() const noexcept;  // as agreed
  std::int64_t steps() const noexcept;
  Metrics metrics() const;  // of the last look
  // The time the run has taken, and would have taken without any rebalance; after finish(), over
  // all steps.
  Account account() const;
  // What types and features cost, as last learned; empty where no set has any.
  const CostTable& costs() const noexcept;

 private:
  MoveReport rebalance(std::initializer_list<Set> sets) {
    return rebalance(std::span<const Set>(sets.begin(), sets.size()));
  }
  MoveReport migrate(std::initializer_list<Set> sets) {
    return migrate(std::span<const Set>(sets.begin(), sets.size()));
  }
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
