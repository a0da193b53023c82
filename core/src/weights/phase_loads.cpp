#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

#include <algorithm>

namespace evenkeel {

PhaseLoads stages::phase_loads_of(int parts, std::span<const PhaseLoad> phases) {
  PhaseLoads loads;
  loads.parts = parts;
  loads.phases.assign(phases.begin(), phases.end());
  for (PhaseLoad& phase : loads.phases) {
    phase.lambda = std::max(1.0, lambda_of(phase.greatest, phase.sum, parts));
    phase.imbalance_percent = std::max(0.0, imbalance_percent_of(phase.greatest, phase.sum, parts));
    // By rounding, the average may exceed the greatest load.
    phase.bound = std::min(phase.greatest, std::max(phase.sum / parts, phase.heaviest));
    loads.step += phase.greatest;
    loads.bound += phase.bound;
  }
  if (loads.bound > 0) loads.shortfall_percent = 100 * (loads.step - loads.bound) / loads.bound;
  return loads;
}

}  // namespace evenkeel
