#pragma once

// The load that each rank would carry in an assignment: sums of whole numbers, the same on any
// number of ranks and threads.

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel {

struct Loads {
  std::vector<double> weights;        // of each rank; if all weights are 0, the number of objects
  std::vector<std::int64_t> objects;  // of each rank
  double lambda() const noexcept { return lambda_of(weights); }
};

// Collective. The loads by the part of each object of each set; part p is rank p, and bonds are
// ignored.
Loads loads_by_object(const Communicator& communicator, const Status& status,
                      const Prepared& prepared, Weights weights,
                      const std::vector<exec::Array<int>>& parts);

// Collective. The loads by an assignment and its bonds.
Loads loads_by_assignment(const Communicator& communicator, const Status& status,
                          const Prepared& prepared, Weights weights, const Assignment& assignment);

}  // namespace evenkeel
