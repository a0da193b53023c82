// The stages of a cut of nets: read the nets, spread them over the ranks that have pins, expand
// them into a graph, cut the graph with the nets as its companion, report.

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/core/graph/nets.hpp>

#include "graph/cut/multilevel.hpp"
#include "graph/nets/refine.hpp"
#include "graph/nets/steps.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <optional>
#include <utility>

namespace evenkeel {

namespace graphs {

namespace {

struct RealAt {
  const double* weights;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t e) const {
    return static_cast<std::int64_t>(weights[e]);
  }
};

// The numbers and total weights of nets and edges, from which means are computed.
struct Means {
  std::int64_t nets, net_weights, edges, edge_weights, duplicates;
  double ratio() const {
    if (nets == 0 || edges == 0 || edge_weights == 0) return 1;
    return static_cast<double>(net_weights) / static_cast<double>(nets) /
           (static_cast<double>(edge_weights) / static_cast<double>(edges));
  }
};
void add_means(Means& into, const Means& from) noexcept {
  into.nets += from.nets;
  into.net_weights += from.net_weights;
  into.edges += from.edges;
  into.edge_weights += from.edge_weights;
  into.duplicates += from.duplicates;
}

}  // namespace

}  // namespace graphs

NetCut stages::cut_nets(const Space& space, const Communicator& communicator, const Nets& nets,
                        const GraphCutOptions& options, const ByGraph& method) {
  using namespace graphs;
  const exec::Region shown("evenkeel::nets");
  NetsGiven given = given_nets(space, communicator, nets, options, method);
  const int parts = options.parts > 0 ? options.parts : communicator.size();

  Tidied tidy;
  Means mine = {};
  Status ready = attempt(stage_name, [&] {
    tidy = tidied(space, given.offsets, given.pins, given.weights);
    mine.nets = given.count();
    mine.net_weights =
        exec::sum<std::int64_t>(space, given.count(), exec::ValueAt{given.weights.data()});
    mine.duplicates = tidy.duplicates;
  });
  std::optional<NetCompanion> companion;
  NetLevel level = spread(communicator, ready, space, given.objects.owned, std::move(tidy.nets));
  ready = attempt(stage_name, [&] {
    expand(space, communicator.rank(), level, given.objects);
    companion.emplace(communicator, std::move(level));
    mine.edges = given.objects.rows.weights.size();
    mine.edge_weights =
        exec::sum<std::int64_t>(space, mine.edges, RealAt{given.objects.rows.weights.data()});
  });
  const Means all = vote<&add_means>(communicator, ready, mine);

  GraphRead read = read_given(space, communicator, given.objects, method.moving_cost * all.ratio());
  given.objects.rows.columns = {};
  given.objects.rows.weights = {};
  GraphCut by_graph = cut_read(communicator, read, parts,
                               {method.effort, method.target_lambda, unless_equal(options.speeds),
                                &options.progress, &*companion});
  NetCut cut;
  cut.report = net_report(space, communicator, given, by_graph.parts, parts);
  cut.report.duplicates = all.duplicates;
  cut.report.lambda = std::move(by_graph.report.lambda);
  cut.report.bound = std::move(by_graph.report.bound);
  cut.report.moved = by_graph.report.moved;
  cut.report.moved_weight = by_graph.report.moved_weight;
  cut.report.least_moved_weight = by_graph.report.least_moved_weight;
  cut.report.empty = by_graph.report.empty;
  cut.parts = std::move(by_graph.parts);
  return cut;
}

}  // namespace evenkeel
