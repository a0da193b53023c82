#pragma once

// Cuts the curve into parts of equal weight, over all ranks and all sets.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/decomposition.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// One set on one rank: keys that never fall, and the weight of each.
struct WeightedKeys {
  std::span<const HilbertKey> keys;
  std::span<const double> weights;  // finite and not negative; empty: all 1
};

struct CutOptions {
  int parts = 1;
  int dimensions = 3;
  // Splitters that are kept where they cut as evenly as target_lambda; empty: none.
  Splitters kept = {};
  double target_lambda = 0;
};

struct Cut {
  Splitters splitters;
  std::vector<double> weights;  // of each part
  bool kept = false;
  EVENKEEL_API double lambda() const noexcept;  // heaviest part / average; 1 without weight
};

// Collective. Each splitter stands where the weight before it is nearest to its share, ties to the
// left. Objects of one key stay together, so a part is at most the average plus the heaviest key.
// Weights are summed as integers of at least 62 bits minus those of the count, so the result does
// not depend on how objects are spread over ranks; when all weigh nothing, all weigh the same.
// `status` is what the caller brings to the vote that this begins with.
EVENKEEL_API Cut cut(const Communicator& communicator, const Status& status,
                     std::span<const WeightedKeys> sets, const CutOptions& options);

}  // namespace evenkeel
