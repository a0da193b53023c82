#pragma once

// Where the objects of a set go: its objects by destination rank.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/order.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// A rank, and the number of ranks.
struct RankOf {
  int rank, ranks;
};

// The part that each rank owns. Throws unless each rank owns one part.
std::vector<std::size_t> parts_of_ranks(std::span<const int> rank_of_part, int ranks);

// The objects, the exports and the objects that stay; `keys` are those of the objects in that
// order.
struct Leaving {
  SetPlan set;
  exec::Array<CurveKey> keys;
};

// `offsets`: the place in the order where each part begins, and the number of objects.
Leaving leaving_by_part(Order order, std::span<const std::int64_t> offsets,
                        std::span<const std::size_t> part_of_rank, RankOf self);

// The same with objects that are held: they go to the rank that `held` names, or to the rank of
// their part if it says Bonds::free.
Leaving leaving_by_bonds(const Order& order, std::span<const std::int64_t> offsets,
                         std::span<const int> rank_of_part, const exec::Array<int>& held,
                         RankOf self);

// By the rank of each object; there are no keys.
Leaving leaving_by_rank(const exec::Array<int>& destinations, RankOf self);

}  // namespace evenkeel
