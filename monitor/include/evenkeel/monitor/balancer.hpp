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
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/migrate.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
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
  // Kokkos must be running.
  explicit Balancer(const Communicator& communicator, const Options& options = {});
#if EVENKEEL_HAS_MPI
  explicit Balancer(MPI_Comm users, const Options& options = {});
#endif
  Balancer(Balancer&&) noexcept;
  Balancer& operator=(Balancer&&) noexcept;
  // Never communicates: without finish() what is pending is let go.
  ~Balancer();

  // The kernel of this name, known from now on. Local, at any time. Ranks may know different ones,
  // but should agree on the phase of one.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Hooks, local, at any time; ranks may have different ones. Whenever objects are about to move,
  // on every rank, those before in the order in which they were given: fields are as they were and
  // must keep their lengths, and what throws undoes the move on all ranks. When objects have moved,
  // those after, in the order in which they were given: fields, domains and report are new; what
  // throws is the same Error on all ranks, and the objects have moved.
  void before_move(std::function<void()> hook);
  void after_move(std::function<void(const MoveReport&)> hook);

  // Collective: the end of a step. Moves objects when it is worth it, and then every field has a
  // new length, order and storage. False: no field has changed, not even its order; domains may
  // have, when new borders leave every object where it is. An Error is the same on all ranks, and
  // leaves every field as it was, unless it comes from a hook after a move.
  MoveReport step(std::span<const Set> sets);

  // Collective: balances now, by the latest load; also the first distribution, from wherever the
  // objects are. Otherwise like step, but for counting one.
  MoveReport rebalance(std::span<const Set> sets);

  // The same for one set, given as it is or by its fields, and for several sets that share one
  // decomposition.
  template <class Container>
  requires(!std::same_as<std::remove_cvref_t<Container>, Set>) MoveReport
      step(Container&& position, Carried carried = {}, const SetOptions& options = {}) {
    return step({set(std::forward<Container>(position), std::move(carried), options)});
  }
  template <std::same_as<Set>... Sets>
  MoveReport step(const Set& first, const Sets&... others) {
    return step({first, others...});
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

  // Collective, before the first step: goes on with what an earlier run had learned, on as many
  // ranks or others; rank 0's text counts. saved_state() is local, the same on all ranks.
  void restore(const std::string& saved);
  std::string saved_state() const;

  // Collective. Completes what is pending, ends the thread and closes the journal. Once; then
  // nothing but the destructor.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  // Who owns what since the last rebalance, by whatever method; nobody anything before the first.
  const Domains& domains() const noexcept;
  // The same where it is ranges of a curve; empty with methods that make boxes.
  const Decomposition& decomposition() const noexcept;
  const Options& options() const noexcept;  // as agreed
  std::int64_t steps() const noexcept;
  Metrics metrics() const;  // of the last look
  // What the run has taken, and what it would have taken without any rebalance; after finish() of
  // all steps.
  Account account() const;

 private:
  MoveReport step(std::initializer_list<Set> sets) {
    return step(std::span<const Set>(sets.begin(), sets.size()));
  }
  MoveReport rebalance(std::initializer_list<Set> sets) {
    return rebalance(std::span<const Set>(sets.begin(), sets.size()));
  }
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
