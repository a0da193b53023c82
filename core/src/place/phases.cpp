#include "place/loads.hpp"
#include "place/stage.hpp"
#include "place/task.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/place/phases.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

std::vector<PhasedKeys> keys_of(const Prepared& prepared, PhaseCosts costs) {
  std::vector<PhasedKeys> keys;
  for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
    const Order& order = prepared.orders[s];
    keys.push_back({order.keys.span(), costs[s], order.objects.span(), order.keys.memory()});
  }
  return keys;
}

double lambda_of(const PhaseLoads& loads) {
  double mean = 0;
  for (const PhaseLoad& phase : loads.phases) mean += phase.sum / loads.parts;
  return mean > 0 ? loads.step / mean : 1;
}

// --- By their graph ------------------------------------------------------------------------------

struct AddTo {
  const double* costs;
  double* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sums[i] += costs[i]; }
};

exec::Array<double> sum_over_phases(const Prepared& prepared, const PhaseCosts& costs,
                                    std::size_t set) {
  const Space& space = prepared.space;
  exec::Array<double> sums =
      exec::filled(space, "evenkeel::place::phases", prepared.set(set).count(), 0.0);
  for (const std::span<const double> cost : costs[set])
    if (!cost.empty())
      exec::for_each(space, "evenkeel::place::phases", sums.size(),
                     AddTo{cost.data(), sums.data()});
  space.fence("evenkeel::place::phases");
  return sums;
}

// Collective. Returns the load of one phase in an assignment.
PhaseLoad load_of(const Communicator& communicator, const Prepared& prepared,
                  std::span<const double> costs, const Assignment& assignment) {
  const Loads loads = loads_by_assignment(communicator, assignment.status, prepared,
                                          Weights(&costs, 1), assignment);
  PhaseLoad load;
  load.greatest = *std::max_element(loads.weights.begin(), loads.weights.end());
  load.sum = std::accumulate(loads.weights.begin(), loads.weights.end(), 0.0);
  double heaviest = 0;
  vote(communicator, attempt(stage_name, [&] {
         if (!costs.empty())
           heaviest = exec::extremes<double>(prepared.space, std::ssize(costs),
                                             exec::ValueAt{costs.data()})
                          .greatest;
       }));
  load.heaviest = communicator.all_reduce(heaviest, Reduction::greatest);
  return load;
}

PlacedByPhases place_phases_by_graph(const Communicator& communicator, const Status& status,
                                     const Prepared& prepared, PhaseCosts costs,
                                     double target_lambda, const PlaceLimits& limits,
                                     const Domains& last) {
  OwnWeights sums;
  std::vector<PhaseLoad> phases;
  const Status summed = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    for (std::size_t s = 0; s < costs.size(); ++s) sums.add(sum_over_phases(prepared, costs, s));
    phases.reserve(costs.front().size());
  });
  PlacedByPhases placed;
  placed.allowed = place_allowed(communicator, summed, prepared, sums.of_sets(),
                                 GraphGoal{target_lambda, costs}, limits, last);
  for (const std::span<const double> cost : costs.front())
    phases.push_back(load_of(communicator, prepared, cost, placed.allowed.assignment));
  vote(communicator,
       attempt(stage_name, [&] { placed.loads = phase_loads_of(communicator.size(), phases); }));
  placed.allowed.assignment.lambda = lambda_of(placed.loads);
  return placed;
}

}  // namespace

PlacedByPhases place_phases(const Communicator& communicator, const Status& status,
                            const Prepared& prepared, PhaseCosts costs, int phases,
                            double target_lambda, const PlaceLimits& limits, const Domains& last) {
  const bool has_speeds = !unless_equal(prepared.options.speeds).empty();
  if (places_by_graph(prepared.options.method))
    return place_phases_by_graph(communicator, status, prepared, costs, target_lambda, limits,
                                 last);
  std::vector<PhasedKeys> keys;
  const Status listed = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    if (!prepared.status.ok()) throw Error(*prepared.status.error());
    if (has_speeds)
      refuse("Several phases cannot be cut along a curve by speed.",
             "Choose the method graph, add up the costs of all phases, or give no speeds.");
    keys = keys_of(prepared, costs);
  });
  const PhaseOptions options = {communicator.size(), phases, prepared.region.dimensions};
  const PhaseCut best = cut_phases({communicator, listed}, keys, options);
  PlacedByPhases placed;
  bool is_kept = false;
  const CurveDomains* const old = ranges_to_keep(prepared, options.parts, last);
  if (old != nullptr && target_lambda > 0) {
    PhaseCut now = measure_phases(communicator, keys, options, old->splitters());
    is_kept = now.loads.step <= target_lambda * best.loads.step;
    if (is_kept) placed.loads = std::move(now.loads);
  }
  OwnWeights weights;
  const Status weighed = attempt(stage_name, [&] {
    if (!is_kept) placed.loads = best.loads;
    for (exec::Array<double>& weight : phase_weights(keys, best)) weights.add(std::move(weight));
  });
  constexpr double however_even = std::numeric_limits<double>::max();
  placed.allowed = place_allowed(communicator, weighed, prepared, weights.of_sets(),
                                 EvenGoal{is_kept ? however_even : 0}, limits, last);
  placed.allowed.assignment.lambda = lambda_of(placed.loads);
  return placed;
}

}  // namespace evenkeel
