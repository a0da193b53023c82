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
  // At least 1: splitters to keep that are not even enough are shifted, each as extras/string.hpp
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

// --- Several phases ------------------------------------------------------------------------------
// Cuts the curve for a step of several phases (weights/phase_loads.hpp), over all ranks and all
// sets, without sorting and without gathering objects.
//
//   one weight    the sum over phases of an object's share of the cost of its phase
//   stretches     the curve is cut into a few thousand stretches that weigh the same, and the costs
//                 of each phase are summed up for each: one reduction of stretches x phases numbers
//   the search    on all ranks alike, as chain/phases.hpp explains, with parts of whole stretches
//   once more     the stretches beside a splitter are divided by 16, and the search repeated
//
// So a splitter stands to at most 1/256 of a part where an exact search might put it. The loads are
// sums of whole numbers: they are exact, and the result does not depend on how objects are spread
// over ranks and threads.
//
// A partitioner takes one weight per object. phase_weights() gives an object its share of the part
// that it falls into: all parts weigh 1 then, so that a cut of these weights (`cut`, `place` along
// a curve) has the splitters found here; an empty part counts for the one before it, which such a
// cut divides. So a phase counts more in one part than in another. With one factor per phase, two
// phases of opposite gradients would take 1.9 times the bound instead of 1.5.
//
// Two things follow. By these weights the cut is even, whatever its loads are: how good it is,
// `loads` alone tells. And weights made for one cut say nothing of another, such as the domains in
// use: for these call measure_phases().

// The most phases that a step can have.
inline constexpr int most_phases = 8;

// One set on one rank.
struct PhasedKeys {
  std::span<const CurveKey> keys;  // in any order; a cut costs least if they never fall
  // One cost per object for each phase, finite and not negative. Empty: the set costs nothing in
  // this phase.
  std::span<const std::span<const double>> costs;
  // Key k belongs to object objects[k], in whose order costs and weights are, as in an Order.
  // Empty: they are in the order of the keys.
  std::span<const std::int64_t> objects = {};
  MemoryKind memory = MemoryKind::host;  // of all of them; the same for all sets of a rank
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
  int reductions = 0;                               // over all ranks
  std::int64_t bytes_reduced = 0;                   // in these reductions, by each rank
};

// Collective. Objects with the same key stay together. Without any cost, objects are counted;
// without objects the curve is cut evenly. The call begins with a vote, to which the caller
// contributes `status`. Throws an Error for costs as in chain/phases.hpp, for costs whose number is
// not that of the keys, and for more phases than most_phases.
EVENKEEL_API PhaseCut cut_phases(const Communicator& communicator, const Status& status,
                                 std::span<const PhasedKeys> sets, const PhaseOptions& options);

// Collective. The loads under given splitters, as those of the domains that are in use.
EVENKEEL_API PhaseCut measure_phases(const Communicator& communicator, const Status& status,
                                     std::span<const PhasedKeys> sets, const PhaseOptions& options,
                                     const Splitters& splitters);

// For each set one weight per object, in the memory of the set. Objects that cost nothing weigh
// nothing; if none of all costs anything, each weighs 1. The sets must be those of the cut. Local.
EVENKEEL_API std::vector<exec::Array<double>> phase_weights(std::span<const PhasedKeys> sets,
                                                            const PhaseCut& cut);

}  // namespace evenkeel
