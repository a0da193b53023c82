#pragma once

// Where objects belong: the stages prepare and place of a rebalance, for every method. The result
// has the same form for all methods, so plan and move need not know the method.
//
//   prepare   sets -> keys, order along a curve, bonds: once
//   place     prepared, weights, goal, last domains -> assignment: as often as goals are tried
//   plan      prepared, assignment -> plan
//
// docs/architecture.md explains how to add a method.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/place/method.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace evenkeel {

// The same on all ranks.
struct PlaceOptions {
  Method method = Hilbert{};
  int levels = 0;  // of the curve's lattice; 0: as many as a key has room for
  std::array<bool, 3> periodic = {false, false, false};  // axes that wrap around
  std::array<double, 3> cell_size = {0, 0, 0};    // borders of a grid stand at multiples of this
  std::array<double, 3> least_width = {0, 0, 0};  // of domains that are boxes
  // Of each part; empty: part p is rank p, or for ranges of a curve whoever holds most of it.
  std::vector<int> rank_of_part = {};
};

// Where objects are, the same on all ranks.
struct Region {
  int dimensions = 3;
  Box box = {};
  bool is_bound = false;  // some rank has groups or pins
};

// Asks for a shift of the last domains along their curve, by what ranks have measured.
struct ShiftBy {
  double penalty = 1;  // at least 1; the same on all ranks
  double load = 0;     // of this rank, in one unit on all ranks
};

// What each object of each set costs, in the memory of the sets' space; empty: all 1.
using Weights = std::span<const std::span<const double>>;

// For each set, for each phase, what each object costs, likewise; empty: nothing.
using PhaseCosts = std::span<const std::vector<std::span<const double>>>;

// How evenly to place, which each method has wishes of its own for. Domains that are as even as
// `target_lambda` are kept; 0: none are, and new ones are as even as possible. A method takes the
// wishes of another one for those of any.
struct EvenGoal {
  double target_lambda = 0;
};
// Along a curve.
struct CurveGoal {
  double target_lambda = 0;
  // Given: no new cut, but a shift (extras/shift.hpp) of the last domains, unless they are even
  // enough already; the objects of a rank then weigh together what it has measured, in the
  // proportions of their weights. Where the last domains are not ranges of this curve through this
  // box, one for each rank, or nothing was measured, there is a new cut all the same.
  std::optional<ShiftBy> shift = std::nullopt;
};
// By a graph.
struct GraphGoal {
  double target_lambda = 0;
  PhaseCosts phases = {};  // what objects cost in each; then each phase is even by itself
  double tightened = 1;    // the share of the method's tolerance that may be used
};
using Goal = std::variant<EvenGoal, CurveGoal, GraphGoal>;

// The target of any goal.
inline double target_lambda_of(const Goal& goal) noexcept {
  return std::visit([](const auto& any) { return any.target_lambda; }, goal);
}

// The space on which the objects of all sets are placed: the device if any of them is there.
EVENKEEL_API Space space_for(std::span<const Set> sets);

// The coordinates of a set in memory that the space reaches: its own, or a copy of them.
struct CoordinatesOfSet {
  exec::Array<double> copy;
  std::unique_ptr<RawField<double>> field;  // refers to the copy
  std::unique_ptr<Set> as_set;              // of the copy; null: the set itself is used
};

// What does not depend on the goal. Refers to the sets.
struct Prepared {
  Space space;
  std::span<const Set> sets;
  Region region;
  PlaceOptions options;
  Lattice lattice;
  std::vector<Order> orders;  // of each set, along the curve
  Bonds bonds;
  // Objects of a group are in the cell of its least key.
  std::vector<CoordinatesOfSet> coordinates;
  Status status;  // of this rank, for the next vote

  // The set whose positions the space reaches.
  const Set& set(std::size_t index) const {
    return coordinates[index].as_set ? *coordinates[index].as_set : sets[index];
  }
};

// Collective if objects are bound (Region::is_bound), local otherwise. The caller contributes
// `status` to the first vote, here or in a later stage.
EVENKEEL_API Prepared prepare(const Communicator& communicator, const Status& status,
                              std::span<const Set> sets, const Region& region,
                              const PlaceOptions& options);

// Who gets which objects.
struct Assignment {
  Domains domains;          // of the generation after the last
  bool is_changed = false;  // they differ from the last ones
  bool is_shifted = false;  // they come from a shift, not from a new cut
  double lambda = 1;        // of these domains, by the weights, or what a shift makes of them
  // The fewest objects that a rank will hold, over all sets, and the lowest such rank; set only if
  // asked for.
  std::int64_t fewest_objects = 0;
  int emptiest_rank = 0;
  // For each set: where each part begins in its order, and the number of all objects.
  std::vector<std::vector<std::int64_t>> offsets;
  // For each set, its objects by part, and within a part along the curve; empty: the order is that
  // of Prepared.
  std::vector<Order> orders;
  Status status;  // of this rank, for the next vote
};

// Collective. Keeps the last domains while they are as even as the goal says. `counts_objects`:
// fewest_objects is wanted.
EVENKEEL_API Assignment place(const Communicator& communicator, const Status& status,
                              const Prepared& prepared, Weights weights, const Goal& goal,
                              const Domains& last, bool counts_objects = false);

// Collective. Tries one goal after the other, beginning with the given one, until all ranks hold at
// least `least_objects` objects: first a cut instead of a shift, and tighter targets, which stay
// nearest to the request (of ByGraph: tighter tolerances); then, in case heavy objects are the
// cause, weights that differ less and less. `refused` counts the goals that failed. Throws when all
// fail.
struct Allowed {
  Assignment assignment;
  int refused = 0;
};
EVENKEEL_API Allowed place_allowed(const Communicator& communicator, const Status& status,
                                   const Prepared& prepared, Weights weights, const Goal& goal,
                                   std::int64_t least_objects, const Domains& last);

// --- Only domains --------------------------------------------------------------------------------

// What cut_anew needs: nothing is sorted, so that keys are in the order of the objects, which the
// orders leave out; there are keys only if the method cuts along a curve.
struct PreparedToCut {
  Prepared sets;
};

// Local.
EVENKEEL_API PreparedToCut prepare_to_cut(const Status& status, std::span<const Set> sets,
                                          const Region& region, const PlaceOptions& options);

// The same on all ranks.
struct FreshGoal {
  double target_lambda = 0;  // boxes need not be more even; curves by the aim
  int parts = 0;             // 0: one for each rank
  Aim aim = Aim::nearest;    // of methods along a curve
  std::int64_t objects = 0;  // on all ranks; 0: unknown
  std::int64_t generation = 1;
};

// Domains made anew; the same on all ranks.
struct FreshCut {
  Domains domains;  // part p is rank p
  double lambda = 1;
  double heaviest = 0;  // object, relative to the average part; 0: not known
};

// Collective. Keeps nothing, and moves nothing. `last` is where the search may begin.
EVENKEEL_API FreshCut cut_anew(const Communicator& communicator, const Status& status,
                               const PreparedToCut& prepared, Weights weights,
                               const FreshGoal& goal, const Domains& last);

// --- On to the move ------------------------------------------------------------------------------

// Collective. The plan that carries out an assignment.
EVENKEEL_API Plan plan(const Communicator& communicator, Prepared prepared, Assignment assignment);

}  // namespace evenkeel
