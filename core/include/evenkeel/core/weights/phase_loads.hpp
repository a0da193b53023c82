#pragma once

// How even a step of several phases is. Several solvers run one after the other in a step, and all
// ranks wait for each other between two of them. So a step takes, for each phase, as long as the
// rank with the greatest load of that phase.

#include <evenkeel/backends/config.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// The loads of all parts in one phase.
struct PhaseLoad {
  double greatest = 0;  // of a part
  double sum = 0;       // of all parts
  double heaviest = 0;  // object
  // These follow from the above; load.hpp defines the first two. The bound is the average or the
  // heaviest object, whichever is more: no division into parts has a smaller greatest load.
  double lambda = 1;
  double imbalance_percent = 0;
  double bound = 0;
};

struct PhaseLoads {
  int parts = 1;
  std::vector<PhaseLoad> phases;
  double step = 0;   // the sum over phases of the greatest load
  double bound = 0;  // the sum over phases of the bound
  // How much longer a step takes than the bound. A cut into contiguous parts may have to fall
  // short: where phases lie in different places, no such cut is even in all of them.
  double shortfall_percent = 0;
};

// From the greatest load, the sum and the heaviest object of each phase.
EVENKEEL_API PhaseLoads phase_loads_of(int parts, std::span<const PhaseLoad> phases);

}  // namespace evenkeel
