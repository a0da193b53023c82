#pragma once

// The load that each rank would have in an assignment. Weights are summed as integers, so the sums
// are the same on any number of ranks and threads.

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel {

struct Loads {
  std::vector<double> weights;        // by rank; number of objects if all weights are 0
  std::vector<std::int64_t> objects;  // number of objects, by rank
  // With speeds of the ranks, or of the parts, it compares times.
  double lambda(std::span<const double> speeds) const noexcept {
    return lambda_of(weights, speeds);
  }
};

// Collective. Returns the loads if each object goes to its part in `parts`. Part p is rank p, and
// bonds are ignored.
Loads loads_by_object(const Communicator& communicator, const Status& status,
                      const Prepared& prepared, Weights weights,
                      const std::vector<exec::Array<int>>& parts);

// Collective. Returns the loads of an assignment, including its bonds.
Loads loads_by_assignment(const Communicator& communicator, const Status& status,
                          const Prepared& prepared, Weights weights, const Assignment& assignment);

}  // namespace evenkeel
