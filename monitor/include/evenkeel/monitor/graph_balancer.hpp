#pragma once

// The facade for codes whose objects are connected and that move their own data: it proposes parts
// of their graph. The code looks at what a proposal would cut and move, and carries it out or drops
// it; nothing has moved before.
//
//   ek::GraphBalancer balancer(MPI_COMM_WORLD, {.method = {.tolerance = 0.05}});
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
#include <evenkeel/monitor/advice.hpp>
#include <evenkeel/monitor/metrics.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// What vertices cost in a proposal.
enum class VertexCosts : int {
  measured,  // together what their rank has measured, in proportion of their weights
  as_given   // their weights
};

// What a GraphBalancer is told.
struct GraphBalancerOptions {
  ByGraph method = {};
  VertexCosts costs = VertexCosts::measured;
  Options monitor = {};  // when to look, and which looks lead to a proposal
};

class EVENKEEL_API GraphBalancer {
 public:
  // Collective over the communicator, which is duplicated twice. Rank 0's monitor options count for
  // all; the others must be the same on all ranks. Kokkos must be running. Work on the memory of
  // `space` runs on that instance, and parts are in its memory; default: the default instance for
  // the memory that the offsets of a graph are in.
  explicit GraphBalancer(const Communicator& communicator, const GraphBalancerOptions& options = {},
                         const std::optional<Space>& space = std::nullopt);
#if EVENKEEL_HAS_MPI
  explicit GraphBalancer(MPI_Comm users, const GraphBalancerOptions& options = {},
                         const std::optional<Space>& space = std::nullopt);
#endif
  GraphBalancer(GraphBalancer&&) noexcept;
  GraphBalancer& operator=(GraphBalancer&&) noexcept;
  // Never waits: without finish(), pending reductions are abandoned, and other ranks will be told.
  ~GraphBalancer();

  // Returns the kernel of this name, and registers it if it is new. Local, at any time.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});

  // Collective: the end of a step. Returns a rank for each vertex of the graph, which go on from
  // the present ones, if the time that kernels took makes them worth it; nothing otherwise, or when
  // no vertex would move. The graph is read only then. A proposal that is still open is dropped.
  std::optional<GraphCut> step(const Graph& graph, const StepOptions& how = {});

  // Collective. Proposes ranks now, by the latest load, by another method than that of the options
  // if one is given: to try again, say, what did not suit. Takes the place of an open proposal.
  // From the present ranks, or from nothing.
  GraphCut propose(const Graph& graph, const std::optional<ByGraph>& method = std::nullopt,
                   bool from_nothing = false);

  // Local, but to be called on all ranks or none, while a proposal is open: all vertices are where
  // it wanted them, or it is not carried out. The time since it was asked for counts as cost.
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

  std::int64_t generation() const noexcept;  // the number of proposals that were accepted
  const Options& options() const noexcept;   // as agreed
  Metrics metrics() const;                   // of the last look
  // The time the run has taken, and would have taken without any rebalance; after finish(), over
  // all steps.
  Account account() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
