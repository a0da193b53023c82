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
//       exchange(ek::cells_between(mesh, balancer.decomposition(), *next, rank));
//       balancer.accept();
//     }
//   }
//   balancer.finish();

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/grid/grid_decomposition.hpp>
#include <evenkeel/core/grid/rounds.hpp>
#include <evenkeel/core/grid/shape.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/monitor/account.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {

struct GridBalancerOptions {
  RankGrid grid;  // as many domains as ranks
  Box box;
  std::array<bool, 3> periodic = {};
  GridScheme scheme = GridScheme::staggered;
  GridRoundsOptions rounds = {};  // widths, cells, speeds, and how borders are found
  Options monitor = {};           // when to look, and what makes a look a proposal
};

class EVENKEEL_API GridBalancer {
 public:
  // Collective over the communicator, which is duplicated twice. Begins with domains of equal size.
  // Rank 0's monitor options count for all; the others must be the same on all ranks.
  GridBalancer(const Communicator& communicator, const GridBalancerOptions& options);
#if EVENKEEL_HAS_MPI
  GridBalancer(MPI_Comm users, const GridBalancerOptions& options);
#endif
  GridBalancer(GridBalancer&&) noexcept;
  GridBalancer& operator=(GridBalancer&&) noexcept;
  // Never communicates: without finish() what is pending is let go.
  ~GridBalancer();

  // The kernel of this name, known from now on. Local, at any time.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Collective: the end of a step. Domains to go on with, where that is worth it by the time that
  // kernels took; nothing otherwise. What is proposed and not accepted is proposed again.
  std::optional<GridDecomposition> step();
  // The same, with the centres of this rank's cells and, by .weight, what each costs: then it is
  // known what would have been under other domains, for the decision and for the account.
  std::optional<GridDecomposition> step(const Set& cells);

  // Collective. Domains to go on with, now, by the work of this rank's domain in any unit that all
  // ranks share; nothing while nothing better is in sight.
  std::optional<GridDecomposition> propose(double work);

  // Local, on all ranks alike: the last proposal is how things are from now on.
  void accept();

  // Collective, before the first step: goes on with what an earlier run had learned, on as many
  // ranks or others; rank 0's text counts. saved_state() is local, the same on all ranks.
  void restore(const std::string& saved);
  std::string saved_state() const;

  // Collective. Completes what is pending, ends the thread and closes the journal. Once; then
  // nothing but the destructor.
  void finish();

  // --- Local -------------------------------------------------------------------------------------

  // Who owns what: the last that was accepted.
  const GridDecomposition& decomposition() const noexcept;
  // Of this rank.
  Box domain() const;
  // The ranks whose domains touch this one's at a face, an edge or a corner, in ascending order.
  std::vector<int> neighbours() const;
  // Greatest / mean work, by speeds, of the most even domains that there have been; 0: none yet.
  double best_lambda() const noexcept;
  const Options& options() const noexcept;  // as agreed
  Metrics metrics() const;                  // of the last look
  // What the run has taken, and what it would have taken without any rebalance; after finish() of
  // all steps.
  Account account() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
