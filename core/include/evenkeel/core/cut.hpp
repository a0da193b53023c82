#pragma once

// Cuts the curve into parts of equal weight, over all ranks and all sets, without sorting.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::stages {

// One set on one rank. Keys may be in any order. A cut is fastest if the keys are in host memory
// and sorted, over all ranks.
struct WeightedKeys {
  std::span<const CurveKey> keys;
  std::span<const double> weights = {};  // finite and not negative; if empty, all are 1
  MemoryKind memory = MemoryKind::host;  // of keys and weights; the same for all sets of a rank
};

// The rule by which a cut places its splitters. The share of a splitter is the weight that would be
// before it if all parts weighed the same or, with speeds, took the same time.
enum class Aim : int {
  // Puts each splitter at the key at which the weight before it is nearest to its share, and at the
  // left one of two equally near keys. No part weighs more than its share plus the heaviest key.
  nearest,
  // Puts each splitter at any key so near its share that no part exceeds target_lambda. If a heavy
  // key prevents this, does the same as `nearest`. Takes the fewest reductions.
  target,
  // Makes the greatest weight / speed of a part as small as possible. Among such cuts each
  // splitter, from the left, is as near to its share as possible, as in chain.hpp. Rank 0 gathers
  // every key that can matter.
  optimal
};

// The same on all ranks.
struct CutOptions {
  int parts = 1;
  int dimensions = 3;
  // Earlier splitters, or empty. The cut keeps them if the lambda of their parts is at most
  // target_lambda; 0 turns this off.
  Splitters kept = {};
  double target_lambda = 0;  // 0, or at least 1
  Aim aim = Aim::nearest;
  // Used if the splitters in `kept` are not even enough. If the penalty is 0, new splitters replace
  // them. If it is at least 1, each splitter in `kept` is shifted with this penalty, as
  // extras/string.hpp explains; the aim must then be `nearest`.
  double shift_penalty = 0;
  // An upper bound of the number of objects on all ranks, or 0 if unknown. With a small bound a cut
  // takes less memory.
  std::int64_t most_objects = 0;
  // The speed of each part, positive and finite; the share of a part is proportional to it. If it
  // is empty, all parts are equally fast. Equal speeds change nothing.
  std::span<const double> speeds = {};
};

// The result of cut(), the same on all ranks.
struct Cut {
  Splitters splitters;
  std::vector<double> weights;  // of each part
  bool kept = false;            // true if the splitters are CutOptions::kept
  // The weight of the heaviest object. If it exceeds the average of the parts, it bounds lambda
  // from below.
  double heaviest_object = 0;
  int reductions = 0;               // over all ranks, in this cut, without votes
  std::int64_t bytes_reduced = 0;   // by each rank, in these reductions and in gathered keys
  std::vector<double> speeds = {};  // of the parts; empty if all are equally fast
  // The greatest time (weight / speed) of a part, over the time that all weight together takes at
  // the sum of the speeds. Without weight it is 1.
  EVENKEEL_API double lambda() const noexcept;
};

// Collective. Objects with the same key stay together. The result does not depend on how objects
// are spread over ranks and threads, because weights are rounded to integers and summed exactly.
// These integers have 62 bits minus the bits of the object count, or more. If all weights are 0,
// all objects weigh the same. Without objects the curve is cut evenly.
EVENKEEL_API Cut cut(const Voters& voters, std::span<const WeightedKeys> sets,
                     const CutOptions& options);

// Collective. Returns the rank that should get each part, such that many objects stay on their
// rank. There must be as many parts as ranks. The pairs of part and rank with the most objects in
// common are assigned first. If this keeps hardly more objects in place than giving part p to rank
// p, the result is empty, and part p goes to rank p.
EVENKEEL_API std::vector<int> keep_in_place(const Voters& voters,
                                            std::span<const WeightedKeys> sets,
                                            const Splitters& splitters);

// --- Several phases ------------------------------------------------------------------------------
// Cuts the curve for a step of several phases (weights/phase_loads.hpp), over all ranks and all
// sets, without sorting and without gathering objects.
//
//   one weight    each object gets one weight: the sum over phases of its share of the phase's cost
//   stretches     the curve is cut into stretches that weigh the same, 4096 or 16 per part,
//                 whichever is more; one reduction sums the costs of each phase in each stretch
//   search        every rank finds the same parts of whole stretches, as chain.hpp explains
//   refinement    the stretches next to a splitter are divided by 16, and the search is repeated
//
// So a splitter is at most 1/256 of a part away from where an exact search might put it. Costs are
// summed as integers, so the loads are exact, and the result does not depend on how objects are
// spread over ranks and threads.
//
// A partitioner takes one weight per object. phase_weights() computes weights from the cut by
// phases: each object weighs its share of its part, so every part weighs 1. A cut by these weights
// (`cut`, or `place` along a curve) finds the same splitters. Parts without cost are joined to the
// last part before them that has a cost, or to the first one after them; a cut by weights divides
// the joined part. The factor between the costs of a phase and the weights thus differs from part
// to part. With only one factor per phase, two phases of opposite gradients would take 1.9 times
// the bound instead of 1.5.
//
// So by these weights the cut is always even, and only `loads` shows how good it is. And the
// weights of one cut do not apply to another cut, such as the domains in use; call measure_phases()
// for that.

// The most phases that a step can have.
inline constexpr int most_phases = 8;

// One set on one rank.
struct PhasedKeys {
  std::span<const CurveKey> keys;  // in any order; a cut is fastest if they are sorted
  // For each phase one cost per object, finite and not negative. If the list of a phase is empty,
  // the objects of the set cost nothing in it.
  std::span<const std::span<const double>> costs;
  // Key k belongs to object objects[k], as in an Order; costs and weights are in the order of the
  // objects. If `objects` is empty, they are in the order of the keys.
  std::span<const std::int64_t> objects = {};
  MemoryKind memory = MemoryKind::host;  // of all these lists; the same for all sets of a rank
};

// The same on all ranks.
struct PhaseOptions {
  int parts = 1;
  int phases = 1;
  int dimensions = 3;
};

// The same on all ranks.
struct PhaseCut {
  Splitters splitters;
  PhaseLoads loads;
  std::vector<std::vector<double>> loads_of_parts;  // of each phase, of each part
  int reductions = 0;                               // as in Cut
  std::int64_t bytes_reduced = 0;                   // as in Cut
};

// Collective. Objects with the same key stay together. If nothing has a cost, all objects weigh the
// same. Without objects the curve is cut evenly. Throws an Error if costs are invalid as in
// chain.hpp, if there are not as many costs as keys, or if there are more phases than most_phases.
EVENKEEL_API PhaseCut cut_phases(const Voters& voters, std::span<const PhasedKeys> sets,
                                 const PhaseOptions& options);

// Collective. Returns the loads under given splitters, such as those of the domains in use.
EVENKEEL_API PhaseCut measure_phases(const Voters& voters, std::span<const PhasedKeys> sets,
                                     const PhaseOptions& options, const Splitters& splitters);

// Returns for each set one weight per object, in the memory of the set. Objects without cost weigh
// 0, but if no object has a cost, each weighs 1. The sets must be those of the cut. Local.
EVENKEEL_API std::vector<exec::Array<double>> phase_weights(std::span<const PhasedKeys> sets,
                                                            const PhaseCut& cut);

}  // namespace evenkeel::stages
