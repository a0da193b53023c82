#pragma once

// The facade for codes that move their own data and whose objects are connected by a graph. It
// proposes parts of the graph. A proposal moves nothing: the code checks how much it would cut and
// move, and carries it out or drops it.
//
//   ek::GraphBalancer balancer(MPI_COMM_WORLD, {.method = {.target_lambda = 1.05}});
//   auto assembly = balancer.kernel("assembly");
//   while (simulation.advance()) {
//     { auto timing = assembly.time(); assemble(mesh); }
//     if (const auto next = balancer.step(ek::graph(offsets, neighbours))) {
//       if (next->report.cut > too_much) { balancer.drop(); continue; }
//       migrate(mesh, next->parts);
//       balancer.accept();
//     }
//   }
//   balancer.finish();

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/graph.hpp>
#include <evenkeel/monitor/monitor.hpp>

namespace evenkeel {

// The costs of vertices in a proposal.
enum class VertexCosts : int {
  measured,  // the measured load of their rank, divided in proportion to their weights
  as_given   // their weights
};

// The options of a GraphBalancer.
struct GraphBalancerOptions {
  ByGraph method = {};
  VertexCosts costs = VertexCosts::measured;
  // Decide when to look, and which looks lead to a proposal. With a limit of memory, the graph
  // needs GraphOptions::bytes. If no cut fits, a proposal before the first step is an Error, and
  // later the best cut is proposed.
  Options monitor = {};
};

// Times kernels, decides when a rebalance pays, and proposes a rank for each vertex of a graph.
class EVENKEEL_API GraphBalancer : public Facade {
 public:
  // Collective over the communicator, which is duplicated twice. Rank 0's monitor options count for
  // all ranks; the other options must be the same on all ranks. Kokkos must be running. Work on
  // memory of the kind of `space` runs on that instance, and parts are in its memory. If `space` is
  // not given, the default instance for the memory of the graph's offsets is used.
  explicit GraphBalancer(const Communicator& communicator, const GraphBalancerOptions& options = {},
                         const std::optional<Space>& space = std::nullopt);
#if EVENKEEL_HAS_MPI
  explicit GraphBalancer(MPI_Comm users, const GraphBalancerOptions& options = {},
                         const std::optional<Space>& space = std::nullopt);
#endif
  GraphBalancer(GraphBalancer&&) noexcept;
  GraphBalancer& operator=(GraphBalancer&&) noexcept;
  // Never waits. Without finish(), it abandons pending reductions and notifies the other ranks.
  ~GraphBalancer();

  // Collective; ends a step. Drops a proposal that is still open. If a rebalance pays, improves the
  // present ranks and returns a rank for each vertex of the graph. Otherwise, or if no vertex would
  // move, returns nothing. If no rebalance pays, step() reads only the number of vertices, and
  // now and then their weights: in a deterministic run, in the first step, after each rebalance, in
  // steps with StepOptions::changed, and in steps that may move after several that may not. With a
  // limit of memory, it reads their bytes at each look.
  std::optional<GraphCut> step(const Graph& graph, const StepOptions& how = {});

  // Collective. Proposes ranks now, by the latest load, and replaces an open proposal. If `method`
  // is given, it overrides the method of the options, for example to try again after a proposal was
  // dropped. The cut begins from the present ranks, unless `from_nothing` is true.
  GraphCut propose(const Graph& graph, const std::optional<ByGraph>& method = std::nullopt,
                   bool from_nothing = false);

  // Call one of these while a proposal is open, on all ranks or on no rank. Both are local.
  // accept() reports that all vertices are on their proposed ranks; drop() discards the proposal.
  // In both cases the time since the proposal was requested counts as cost of a rebalance.
  void accept();
  void drop();
  bool has_proposal() const noexcept;

  // --- Local -------------------------------------------------------------------------------------

  std::int64_t generation() const noexcept;  // the number of proposals that were accepted

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
