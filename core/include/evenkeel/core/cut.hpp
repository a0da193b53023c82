#pragma once

// Cuts the curve into parts of equal weight, over all ranks and all sets, without sorting.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/decomposition.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// One set on one rank. Keys may stand in any order; where they are in the host's memory and never
// fall from one to the next, on each rank and from rank to rank, a cut costs least.
struct WeightedKeys {
  std::span<const CurveKey> keys;
  std::span<const double> weights = {};  // finite and not negative; empty: all 1
  MemoryKind memory = MemoryKind::host;  // that both are in; the same for all sets of a rank
};

// Where splitters go.
enum class Aim : int {
  // Each where the weight before it is nearest to its share, ties to the left. A part is at most
  // the average plus the heaviest key.
  nearest,
  // As soon as a splitter is known to be so near that no part can exceed target_lambda, it stays
  // there; where the heaviest key does not allow it, as for `nearest`. Takes the fewest reductions.
  target,
  // The heaviest part as light as it can be, and under that each splitter, from the left, nearest
  // to its share: chain.hpp over all keys. Rank 0 gets every key that could matter.
  optimal
};

struct CutOptions {
  int parts = 1;
  int dimensions = 3;
  // Splitters that are kept where they cut as evenly as target_lambda; empty: none.
  Splitters kept = {};
  double target_lambda = 0;
  Aim aim = Aim::nearest;
  // Over all ranks, where that is known before: for few objects less memory is taken. 0: unknown.
  std::int64_t most_objects = 0;
};

struct Cut {
  Splitters splitters;
  std::vector<double> weights;  // of each part
  bool kept = false;
  double heaviest_object = 0;      // its weight; what is heavier than the average bounds lambda
  int reductions = 0;              // over all ranks, in this cut
  std::int64_t bytes_reduced = 0;  // in them, of each rank
  EVENKEEL_API double lambda() const noexcept;  // heaviest part / average; 1 without weight
};

// Collective. Objects of one key stay together. Weights are summed as integers of at least 62 bits
// minus those of the count, so the result does not depend on how objects are spread over ranks and
// threads; when all weigh nothing, all weigh the same. Without objects the curve is cut evenly.
// `status` is what the caller brings to the vote that this begins with.
EVENKEEL_API Cut cut(const Communicator& communicator, const Status& status,
                     std::span<const WeightedKeys> sets, const CutOptions& options);

// Collective. The rank that each part is best given to, with as many parts as ranks: the one that
// holds most of its objects already, where no other claims it more. Part p stays with rank p, and
// the result is empty, unless another order leaves clearly more objects where they are. `status` as
// in cut().
EVENKEEL_API std::vector<int> keep_in_place(const Communicator& communicator, const Status& status,
                                            std::span<const WeightedKeys> sets,
                                            const Splitters& splitters);

}  // namespace evenkeel
