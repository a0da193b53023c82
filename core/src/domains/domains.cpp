#include "domains/checks.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/order.hpp>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::domains::ranks";

void write_parts_of(const Space& space, const CurveDomains& curve, const Set& set, int* parts) {
  check_has_parts("core/domains", curve.parts());
  const std::int64_t count = set.count();
  const Buffer keys("evenkeel::domains::keys", set.position().memory,
                    count * static_cast<std::int64_t>(sizeof(CurveKey)));
  auto* const first = reinterpret_cast<CurveKey*>(keys.data());
  write_keys(space, lattice_of(curve), set, first);
  write_owners(space, curve.splitters(), first, count, parts);
}

struct RankOfPart {
  const int* ranks;
  int* parts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { parts[i] = ranks[parts[i]]; }
};

void renumber(const Space& space, const std::vector<int>& rank_of_part, std::int64_t count,
              int* parts) {
  const auto bytes = static_cast<std::int64_t>(rank_of_part.size() * sizeof(int));
  const int* ranks = rank_of_part.data();
  Buffer copy;
  if (!space.can_access(MemoryKind::host)) {
    copy = Buffer(label, MemoryKind::device, bytes);
    copy_bytes(space, copy.data(), copy.kind(), ranks, MemoryKind::host, bytes);
    ranks = reinterpret_cast<const int*>(copy.data());
  }
  with_space(space, [&](const auto& instance) {
    exec::for_each(instance, label, count, RankOfPart{ranks, parts});
  });
  space.fence(label);
}

}  // namespace

void write_ranks(const Space& space, const Domains& domains, const Set& set, int* ranks) {
  if (!own_places(domains)) refuse_places("core/domains");
  if (const auto* curve = std::get_if<CurveDomains>(&domains))
    write_parts_of(space, *curve, set, ranks);
  else if (const auto* grid = std::get_if<GridDomains>(&domains))
    write_parts(space, *grid, set, ranks);
  else
    write_parts(space, std::get<TreeDomains>(domains), set, ranks);
  if (!rank_of_part(domains).empty() && set.count() > 0)
    renumber(space, rank_of_part(domains), set.count(), ranks);
}

exec::Array<int> owners_of(const Space& space, const Domains& domains, const Set& set) {
  check(set);
  exec::Array<int> owners(space, label, set.count());
  write_ranks(space, domains, set, owners.data());
  return owners;
}

Domains renumbered(const Domains& domains, std::int64_t generation) {
  if (const auto* curve = std::get_if<CurveDomains>(&domains))
    return CurveDomains(generation, curve->dimensions(), curve->box(), curve->periodic(),
                        curve->splitters(), curve->curve(), curve->rank_of_part());
  if (const auto* tree = std::get_if<TreeDomains>(&domains))
    return TreeDomains(generation, tree->dimensions(), tree->box(), tree->periodic(), tree->nodes(),
                       tree->rank_of_part());
  if (const auto* parts = std::get_if<GraphDomains>(&domains)) {
    GraphDomains again(generation, parts->division(), parts->dimensions(), parts->box(),
                       parts->periodic(), parts->report());
    again.set_cut_from_nothing(parts->cut_from_nothing());
    return again;
  }
  const auto& grid = std::get<GridDomains>(domains);
  return GridDomains(generation, grid.shape(), grid.box(), grid.periodic(), grid.borders(),
                     grid.rank_of_part());
}

bool is_same_division(const Domains& a, const Domains& b) {
  if (a.index() != b.index() || !(box_of(a) == box_of(b)) || rank_of_part(a) != rank_of_part(b))
    return false;
  if (const auto* curve = std::get_if<CurveDomains>(&a)) {
    const auto& other = std::get<CurveDomains>(b);
    return curve->curve() == other.curve() && curve->splitters() == other.splitters();
  }
  if (const auto* tree = std::get_if<TreeDomains>(&a))
    return tree->nodes() == std::get<TreeDomains>(b).nodes();
  if (const auto* parts = std::get_if<GraphDomains>(&a))
    return parts->parts() == parts_of(b) && parts->division() == std::get<GraphDomains>(b).division();
  const auto& grid = std::get<GridDomains>(a);
  const auto& other = std::get<GridDomains>(b);
  return grid.shape() == other.shape() && grid.borders() == other.borders();
}

}  // namespace evenkeel
