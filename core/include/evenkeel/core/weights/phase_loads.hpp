#pragma once

// Says how even a step of several phases is. Several solvers run one after the other in such a
// step, and all ranks wait for each other between two of them. So each phase takes as long as the
// rank that has the greatest load in it.

#include <evenkeel/backends/config.hpp>

#include <span>
#include <vector>

namespace evenkeel::stages {

// The loads of all parts in one phase.
struct PhaseLoad {
  double greatest = 0;  // of a part
  double sum = 0;       // of all parts
  double heaviest = 0;  // of an object
  // These follow from the numbers above; load.hpp defines lambda and the imbalance. The bound is
  // the average load of a part or the heaviest object, whichever is greater. No division into parts
  // has a smaller greatest load.
  double lambda = 1;
  double imbalance_percent = 0;
  double bound = 0;
};

// The loads of all phases of a step.
struct PhaseLoads {
  int parts = 1;
  std::vector<PhaseLoad> phases;
  double step = 0;   // the sum over phases of the greatest load
  double bound = 0;  // the sum over phases of the bound
  // 100 (step - bound) / bound. If the phases have their loads in different places, no cut into
  // contiguous parts is even in all phases. Then even the best cut may have a shortfall above 0.
  double shortfall_percent = 0;
};

// Computes the other numbers from the greatest load, the sum and the heaviest object of each phase.
EVENKEEL_API PhaseLoads phase_loads_of(int parts, std::span<const PhaseLoad> phases);

}  // namespace evenkeel::stages
