#pragma once

// Moving objects to their owners: plan, reserve, vote, exchange, vote, commit. Until the commit,
// which cannot fail, every field of the application is untouched; when one rank refuses, all throw
// the same Error and keep what they had.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// Fields of a set as all ranks know them: see agree_on_sets.
struct SetShape {
  int dimensions = 0;           // of the position; 0 while no rank knows
  std::vector<int> components;  // of each field
};

// Collective. Throws the same Error on all ranks when the sets of one cannot be moved, or when
// ranks have different sets: another number or order of fields, other types, other memory. What a
// rank does not know, since its View was never given extents, it learns.
EVENKEEL_API std::vector<SetShape> agree_on_sets(const Communicator& communicator,
                                                 std::span<const Set> sets);

// So many objects to, or from, a rank.
struct Parcel {
  int rank;
  std::int64_t objects;
};

// One set of this rank. What goes to part p are the objects at offsets[p] to before offsets[p + 1]
// of the order.
struct SetPlan {
  std::vector<std::int64_t> offsets;
  std::vector<Parcel> exports, imports;  // by rank; other ranks alone, never empty parcels
  std::int64_t staying = 0;
  std::int64_t count_after = 0;
};

struct Plan {
  std::vector<SetPlan> sets;
  std::vector<int> part_of_rank;   // empty: rank r owns part r
  std::int64_t objects_moved = 0;  // over all ranks and sets
  bool empty() const noexcept { return objects_moved == 0; }
  int part_of(int rank) const {
    return part_of_rank.empty() ? rank : part_of_rank[static_cast<std::size_t>(rank)];
  }
};

// Collective. Who sends which objects to whom; part p goes to rank_of_part[p], or to rank p where
// that is empty. `status` as in cut(). Nothing moves.
EVENKEEL_API Plan plan(const Communicator& communicator, const Status& status,
                       const Splitters& splitters, std::span<const Order> orders,
                       std::span<const int> rank_of_part = {});

// The local parts of a transaction, in order.
enum class MoveStage : int { reserve, pack, unpack };
EVENKEEL_API const char* name_of(MoveStage stage) noexcept;

struct MoveOptions {
  // Called on every rank as each local part begins. What it throws is this rank's failure, and
  // undoes the move on all.
  std::function<void(MoveStage)> on_stage = {};
  // Seconds of the stages before, on this rank; the report tells them with those of the move.
  std::vector<std::pair<std::string, double>> seconds_before = {};
};

// What a rebalance did. False: nothing changed, not even the order.
struct MoveReport {
  bool moved = false;
  std::int64_t generation = 0;          // of the decomposition now
  std::int64_t objects = 0, bytes = 0;  // that changed their rank, over all ranks
  std::int64_t sent = 0, received = 0;  // objects, this rank
  int partners = 0;                     // ranks that this one traded with
  double lambda = 1;                    // of the new decomposition, by the weights
  std::vector<std::pair<std::string, double>> seconds = {};  // of each stage, slowest rank
  explicit operator bool() const noexcept { return moved; }
};

// Collective. Carries out a plan that is not empty: afterwards every set has its new objects, in
// the order of the curve.
EVENKEEL_API MoveReport move(const Communicator& communicator, std::span<const Set> sets,
                             std::span<const SetShape> shapes, std::span<const Order> orders,
                             const Plan& plan, const MoveOptions& options = {});

}  // namespace evenkeel
