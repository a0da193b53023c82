// Decides which rank gets which part. It counts objects and ignores their weights, because the cost
// of a move depends on the number of objects.

#include "cut/keep_in_place.hpp"
#include "cut/stage.hpp"

#include "cut/objects.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

namespace evenkeel {

namespace {

constexpr double clearly_more = 1.1;

struct PartClaim {
  int rank = -1, part = -1;
  std::int64_t objects = 0;
};
// Each rank claims up to four parts: those of which it holds the most objects. Ranks that get no
// part by a claim get the remaining parts.
using Claims = std::array<PartClaim, 4>;

std::vector<std::int64_t> objects_by_part(std::span<const WeightedKeys> sets,
                                          const Splitters& splitters) {
  std::vector<WeightedKeys> weightless;
  for (const WeightedKeys& set : sets) weightless.push_back({set.keys, {}, set.memory});
  const auto objects = objects_of(weightless, std::ssize(splitters) - 1);
  const auto counts = objects->count_parts(splitters);
  return {counts.begin(), counts.end()};
}

bool is_stronger(const PartClaim& a, const PartClaim& b) {
  return std::tuple(-a.objects, a.part, a.rank) < std::tuple(-b.objects, b.part, b.rank);
}

Claims claims_of(std::span<const std::int64_t> objects, int rank, const PlannedOwners& planned) {
  std::vector<PartClaim> all;
  for (std::size_t p = 0; p < objects.size(); ++p)
    if (objects[p] > 0 && planned.may_own(rank, p))
      all.push_back({rank, static_cast<int>(p), objects[p]});
  Claims strongest;
  std::partial_sort_copy(all.begin(), all.end(), strongest.begin(), strongest.end(), is_stronger);
  return strongest;
}

// Grants the claims with the most objects first. Then gives the remaining parts to the remaining
// ranks of the same speed, in order. The result is the same on all ranks.
std::vector<int> granted(std::span<const Claims> claims_of_rank, const PlannedOwners& planned) {
  std::vector<PartClaim> claims;
  for (const Claims& some : claims_of_rank)
    std::copy_if(some.begin(), some.end(), std::back_inserter(claims),
                 [](const PartClaim& claim) { return claim.objects > 0; });
  std::sort(claims.begin(), claims.end(), is_stronger);
  std::vector<int> rank_of_part(claims_of_rank.size(), -1);
  std::vector<bool> served(claims_of_rank.size());
  for (const PartClaim& claim : claims) {
    int& rank = rank_of_part[static_cast<std::size_t>(claim.part)];
    if (rank >= 0 || served[static_cast<std::size_t>(claim.rank)]) continue;
    rank = claim.rank;
    served[static_cast<std::size_t>(claim.rank)] = true;
  }
  std::map<double, int> next_of_speed;  // the next rank that may be without a part
  for (std::size_t part = 0; part < rank_of_part.size(); ++part) {
    if (rank_of_part[part] >= 0) continue;
    int& next = next_of_speed[planned.speed_of_part(part)];
    while (served[static_cast<std::size_t>(next)] || !planned.may_own(next, part)) ++next;
    rank_of_part[part] = next++;
  }
  return rank_of_part;
}

}  // namespace

std::vector<int> stages::keep_in_place(const Voters& voters, std::span<const WeightedKeys> sets,
                                       const Splitters& splitters) {
  const Communicator& communicator = voters.communicator();
  std::vector<std::int64_t> objects;
  const Status counted = attempt(stage_name, [&] {
    voters.require_success();
    if (std::ssize(splitters) - 1 != communicator.size())
      refuse("The splitters make " + std::to_string(std::ssize(splitters) - 1) + " parts for " +
                 std::to_string(communicator.size()) + " ranks.",
             "Cut into as many parts as there are ranks.");
    objects = objects_by_part(sets, splitters);
  });
  return evenkeel::keep_in_place({communicator, counted}, objects);
}

std::vector<int> keep_in_place(const Voters& voters, std::span<const std::int64_t> objects,
                               const PlannedOwners& planned) {
  const Communicator& communicator = voters.communicator();
  Claims mine;
  std::vector<Claims> claims;
  const Status prepared = attempt(stage_name, [&] {
    voters.require_success();
    mine = claims_of(objects, communicator.rank(), planned);
    claims.resize(static_cast<std::size_t>(communicator.size()));
  });
  vote(communicator, prepared);
  communicator.all_gather(mine, std::span(claims));
  std::vector<int> rank_of_part;
  const Status shared_out = attempt(stage_name, [&] { rank_of_part = granted(claims, planned); });
  vote(communicator, shared_out);
  const auto part_of = [&](std::span<const int> ranks) {
    const auto found = std::find(ranks.begin(), ranks.end(), communicator.rank());
    return static_cast<std::size_t>(found - ranks.begin());
  };
  const std::size_t planned_part = planned.rank_of_part.empty()
                                       ? static_cast<std::size_t>(communicator.rank())
                                       : part_of(planned.rank_of_part);
  std::array<std::int64_t, 2> staying = {objects[planned_part], objects[part_of(rank_of_part)]};
  communicator.all_reduce(std::span<std::int64_t>(staying), Reduction::sum);
  const bool better =
      static_cast<double>(staying[1]) > clearly_more * static_cast<double>(staying[0]);
  if (!better) rank_of_part.clear();
  return rank_of_part;
}

}  // namespace evenkeel
