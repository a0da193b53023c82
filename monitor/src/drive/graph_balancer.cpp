#include <evenkeel/monitor/graph_balancer.hpp>

#include "costs/load_forecast.hpp"
#include "drive/facade.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/graph/check.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/bytes.hpp>

namespace evenkeel {

namespace {

constexpr const char* graph_stage = "monitor/graph_balancer";

std::int64_t vertices_of(const Graph& graph) {
  const OwnedCount& count = graph.options().count;
  if (count.given()) return std::max<std::int64_t>(count.value(), 0);
  return graph.offsets().given() ? std::max<std::int64_t>(graph.offsets().layout().count - 1, 0)
                                 : 0;
}

}  // namespace

struct GraphBalancer::Impl : BalancerMembers {
  Impl(BalancerTerms terms, const GraphBalancerOptions& options)
      : BalancerMembers(std::move(terms), graph_stage),
        method_(options.method),
        costs_(options.costs) {
    check(method_);
  }

  std::optional<GraphCut> step(const Graph& graph, const StepOptions& how);
  GraphCut propose(const Graph& graph, const std::optional<ByGraph>& method, bool from_nothing,
                   bool frees_memory);
  // If `accepts` is true, the application has carried out the proposal; otherwise it is dropped.
  void end_proposal(bool accepts);
  // The space that the application has chosen or, if it has not chosen one, the default space for
  // the graph's memory.
  Space space_for(const Graph& graph) const {
    if (engine_.space()) return *engine_.space();
    const bool is_given = graph.offsets().given();
    return Space::where(is_given ? graph.offsets().layout().memory : MemoryKind::host);
  }

  // The sum of the weights of vertices, or their number without weights. It is 0 for an invalid
  // graph.
  double weight_in(const Graph& graph) const {
    double weight = 0;
    static_cast<void>(attempt(graph_stage, [&] { weight = weight_of(space_for(graph), graph); }));
    return weight;
  }

  // The data of a proposal that accept() reports to the monitor.
  struct Proposal {
    std::int64_t vertices = 0;  // number of vertices that move
    double lambda = 1;
    std::int64_t asked_at = 0;  // reading of now_()
  };

  ByGraph method_;
  VertexCosts costs_;
  LoadForecast forecast_;
  std::optional<Proposal> proposal_;
  std::int64_t generation_ = 0;
};

std::optional<GraphCut> GraphBalancer::Impl::step(const Graph& graph, const StepOptions& how) {
  if (proposal_) end_proposal(false);
  const auto weight = [&] { return weight_in(graph); };
  if (engine_.options().deterministic) engine_.set_load(weight());  // at each step, for the account
  const bool predicts = engine_.predicts(how), looks = engine_.next_step_looks() || predicts;
  const auto forecast = [&] { return forecast_.of(ranks_, weight(), engine_.measured().last); };
  forecast_.end_step(how.changed, graph.options().weight.given(), weight);
  Status measured;
  if (looks && memory_.is_limited())
    measured = attempt(graph_stage, [&] {
      const double bytes = bytes_of_all_vertices(space_for(graph), graph);
      engine_.set_memory(memory_.at_look(ranks_.rank(), bytes, engine_.steps() + 1));
    });
  const auto inspect = [&] { return measured; };
  const Advice advice =
      engine_.step(vertices_of(graph), how, std::cref(inspect),
                   predicts ? Engine::Forecast(std::cref(forecast)) : Engine::Forecast());
  if (looks) forecast_.end_epoch(engine_.measured().last);
  if (!advice) return std::nullopt;
  GraphCut cut = propose(graph, std::nullopt, false, advice.frees_memory);
  if (proposal_->vertices > 0) return cut;
  end_proposal(false);
  return std::nullopt;
}

// Collective.
GraphCut GraphBalancer::Impl::propose(const Graph& graph, const std::optional<ByGraph>& method,
                                      bool from_nothing, bool frees_memory) {
  engine_.meet_for_rebalance("propose");
  const std::int64_t asked_at = proposal_ ? proposal_->asked_at : now_();
  GraphCutOptions cutting;
  exec::Array<int> here;
  double bytes = 0;
  const Status ready = attempt(graph_stage, [&] {
    here = exec::filled(space_for(graph), "evenkeel::graph_balancer::ranks", vertices_of(graph),
                        ranks_.rank());
    cutting.speeds = engine_.options().speeds;
    cutting.memory.assign(memory_.limits().begin(), memory_.limits().end());
    if (memory_.is_limited()) bytes = bytes_of_all_vertices(space_for(graph), graph);
  });
  const std::int64_t load = engine_.measured().load;  // a time
  const std::int64_t loads = require_same_generation(ranks_, ready, graph_stage, generation_, load);
  if (!from_nothing) cutting.from = here;
  if (costs_ == VertexCosts::measured && loads > 0)
    cutting.load = static_cast<double>(load) * engine_.speed();
  if (memory_.is_limited()) {
    const double most_share = memory_.most_share(ranks_, bytes, frees_memory);
    for (double& limit : cutting.memory) limit *= most_share;
  }
  GraphCut cut = cut_graph(space_for(graph), ranks_, graph, cutting, method.value_or(method_));
  const GraphReport& report = cut.report;
  if (memory_.is_limited()) memory_.judge(ranks_.rank(), report.bytes, !engine_.has_begun());
  proposal_ = Proposal{std::llround(report.moved * static_cast<double>(report.vertices)),
                       *std::max_element(report.lambda.begin(), report.lambda.end()), asked_at};
  return cut;
}

void GraphBalancer::Impl::end_proposal(bool accepts) {
  require_proposal(proposal_.has_value(), graph_stage, accepts ? "accept" : "drop");
  const Proposal ended = *std::exchange(proposal_, std::nullopt);
  Outcome outcome;
  outcome.moved = accepts;
  outcome.seconds = static_cast<double>(now_() - ended.asked_at) * 1e-9;
  if (accepts) {
    ++generation_;
    forecast_.forget_amount();
    outcome.objects_moved = ended.vertices;
    outcome.lambda = ended.lambda;
  }
  engine_.rebalanced(outcome);
  memory_.rebalanced(engine_.steps(), accepts);
}

GraphBalancer::GraphBalancer(const Communicator& communicator, const GraphBalancerOptions& options,
                             const std::optional<Space>& space)
    : impl_(opened<Impl>(require_kokkos(communicator, graph_stage, "GraphBalancer"),
                         options.monitor, space, options)) {
  engine_ = &impl_->engine_;
}
#if EVENKEEL_HAS_MPI
GraphBalancer::GraphBalancer(MPI_Comm users, const GraphBalancerOptions& options,
                             const std::optional<Space>& space)
    : GraphBalancer(Communicator(users), options, space) {}
#endif
GraphBalancer::GraphBalancer(GraphBalancer&&) noexcept = default;
GraphBalancer& GraphBalancer::operator=(GraphBalancer&&) noexcept = default;
GraphBalancer::~GraphBalancer() = default;

std::optional<GraphCut> GraphBalancer::step(const Graph& graph, const StepOptions& how) {
  return engine_->run([&] { return impl_->step(graph, how); });
}
GraphCut GraphBalancer::propose(const Graph& graph, const std::optional<ByGraph>& method,
                                bool from_nothing) {
  return engine_->run([&] { return impl_->propose(graph, method, from_nothing, false); });
}
void GraphBalancer::accept() {
  engine_->run([&] { impl_->end_proposal(true); });
}
void GraphBalancer::drop() {
  engine_->run([&] { impl_->end_proposal(false); });
}
bool GraphBalancer::has_proposal() const noexcept { return impl_->proposal_.has_value(); }
std::int64_t GraphBalancer::generation() const noexcept { return impl_->generation_; }

}  // namespace evenkeel
