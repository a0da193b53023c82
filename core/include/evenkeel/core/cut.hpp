#pragma once

// Cuts the curve into parts of equal weight, over all ranks and all sets, without sorting.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/domains/curve.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// One set on one rank. Keys may stand in any order. A cut costs least when the keys are in host
// memory and never fall, neither within a rank nor from one rank to the next.
struct WeightedKeys {
  std::span<const CurveKey> keys;
  std::span<const double> weights = {};  // finite and not negative; empty: all 1
  MemoryKind memory = MemoryKind::host;  // of keys and weights; the same for all sets of a rank
};

// Where splitters go.
enum class Aim : int {
  // Each splitter goes where the weight before it is nearest to its share; ties go to the left. No
  // part weighs more than the average plus the heaviest key.
  nearest,
  // Each splitter stays as soon as it is so near its share that no part can exceed target_lambda;
  // where the heaviest key prevents that, it goes where `nearest` puts it. Takes the fewest
  // reductions.
  target,
  // The heaviest part is as light as possible; under that condition each splitter, from the left,
  // is nearest to its share, as in chain.hpp but over all keys. Rank 0 gets every key that could
  // matter.
  optimal
};

// The same on all ranks.
struct CutOptions {
  int parts = 1;
  int dimensions = 3;
  // Splitters that are kept where they cut as evenly as target_lambda; empty: none.
  Splitters kept = {};
  double target_lambda = 0;
  Aim aim = Aim::nearest;
  // At least 1: splitters to keep that are not even enough are shifted, each as core/cut/shift.hpp
  // says, with this penalty; the aim is then `nearest`. 0: they are dropped for new ones.
  double shift_penalty = 0;
  // An upper bound of the number of objects on all ranks, or 0 if unknown. A cut of few objects
  // then takes less memory.
  std::int64_t most_objects = 0;
};

struct Cut {
  Splitters splitters;
  std::vector<double> weights;  // of each part
  bool kept = false;
  double heaviest_object = 0;      // its weight; more than the average bounds lambda from below
  int reductions = 0;              // over all ranks, in this cut
  std::int64_t bytes_reduced = 0;  // in these reductions, by each rank
  EVENKEEL_API double lambda() const noexcept;  // heaviest part / average; 1 without weight
};

// Collective. Objects with the same key stay together. Weights are summed as integers of at least
// 62 bits minus the bits of the object count, so the result does not depend on how objects are
// spread over ranks and threads; when all weights are 0, all objects weigh the same. Without
// objects the curve is cut evenly. The call begins with a vote, to which the caller contributes
// `status`.
EVENKEEL_API Cut cut(const Communicator& communicator, const Status& status,
                     std::span<const WeightedKeys> sets, const CutOptions& options);

// Collective. The rank that should get each part; there are as many parts as ranks. A part goes to
// a rank that already holds many of its objects, the strongest claims first. Part p stays with rank
// p, and the result is empty, unless another order leaves clearly more objects where they are.
// `status` as in cut().
EVENKEEL_API std::vector<int> keep_in_place(const Communicator& communicator, const Status& status,
                                            std::span<const WeightedKeys> sets,
                                            const Splitters& splitters);

}  // namespace evenkeel
