#pragma once

// The facade for codes that own boxes and move their own data: a domain per rank, of a grid of
// ranks. It learns from one number per rank, the work of its domain, and proposes new borders; the
// code moves its cells and says when they are in place.
//
//   ek::GridBalancer balancer(MPI_COMM_WORLD, {.grid = {.shape = {3, {4, 4, 4}}}, .box = box});
//   auto flow = balancer.kernel("flow");
//   while (simulation.advance()) {
//     { auto timing = flow.time(); compute_fluxes(cells); }
//     if (const auto next = balancer.step()) {
//       exchange(ek::cells_between(mesh, balancer.domains(), *next, rank));
//       balancer.accept();
//     }
//   }
//   balancer.finish();

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/monitor/advice.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// What a GridBalancer is told.
struct GridBalancerOptions {
  RankGrid grid;  // as many domains as ranks
  Box box;
  std::array<bool, 3> periodic = {};
  GridScheme scheme = GridScheme::staggered;
  GridRoundsOptions rounds = {};  // widths, cells, speeds, and how borders are found
  Options monitor = {};           // when to look, and which looks lead to a proposal
};

class EVENKEEL_API GridBalancer {
 public:
  // Collective over the communicator, which is duplicated twice. Begins with domains of equal size.
  // Rank 0's monitor options count for all; the others must be the same on all ranks. Work on cells
  // in the memory of `space` runs on that instance; default: the default instances.
  GridBalancer(const Communicator& communicator, const GridBalancerOptions& options,
               const std::optional<Space>& space = std::nullopt);
#if EVENKEEL_HAS_MPI
  GridBalancer(MPI_Comm users, const GridBalancerOptions& options,
               const std::optional<Space>& space = std::nullopt);
#endif
  GridBalancer(GridBalancer&&) noexcept;
  GridBalancer& operator=(GridBalancer&&) noexcept;
  // Never waits: without finish(), pending reductions are abandoned, and other ranks will be told.
  ~GridBalancer();

  // Returns the kernel of this name, and registers it if it is new. Local, at any time.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Collective: the end of a step. Returns domains to go on with if the time that kernels took
  // makes them worth it, nothing otherwise. A proposal that was not accepted is made again.
  std::optional<GridDomains> step(const StepOptions& how = {});
  // The same, with the centres of this rank's cells and, by .weight, the cost of each: decision and
  // account then also use the loads under other domains.
  std::optional<GridDomains> step(const Set& cells, const StepOptions& how = {});

  // Collective. Returns domains to go on with now, from the work of this rank's domain in any unit
  // that all ranks share; nothing if no better domains are in sight.
  std::optional<GridDomains> propose(double work);

  // Local, but call them on all ranks or on no rank, while a proposal is open. accept() makes the
  // proposal the decomposition; the time since propose() counts as cost. drop() discards it, with
  // what earlier rounds have learned.
  void accept();
  void drop();
  bool has_proposal() const noexcept;

  // Collective, before the first step: goes on with what an earlier run learned, on any number of
  // ranks, and counts on from its steps; rank 0's text counts. saved_state() is local and the same
  // on all ranks.
  void restore(const std::string& saved);
  std::string saved_state() const;

  // Collective. Completes what is pending, ends the thread and closes the journal. Call it once;
  // afterwards only local calls are allowed.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  // Who owns what: the decomposition that was accepted last.
  const GridDomains& domains() const noexcept;
  std::int64_t generation() const noexcept;  // of these domains
  // The domain of this rank.
  Box domain() const;
  // The ranks whose domains touch this one's at a face, an edge or a corner, in ascending order.
  std::vector<int> neighbours() const;
  // Greatest / mean of work / speed, for the most even domains so far; 0: no work is known yet.
  double best_lambda() const noexcept;
  const Options& options() const noexcept;  // as agreed
  Metrics metrics() const;                  // of the last look
  // The time the run has taken, and would have taken without any rebalance; after finish(), over
  // all steps.
  Account account() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
