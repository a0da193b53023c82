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

// One set on one rank. Keys may be in any order. A cut costs least if the keys are in host memory
// and never fall, neither within a rank nor from one rank to the next.
struct WeightedKeys {
  std::span<const CurveKey> keys;
  std::span<const double> weights = {};  // finite and not negative; if empty, all are 1
  MemoryKind memory = MemoryKind::host;  // of keys and weights; the same for all sets of a rank
};

// The places that a cut seeks for its splitters.
enum class Aim : int {
  // Each splitter is placed where the weight before it is nearest to its share; ties go to the
  // left. No part weighs more than the average plus the heaviest key.
  nearest,
  // Accepts any place for a splitter that is so near its share that no part can exceed
  // target_lambda; if the heaviest key prevents that, uses the place of `nearest`. Takes the fewest
  // reductions.
  target,
  // The heaviest part is as light as possible. Under that condition each splitter, from the left,
  // is nearest to its share, as in chain.hpp but over all keys. Rank 0 gets every key that could
  // matter.
  optimal
};

// The same on all ranks.
struct CutOptions {
  int parts = 1;
  int dimensions = 3;
  // Earlier splitters, or empty. They are kept if the lambda of their parts is at most
  // target_lambda.
  Splitters kept = {};
  double target_lambda = 0;
  Aim aim = Aim::nearest;
  // If it is 0, splitters in `kept` that are not even enough are replaced. If it is at least 1,
  // each of them is shifted with this penalty, as extras/string.hpp explains; the aim must then be
  // `nearest`.
  double shift_penalty = 0;
  // An upper bound of the number of objects on all ranks, or 0 if unknown. With a small bound a cut
  // takes less memory.
  std::int64_t most_objects = 0;
};

// The result of cut(), the same on all ranks.
struct Cut {
  Splitters splitters;
  std::vector<double> weights;  // of each part
  bool kept = false;            // true if the splitters are CutOptions::kept
  // The weight of the heaviest object. If it exceeds the average of the parts, it bounds lambda
  // from below.
  double heaviest_object = 0;
  int reductions = 0;              // over all ranks, in this cut; votes do not count
  std::int64_t bytes_reduced = 0;  // by each rank, in these reductions and in gathered keys
  EVENKEEL_API double lambda() const noexcept;  // heaviest part / average; 1 without weight
};

// Collective. Objects with the same key stay together. Weights are summed as integers of at least
// 62 bits minus the bits of the object count, so the result does not depend on how objects are
// spread over ranks and threads. If all weights are 0, all objects weigh the same. Without objects
// the curve is cut evenly.
EVENKEEL_API Cut cut(const Voters& voters, std::span<const WeightedKeys> sets,
                     const CutOptions& options);

// Collective. The rank that should get each part; there must be as many parts as ranks. A part goes
// to a rank that already holds many of its objects; the parts with the most such objects are
// assigned first. The result is empty, and part p goes to rank p, unless another order leaves
// clearly more objects where they are.
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
// So a splitter is at most 1/256 of a part away from where an exact search might put it. The loads
// are sums of whole numbers. So they are exact, and the result does not depend on how objects are
// spread over ranks and threads.
//
// A partitioner takes one weight per object. phase_weights() gives each object its share of its
// part, so that all parts weigh 1, and a cut by these weights (`cut`, or `place` along a curve)
// finds the same splitters. A part without cost counts for the part before it, or after it if there
// is no cost before; a cut by weights divides that part. So a phase counts more in one part than in
// another. With one factor per phase, two phases of opposite gradients would take 1.9 times the
// bound instead of 1.5.
//
// Two things follow. By these weights the cut is even, whatever its loads are, so only `loads`
// shows how good it is. And weights made for one cut do not apply to another, such as the domains
// in use; for these call measure_phases().

// The most phases that a step can have.
inline constexpr int most_phases = 8;

// One set on one rank.
struct PhasedKeys {
  std::span<const CurveKey> keys;  // in any order; a cut costs least if they never fall
  // For each phase one cost per object, finite and not negative. If a phase is empty, the set costs
  // nothing in it.
  std::span<const std::span<const double>> costs;
  // Key k belongs to object objects[k], as in an Order; costs and weights are in the order of the
  // objects. If empty, they are in the order of the keys.
  std::span<const std::int64_t> objects = {};
  MemoryKind memory = MemoryKind::host;  // of all these; the same for all sets of a rank
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

// Collective. Objects with the same key stay together. Without any cost, all objects weigh the
// same; without objects the curve is cut evenly. Throws an Error for invalid costs as in chain.hpp,
// for a number of costs that differs from the number of keys, and for more phases than most_phases.
EVENKEEL_API PhaseCut cut_phases(const Voters& voters, std::span<const PhasedKeys> sets,
                                 const PhaseOptions& options);

// Collective. The loads under given splitters, such as those of the domains in use.
EVENKEEL_API PhaseCut measure_phases(const Voters& voters, std::span<const PhasedKeys> sets,
                                     const PhaseOptions& options, const Splitters& splitters);

// For each set one weight per object, in the memory of the set. Objects that cost nothing weigh
// nothing; if no object costs anything, each weighs 1. The sets must be those of the cut. Local.
EVENKEEL_API std::vector<exec::Array<double>> phase_weights(std::span<const PhasedKeys> sets,
                                                            const PhaseCut& cut);

}  // namespace evenkeel::stages
