#pragma once

// The statements that ranks exchange at the start of a rebalance or a migration, and the
// conclusions from them.

#include "costs/object_costs.hpp"

#include <evenkeel/core/migrate/move.hpp>

namespace evenkeel {

// The statement of one rank.
struct RankStatement {
  std::int64_t step_least = 0, step_greatest = 0;
  std::int64_t generation_least = 0, generation_greatest = 0;
  // A bit for each set that has weights, on all ranks or on any.
  std::uint64_t weighted_by_all = 0, weighted_by_any = 0;
  // A bit for each set that has types or features, on all ranks or on any.
  std::uint64_t typed_by_all = 0, typed_by_any = 0;
  std::uint64_t bound = 0;         // not 0 if there are groups or pins
  std::uint64_t hooked = 0;        // not 0 if hooks wait for a move
  std::uint64_t states_bytes = 0;  // not 0 if a set has .bytes_per_object
  CostStatement costs = {};
  ShapeStatement shapes = {};
};

// The sets with all arrays that move with them, and the statement of this rank.
struct Arrival {
  std::vector<Set> sets = {};
  RankStatement mine = {};
  std::optional<SetComparison> comparison = {};  // empty only if this rank has failed
};

// The conclusions. They are the same on all ranks except for the costs of this rank.
struct AgreedSets {
  bool bound = false;         // there are groups or pins
  bool hooked = false;        // hooks wait for a move
  bool states_bytes = false;  // the application moves further data itself
  AgreedCosts costs = {};
  std::vector<SetShape> shapes = {};
};

// Throws an Error if Kokkos is not running, or if there are more sets than can move at once. `call`
// names the function that the application has called, such as rebalance.
void require_use(const char* call, std::span<const Set> sets);

// Compares the sets, and fills in their part of the statement; the caller adds the rest.
void state(Arrival& here, std::int64_t step, std::int64_t generation, bool hooked);

// Collective. Throws the same Error on all ranks if a rank has failed, or if ranks are at different
// steps or generations, have given weights for different sets, or have different sets.
AgreedSets agreed_by(const Communicator& ranks, const Status& status, Arrival& here);

// The number of dimensions of all positions, now and at the last rebalance; 0 if no rank knows it
// yet. The same on all ranks.
int dimensions_of(std::span<const SetShape> shapes, const Domains& last);

}  // namespace evenkeel
