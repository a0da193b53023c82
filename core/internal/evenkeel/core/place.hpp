#pragma once

// The stages of a rebalance that assign objects to ranks, for every method. An assignment has the
// same form for all methods, so plan and move do not depend on the method.
//
//   prepare   sets -> keys, order along a curve, bonds (once)
//   place     prepared, weights, goal, last domains -> assignment (once for each goal)
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
#include <evenkeel/core/weights/bytes.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace evenkeel {

// The same on all ranks.
struct PlaceOptions {
  Method method = Hilbert{};
  int levels = 0;  // of the curve's lattice; if it is 0, as many as a key has bits for. Voronoi
                   // and Mesh ignore it.
  std::array<bool, 3> periodic = {false, false, false};  // axes that wrap around
  // Borders of grids and bisections are multiples of cell_size from the lower face. Domains that
  // are boxes or hexahedra are at least least_width wide.
  std::array<double, 3> cell_size = {0, 0, 0};
  std::array<double, 3> least_width = {0, 0, 0};
  // The rank of each part; each rank once. If it is empty, rank p owns part p, except that a new
  // cut along a curve uses the result of keep_in_place(). There each rank claims up to four parts
  // of which it holds the most objects, and the strongest claims win. If this does not keep more
  // than 10 % more objects in place, rank p owns part p.
  std::vector<int> rank_of_part = {};
  // The speed of each rank, positive and finite. The share of a rank is proportional to it, and
  // weights are costs at speed 1. If it is empty, all ranks are equally fast. Equal speeds change
  // nothing. Only ranks of the same speed exchange parts (keep_in_place).
  std::vector<double> speeds = {};
};

// True if domains are boxes of a grid.
inline bool places_in_grid(const Method& method) noexcept {
  return std::holds_alternative<Staggered>(method) || std::holds_alternative<Tensor>(method);
}

// True if evenkeel chooses the method. Then method_in_use() is the method of the present domains,
// or Hilbert{} before the first ones.
inline bool is_auto(const Method& method) noexcept { return std::holds_alternative<Auto>(method); }
EVENKEEL_API Method method_of(const Domains& domains);
inline Method method_in_use(const Method& method, const Domains& present) {
  if (!is_auto(method)) return method;
  return parts_of(present) > 0 ? method_of(present) : Hilbert{};
}

// The box of all objects, and whether any objects are bound by groups or pins; the same on all
// ranks.
struct Region {
  int dimensions = 3;
  Box box = {};
  bool is_bound = false;  // true if some rank has groups or pins
};

// Asks for a shift of the last domains along their curve, by the measured loads of the ranks.
struct ShiftBy {
  double penalty = 1;  // at least 1; the same on all ranks
  double load = 0;     // of this rank, in a unit that is the same on all ranks; with speeds, its
                       // time x its speed
};

// For each set, the weight of each object, in memory of the space that space_for() returns. If the
// list of a set is empty, all its weights are 1.
using Weights = std::span<const std::span<const double>>;

// For each set and each phase, the cost of each object, in the same memory. If a list is empty, the
// objects cost nothing.
using PhaseCosts = std::span<const std::vector<std::span<const double>>>;

// The goal for any method. The last domains are kept if their lambda is at most `target_lambda`. If
// this is 0, they are not kept, and the new ones are as even as possible. If a method gets the goal
// of another method, it uses only `target_lambda`. With speeds, a lambda compares times: weight /
// speed (weights/load.hpp).
struct EvenGoal {
  double target_lambda = 0;
};
// The goal for methods along a curve.
struct CurveGoal {
  double target_lambda = 0;
  // If it is set and the last domains are not even enough, they are shifted instead of cut again;
  // extras/string.hpp explains how. The weights of a rank's objects are scaled so that their sum is
  // its measured load. A new cut is made nevertheless if the last domains are not ranges of this
  // curve through this box, one for each rank, or if all measured loads are 0.
  std::optional<ShiftBy> shift = std::nullopt;
};
// The goal for parts of a graph.
struct GraphGoal {
  double target_lambda = 0;
  PhaseCosts phases = {};  // if not empty, each phase is balanced by itself
  double tightened = 1;    // the share of the method's target_lambda - 1 that may be used
};
using Goal = std::variant<EvenGoal, CurveGoal, GraphGoal>;

// The target of any goal.
inline double target_lambda_of(const Goal& goal) noexcept {
  return std::visit([](const auto& any) { return any.target_lambda; }, goal);
}

// The space that places the objects of all sets: the device if any of them is in its memory.
EVENKEEL_API Space space_for(std::span<const Set> sets);

// The coordinates of a set in memory that the space reaches: the set's own memory, or a copy.
struct CoordinatesOfSet {
  exec::Array<double> copy;
  std::unique_ptr<RawField<double>> field;  // refers to the copy
  std::unique_ptr<Set> as_set;              // of the copy; if null, the set itself is used
};

// The result of prepare(), which does not depend on the goal. Refers to the sets.
struct Prepared {
  Space space;
  std::span<const Set> sets;
  Region region;
  PlaceOptions options;
  Lattice lattice;
  std::vector<Order> orders;  // of each set, along the curve
  Bonds bonds;
  // The coordinates of each set. In them, all objects of a group are in the cell of the group's
  // least key.
  std::vector<CoordinatesOfSet> coordinates;
  Status status;  // of this rank, for the next vote

  // The set whose positions the space reaches.
  const Set& set(std::size_t index) const {
    return coordinates[index].as_set ? *coordinates[index].as_set : sets[index];
  }
};

// Collective if objects are bound (Region::is_bound), local otherwise. `status` is the status of
// this rank so far. The first vote takes it in, here or in a later stage.
EVENKEEL_API Prepared prepare(const Communicator& communicator, const Status& status,
                              std::span<const Set> sets, const Region& region,
                              const PlaceOptions& options);

// New domains, and the part of each object.
struct Assignment {
  Domains domains;          // their generation is that of the last domains + 1
  bool is_changed = false;  // true if they differ from the last domains
  bool is_shifted = false;  // true if they come from a shift, not from a new cut
  double lambda = 1;        // of these domains by the weights; a shift has scaled the weights
  // The fewest objects that a rank will hold, over all sets, and the lowest such rank. They are set
  // only if place() was called with `counts_objects`.
  std::int64_t fewest_objects = 0;
  int emptiest_rank = 0;
  // For each set, the first place of each part in its order, then the number of all objects.
  std::vector<std::vector<std::int64_t>> offsets;
  // For each set, its objects sorted by part, and within a part along the curve. If it is empty,
  // use the orders of Prepared.
  std::vector<Order> orders;
  Status status;  // of this rank, for the next vote
};

// Collective. Keeps the last domains if they are as even as the goal requires. If `counts_objects`
// is true, the result has fewest_objects.
EVENKEEL_API Assignment place(const Communicator& communicator, const Status& status,
                              const Prepared& prepared, Weights weights, const Goal& goal,
                              const Domains& last, bool counts_objects = false);

// The limits of an assignment; the same on all ranks, except the bytes of objects.
struct PlaceLimits {
  std::int64_t least_objects = 0;  // that a rank holds, over all sets
  // The memory of each rank in bytes, positive and finite, and the share of it that objects may
  // fill. If it is empty, there is no limit.
  std::span<const double> memory = {};
  double most_share = 1;
  // The bytes of each object, in the form of weights. Needed if memory is limited.
  Weights bytes = {};
};

// Collective. Tries one goal after the other, beginning with the given goal, until all ranks hold
// at least `least_objects` objects. The next goals are near to the request: a cut instead of a
// shift, and tighter targets. Heavy objects may be the reason that these fail, so the last goals
// use weights that differ less and less. Throws an Error if all fail.
//
// If objects then exceed the memory of a rank, makes up to six further cuts, in which an object
// weighs the greater of its shares of all work and of all bytes. The two count more or less from
// cut to cut, and so do speeds and memory in the shares of ranks. Returns the cut that is most even
// by the given weights among those that fit. If no cut fits, returns the one whose fullest rank is
// the least full, or the last domains if they leave that rank no fuller.
//
// `refused` counts the goals that failed.
struct Allowed {
  Assignment assignment;
  int refused = 0;
  // Only if memory is limited: whether a more even cut did not fit, the bytes of each rank, and the
  // fullest rank.
  bool is_held_back = false;
  std::vector<double> bytes = {};
  RankFill fullest = {};
};
EVENKEEL_API Allowed place_allowed(const Communicator& communicator, const Status& status,
                                   const Prepared& prepared, Weights weights, const Goal& goal,
                                   const PlaceLimits& limits, const Domains& last);

// Collective. Finds the bytes of each rank and the fullest rank. Memory must be limited.
EVENKEEL_API void measure_bytes(const Communicator& communicator, const Prepared& prepared,
                                const PlaceLimits& limits, Allowed& found);

// --- Only domains --------------------------------------------------------------------------------

// The sets, prepared for cut_anew(). Nothing is sorted: in each Order the keys are in the order of
// the objects, and the list of objects is empty. There are keys only if the method needs them.
struct PreparedToCut {
  Prepared sets;
};

// Local. If it fails, the Error is in the status of the result, for the next vote.
EVENKEEL_API PreparedToCut prepare_to_cut(const Status& status, std::span<const Set> sets,
                                          const Region& region, const PlaceOptions& options);

// The same on all ranks.
struct FreshGoal {
  double target_lambda = 0;  // as in BoxCutOptions and, for Aim::target, in CutOptions
  int parts = 0;             // if it is 0, one for each rank
  Aim aim = Aim::nearest;    // of methods along a curve
  std::int64_t objects = 0;  // as CutOptions::most_objects
  std::int64_t generation = 1;
};

// New domains; the same on all ranks.
struct FreshCut {
  Domains domains;  // part p is rank p
  double lambda = 1;
  double heaviest = 0;  // weight of the heaviest object / average part; 0 if unknown
};

// Collective. Makes a new cut even if the last domains are even enough, and moves nothing. The
// search for boxes may begin from `last`.
EVENKEEL_API FreshCut cut_anew(const Communicator& communicator, const Status& status,
                               const PreparedToCut& prepared, Weights weights,
                               const FreshGoal& goal, const Domains& last);

// --- The plan of a move --------------------------------------------------------------------------

// Collective. Returns the plan that carries out an assignment.
EVENKEEL_API Plan plan(const Communicator& communicator, Prepared prepared, Assignment assignment);

}  // namespace evenkeel
