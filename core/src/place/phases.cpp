#include "place/method.hpp"

#include <evenkeel/core/cut/phases.hpp>
#include <evenkeel/core/place/phases.hpp>

#include <cstddef>
#include <limits>
#include <utility>
#include <variant>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/place";

std::vector<PhasedKeys> keys_of(const Prepared& prepared, PhaseCosts costs) {
  std::vector<PhasedKeys> keys;
  for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
    const Order& order = prepared.orders[s];
    keys.push_back({order.keys.span(), costs[s], order.objects.span(), order.keys.memory()});
  }
  return keys;
}

// Those whose splitters can be compared with a new cut; null if there are none. The same on all
// ranks.
const CurveDomains* comparable(const Domains& last, const Prepared& prepared, int parts) {
  const auto* curve = std::get_if<CurveDomains>(&last);
  const CurveOptions wanted = {row_of(prepared.options.method).curve, prepared.options.levels};
  const bool fits = curve != nullptr && curve->parts() == parts &&
                    curve->box() == prepared.region.box && curve->curve() == wanted;
  return fits ? curve : nullptr;
}

double lambda_of(const PhaseLoads& loads) {
  double mean = 0;
  for (const PhaseLoad& phase : loads.phases) mean += phase.sum / loads.parts;
  return mean > 0 ? loads.step / mean : 1;
}

}  // namespace

PlacedByPhases place_phases(const Communicator& communicator, const Status& status,
                            const Prepared& prepared, PhaseCosts costs, int phases,
                            double target_lambda, std::int64_t least_objects, const Domains& last) {
  std::vector<PhasedKeys> keys;
  const Status listed = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    if (!prepared.status.ok()) throw Error(*prepared.status.error());
    keys = keys_of(prepared, costs);
  });
  const PhaseOptions options = {communicator.size(), phases, prepared.region.dimensions};
  const PhaseCut best = cut_phases(communicator, listed, keys, options);
  PlacedByPhases placed;
  placed.loads = best.loads;
  bool is_kept = false;
  const CurveDomains* const old = comparable(last, prepared, options.parts);
  if (old != nullptr && target_lambda > 0) {
    PhaseCut now = measure_phases(communicator, Status(), keys, options, old->splitters());
    is_kept = now.loads.step <= target_lambda * best.loads.step;
    if (is_kept) placed.loads = std::move(now.loads);
  }
  std::vector<exec::Array<double>> weights;
  std::vector<std::span<const double>> of_sets;
  const Status weighed = attempt(stage_name, [&] {
    weights = phase_weights(keys, best);
    for (const exec::Array<double>& weight : weights) of_sets.push_back(weight.span());
  });
  constexpr double however_even = std::numeric_limits<double>::max();
  placed.allowed = place_allowed(communicator, weighed, prepared, of_sets,
                                 is_kept ? however_even : 0, least_objects, last);
  placed.allowed.assignment.lambda = lambda_of(placed.loads);
  return placed;
}

}  // namespace evenkeel
