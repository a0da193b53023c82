#include "migrate/leaving.hpp"
#include "migrate/stage.hpp"

#include "order/bisect.hpp"
#include "order/sort_by_number.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* leaving_label = "evenkeel::migrate::leaving";

// --- Destinations --------------------------------------------------------------------------------

// Returns true if an object's destination is not the number of a rank.
struct IsStray {
  const int* destinations;
  int ranks;
  bool may_be_free;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    const int to = destinations[i];
    return (to < 0 || to >= ranks) && !(may_be_free && to == Bonds::free);
  }
};

void require_ranks(const exec::Array<int>& destinations, int ranks, bool may_be_free) {
  const std::int64_t stray = exec::first_that(destinations.space(), destinations.size(),
                                              IsStray{destinations.data(), ranks, may_be_free});
  if (stray == destinations.size()) return;
  int to = 0;
  destinations.fetch(stray, {&to, 1});
  refuse("Object " + std::to_string(stray) + " would go to rank " + std::to_string(to) +
             ", but there are " + std::to_string(ranks) + " ranks.",
         "Name ranks from 0 to " + std::to_string(ranks - 1) + '.');
}

// Writes the destination rank for each place in an order.
struct RankOfPlace {
  OwnerOfPlace owner_of;
  const std::int64_t* objects;
  const int* held;  // by object
  std::uint32_t* ranks;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const int to = held[objects[place]];
    ranks[place] = static_cast<std::uint32_t>(to == Bonds::free ? owner_of(place) : to);
  }
};

// --- Plans ---------------------------------------------------------------------------------------

void add_destination(SetPlan& set, int to, std::int64_t first, std::int64_t objects, int rank) {
  if (to == rank) {
    set.staying = objects;
    set.first_staying = first;
  } else if (objects > 0) {
    set.exports.push_back({to, first, objects});
  }
}

// Sorts objects by destination rank. ranks[i] is the destination of object i. Objects with the same
// destination keep their order.
Leaving by_rank(const Space& space, const exec::Array<std::uint32_t>& ranks, RankOf self) {
  Leaving leaving;
  SortedByNumber sorted = sort_by_number(space, ranks, self.ranks);
  leaving.set.objects = std::move(sorted.places);
  for (std::size_t to = 0; to + 1 < sorted.offsets.size(); ++to)
    add_destination(leaving.set, static_cast<int>(to), sorted.offsets[to],
                    sorted.offsets[to + 1] - sorted.offsets[to], self.rank);
  return leaving;
}

}  // namespace

std::vector<std::size_t> parts_of_ranks(std::span<const int> rank_of_part, int ranks) {
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> parts(static_cast<std::size_t>(ranks));
  std::iota(parts.begin(), parts.end(), std::size_t{0});
  if (rank_of_part.empty()) return parts;
  std::fill(parts.begin(), parts.end(), none);
  for (std::size_t p = 0; p < rank_of_part.size() && p < parts.size(); ++p)
    if (rank_of_part[p] >= 0 && rank_of_part[p] < ranks)
      parts[static_cast<std::size_t>(rank_of_part[p])] = p;
  const bool each = std::find(parts.begin(), parts.end(), none) == parts.end();
  if (!each || std::ssize(rank_of_part) != ranks)
    refuse("The ranks do not own one part each.", "Name each rank once, or no rank.");
  return parts;
}

Leaving leaving_by_part(Order order, std::span<const std::int64_t> offsets,
                        std::span<const std::size_t> part_of_rank, RankOf self) {
  Leaving leaving;
  for (std::size_t to = 0; to < part_of_rank.size(); ++to) {
    const std::size_t p = part_of_rank[to];
    add_destination(leaving.set, static_cast<int>(to), offsets[p], offsets[p + 1] - offsets[p],
                    self.rank);
  }
  leaving.set.objects = std::move(order.objects);
  leaving.keys = std::move(order.keys);
  return leaving;
}

Leaving leaving_by_bonds(const Order& order, std::span<const std::int64_t> offsets,
                         std::span<const int> rank_of_part, const exec::Array<int>& held,
                         RankOf self) {
  if (held.size() != order.objects.size())
    refuse("The list of held ranks has " + std::to_string(held.size()) + " entries for " +
               std::to_string(order.objects.size()) + " objects.",
           "Give a rank for each object, or Bonds::free.");
  require_ranks(held, self.ranks, true);
  const Space space = order.objects.space();
  const std::int64_t count = held.size();
  const exec::Reached<std::int64_t> first(space, leaving_label, offsets);
  const exec::Reached<int> owners(space, leaving_label, rank_of_part);
  const exec::Array<std::uint32_t> ranks(space, leaving_label, count);
  exec::for_each(
      space, leaving_label, count,
      RankOfPlace{{first.data(), first.size() - 1, rank_of_part.empty() ? nullptr : owners.data()},
                  order.objects.data(),
                  held.data(),
                  ranks.data()});
  Leaving leaving = by_rank(space, ranks, self);
  Order elsewhere = chosen(space, order, leaving.set.objects);
  leaving.keys = std::move(elsewhere.keys);
  leaving.set.objects = std::move(elsewhere.objects);
  return leaving;
}

Leaving leaving_by_rank(const exec::Array<int>& destinations, RankOf self) {
  require_ranks(destinations, self.ranks, false);
  const Space space = destinations.space();
  const exec::Array<std::uint32_t> ranks(space, leaving_label, destinations.size());
  exec::for_each(space, leaving_label, ranks.size(), exec::Copy{destinations.data(), ranks.data()});
  return by_rank(space, ranks, self);
}

}  // namespace evenkeel
