#pragma once

// Sorts the objects of a set by destination rank.

#include <evenkeel/core/migrate/plan.hpp>

namespace evenkeel {

// This rank, and the number of ranks.
struct RankOf {
  int rank, ranks;
};

// Returns the part that each rank owns. Throws unless each rank owns exactly one part.
std::vector<std::size_t> parts_of_ranks(std::span<const int> rank_of_part, int ranks);

// A plan with the objects, the exports and the objects that stay. `keys` has the keys of
// SetPlan::objects in the same order.
struct Leaving {
  SetPlan set;
  exec::Array<CurveKey> keys;
};

// Each object goes to the rank of its part. `offsets` has the first place of each part in the
// order, then the number of objects.
Leaving leaving_by_part(Order order, std::span<const std::int64_t> offsets,
                        std::span<const std::size_t> part_of_rank, RankOf self);

// Each object goes to the rank in `held`, or to the rank of its part if its entry in `held` is
// Bonds::free.
Leaving leaving_by_bonds(const Order& order, std::span<const std::int64_t> offsets,
                         std::span<const int> rank_of_part, const exec::Array<int>& held,
                         RankOf self);

// Each object goes to its rank in `destinations`. The result has no keys.
Leaving leaving_by_rank(const exec::Array<int>& destinations, RankOf self);

}  // namespace evenkeel
