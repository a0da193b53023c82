#pragma once

// Two ways to distribute nodes. BySteps uses a Balancer that does all by itself. ByProposals checks
// proposals before anything moves. Call either at the end of each step; both time kernels.

#include "nodes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct SharingOptions {
  ek::Options monitor = {};
  bool costs_layers = false;  // a node costs its number of layers; if false, its cost is learned
  Guard guard = Guard::marks;
  std::int64_t least_nodes = 1;  // a proposed part must have at least these
};

struct Moved {
  std::int64_t nodes = 0;  // over all ranks
  int refused = 0;         // proposals that were not carried out
  bool knew_edges = true;  // the cut used the weights and marks of edges
  explicit operator bool() const { return nodes > 0; }
};

// The default: a Balancer that decides, cuts and moves.
class BySteps {
 public:
  BySteps(const ek::Communicator& ranks, const SharingOptions& options)
      : options_(options), balancer_(ranks, with_method(options.monitor)) {}

  ek::Kernel kernel(const std::string& name) { return balancer_.kernel(name); }
  const ek::Domains& domains() const { return balancer_.domains(); }
  Moved rebalance(Nodes& nodes) { return {balancer_.rebalance(set_of(nodes)).objects}; }
  Moved step(Nodes& nodes, const ek::StepOptions& how) {
    return {balancer_.step(set_of(nodes), how).objects};
  }
  void finish() { balancer_.finish(); }
  ek::Account account() const { return balancer_.account(); }

 private:
  static ek::Options with_method(ek::Options options) {
    options.method = ek::ByGraph{.effort = ek::Effort::good, .target_lambda = 1.05};
    return options;
  }
  // The arrays that move together. The layers of a node are either its cost, or a feature whose
  // cost the Balancer learns.
  ek::Set set_of(Nodes& nodes) const {
    ek::SetOptions about = nodes.set_options();
    about.graph = nodes.graph(options_.guard);
    (options_.costs_layers ? about.weight : about.features) = nodes.layers;
    return ek::set(nodes.x, nodes.cargo(), about);
  }

  SharingOptions options_;
  ek::Balancer balancer_;
};

// The first proposal may have very uneven parts, so that borders have room to stay away from poor
// elements. If a part would have too few nodes, the next proposal must be more even. The last
// proposal ignores the weights and marks of edges. (Fluidity does so with Zoltan.)
class ByProposals {
 public:
  ByProposals(const ek::Communicator& ranks, const SharingOptions& options)
      : ranks_(ranks),
        guard_(options.guard),
        least_nodes_(options.least_nodes),
        balancer_(ranks, {.method = {.target_lambda = targets.front()},
                          .costs = options.costs_layers ? ek::VertexCosts::as_given
                                                        : ek::VertexCosts::measured,
                          .monitor = options.monitor}) {}

  ek::Kernel kernel(const std::string& name) { return balancer_.kernel(name); }
  const ek::Domains& domains() const { return no_domains_; }
  Moved rebalance(Nodes& nodes) {
    const bool is_first = balancer_.generation() == 0;
    return carry_out(nodes, balancer_.propose(weighed(nodes), std::nullopt, is_first));
  }
  Moved step(Nodes& nodes, const ek::StepOptions& how) {
    const std::optional<ek::GraphCut> next = balancer_.step(weighed(nodes), how);
    return next ? carry_out(nodes, *next) : Moved();
  }
  void finish() { balancer_.finish(); }
  ek::Account account() const { return balancer_.account(); }

 private:
  static constexpr std::array<double, 5> targets = {1.5, 1.35, 1.2, 1.1, 1.075};

  ek::Graph weighed(const Nodes& nodes) const { return nodes.graph(guard_, nodes.layers); }

  // Collective. The number of nodes that the smallest part would have.
  std::int64_t least_of(const std::vector<int>& parts) const {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks_.size()));
    for (const int part : parts) ++counts[static_cast<std::size_t>(part)];
    ranks_.all_reduce(std::span<std::int64_t>(counts), ek::Reduction::sum);
    return *std::min_element(counts.begin(), counts.end());
  }

  Moved carry_out(Nodes& nodes, const ek::GraphCut& first) {
    std::vector<int> parts = first.parts.on_host();
    Moved moved;
    for (std::size_t next = 1; moved.knew_edges && least_of(parts) < least_nodes_; ++next) {
      moved.knew_edges = next < targets.size();
      const ek::ByGraph method{.target_lambda = targets[std::min(next, targets.size() - 1)]};
      const ek::Graph graph =
          moved.knew_edges ? weighed(nodes) : nodes.graph(Guard::none, nodes.layers);
      parts = balancer_.propose(graph, method).parts.on_host();
      ++moved.refused;
    }
    const std::span<const int> ranks_of_nodes[] = {parts};
    const ek::Set set = ek::set(nodes.x, nodes.cargo(), nodes.set_options());
    const std::span<const ek::Set> sets(&set, 1);
    const std::vector<ek::stages::SetShape> shapes = ek::stages::agree_on_sets(ranks_, sets);
    const ek::stages::Plan plan = ek::stages::plan_to(ranks_, ranks_of_nodes, sets);
    moved.nodes = plan.objects_moved;
    if (moved) ek::stages::move(ranks_, sets, shapes, plan);
    balancer_.accept();
    return moved;
  }

  const ek::Communicator& ranks_;
  Guard guard_;
  std::int64_t least_nodes_;
  ek::GraphBalancer balancer_;
  ek::Domains no_domains_;
};
