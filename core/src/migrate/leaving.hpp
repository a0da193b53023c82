#pragma once

// The objects of a set, by destination rank.

#include <evenkeel/core/migrate/plan.hpp>

namespace evenkeel {

// A rank, and the number of ranks.
struct RankOf {
  int rank, ranks;
};

// The part that each rank owns. Throws unless each rank owns one part.
std::vector<std::size_t> parts_of_ranks(std::span<const int> rank_of_part, int ranks);

// The objects, the exports and the objects that stay. `keys` are the keys of the objects, in the
// same order.
struct Leaving {
  SetPlan set;
  exec::Array<CurveKey> keys;
};

// `offsets` are the first place of each part in the order, and then the number of objects.
Leaving leaving_by_part(Order order, std::span<const std::int64_t> offsets,
                        std::span<const std::size_t> part_of_rank, RankOf self);

// The same for objects that may be held: they go to the rank that `held` names, or to the rank of
// their part if that is Bonds::free.
Leaving leaving_by_bonds(const Order& order, std::span<const std::int64_t> offsets,
                         std::span<const int> rank_of_part, const exec::Array<int>& held,
                         RankOf self);

// The same by the destination rank of each object; there are no keys.
Leaving leaving_by_rank(const exec::Array<int>& destinations, RankOf self);

}  // namespace evenkeel
