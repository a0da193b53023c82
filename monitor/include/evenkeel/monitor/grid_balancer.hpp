#pragma once

// The facade for codes that move their own data and whose ranks own the boxes of a grid or of a
// bisection, cells of a power diagram, or hexahedra of a mesh. For a bisection, it learns from the
// work of cells; otherwise from one number per rank, the work of its domain. It proposes new
// domains. The code moves its cells and reports when they are in place.
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
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/place/method.hpp>
#include <evenkeel/monitor/monitor.hpp>

namespace evenkeel {

// The options of a GridBalancer.
struct GridBalancerOptions {
  RankGrid grid;  // as many domains as ranks
  Box box;
  std::array<bool, 3> periodic = {};
  GridScheme scheme = GridScheme::staggered;
  GridRoundsOptions rounds = {};  // widths, cells, speeds, and the rule by which borders are found
  // If set, domains are the boxes of a recursive bisection, for any number of ranks. It is cut from
  // the work of cells, so step() and propose() need the cells. Then only the dimensions and
  // rank_of_part count in `grid`, and the speeds, widths and cells in `rounds`.
  std::optional<RecursiveBisection> bisection = std::nullopt;
  // If one of these is set, domains are the cells of a power diagram, or the hexahedra of a mesh.
  // The dimensions and rank_of_part count in `grid`, and the speeds and the noise in `rounds`; for
  // a mesh, also its widths. The centres of work help much. Set at most one of bisection, voronoi
  // and mesh.
  std::optional<Voronoi> voronoi = std::nullopt;
  std::optional<Mesh> mesh = std::nullopt;
  Options monitor = {};  // decide when to look, and which looks lead to a proposal
};

// Times kernels, decides when a rebalance pays, and proposes new domains.
class EVENKEEL_API GridBalancer : public Facade {
 public:
  // Collective over the communicator, which is duplicated twice. Begins with domains of equal size,
  // or in proportion to the speeds unless they are those of a grid. Cells and hexahedra have only
  // about this size.
  // Rank 0's monitor options count for all ranks; the other options must be the same on all ranks.
  // If `space` is given, work on cells in memory of its kind runs on that instance. Other work runs
  // on the default instances.
  GridBalancer(const Communicator& communicator, const GridBalancerOptions& options,
               const std::optional<Space>& space = std::nullopt);
#if EVENKEEL_HAS_MPI
  GridBalancer(MPI_Comm users, const GridBalancerOptions& options,
               const std::optional<Space>& space = std::nullopt);
#endif
  GridBalancer(GridBalancer&&) noexcept;
  GridBalancer& operator=(GridBalancer&&) noexcept;
  // Never waits. Without finish(), it abandons pending reductions and notifies the other ranks.
  ~GridBalancer();

  // Collective; ends a step. If a rebalance pays, returns new domains, or a proposal that is still
  // open. Otherwise returns nothing.
  std::optional<Domains> step(const StepOptions& how = {});
  // The same, but also takes the centres of this rank's cells and, as .weight, the cost of each.
  // Then the decision and the account also use the loads that ranks would have under other domains.
  // For a bisection, the measured load of a rank is distributed over its cells by these costs. For
  // a power diagram or a mesh, they give the centre of work.
  std::optional<Domains> step(const Set& cells, const StepOptions& how = {});
  // The same without cells, for a power diagram or a mesh. `centre` is the mean place of this
  // rank's work: the sum of work x place, divided by the work. Places are inside the box, also on
  // periodic axes.
  std::optional<Domains> step(const std::array<double, 3>& centre, const StepOptions& how = {});

  // Collective. Returns new domains now, or nothing if no better domains are known. `work` is the
  // work of this rank's domain, in any unit that all ranks share; with speeds, its time x its
  // speed. A proposal that is still open is returned again.
  std::optional<Domains> propose(double work);
  // The same for a power diagram or a mesh, with the centre of this work, as in step().
  std::optional<Domains> propose(double work, const std::array<double, 3>& centre);
  // The same for all domains but those of a grid. The weights of cells are their work; without
  // weights, it is 1.
  std::optional<Domains> propose(const Set& cells);

  // Call one of these while a proposal is open, on all ranks or on no rank. Both are local.
  // accept() makes the proposal the decomposition. drop() discards the proposal and, for a grid,
  // all that earlier rounds have learned. In both cases the time since the proposal was made counts
  // as cost of a rebalance.
  void accept();
  void drop();
  bool has_proposal() const noexcept;

  // --- Local -------------------------------------------------------------------------------------

  // The decomposition that was accepted last.
  const Domains& domains() const noexcept;
  std::int64_t generation() const noexcept;  // of these domains
  // The domain of this rank, or the box around it if it is no box. Throws an Error if a cell of a
  // power diagram or a hexahedron has no place.
  Box domain() const;
  // The ranks whose domains touch this rank's domain at a face, an edge or a corner, in ascending
  // order.
  std::vector<int> neighbours() const;
  // The greatest work / speed divided by the mean, for the most even domains so far, or for the
  // latest bisection. It is 0 if no work is known yet.
  double best_lambda() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
