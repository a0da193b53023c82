#include "drive/agreement.hpp"

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/balancer";

// A bit for each set of which this is so.
std::uint64_t those_among(std::span<const Set> sets, bool (*is_so)(const SetOptions&)) {
  std::uint64_t bits = 0;
  for (std::size_t s = 0; s < std::min(sets.size(), RankStatement::most_sets); ++s)
    if (is_so(sets[s].options())) bits |= std::uint64_t{1} << s;
  return bits;
}

bool is_weighted(const SetOptions& set) { return set.weight.given(); }
bool is_typed(const SetOptions& set) { return set.type.given() || set.features.given(); }

bool any_bound(std::span<const Set> sets) {
  return std::any_of(sets.begin(), sets.end(), [](const Set& set) {
    return set.options().group.given() || set.options().pinned.given();
  });
}

void add_statement(RankStatement& into, const RankStatement& from) noexcept {
  into.step_least = std::min(into.step_least, from.step_least);
  into.step_greatest = std::max(into.step_greatest, from.step_greatest);
  into.generation_least = std::min(into.generation_least, from.generation_least);
  into.generation_greatest = std::max(into.generation_greatest, from.generation_greatest);
  into.weighted_by_all &= from.weighted_by_all;
  into.weighted_by_any |= from.weighted_by_any;
  into.typed_by_all &= from.typed_by_all;
  into.typed_by_any |= from.typed_by_any;
  into.bound |= from.bound;
  into.hooked |= from.hooked;
  into.load += from.load;
  into.expected += from.expected;
  into.objects += from.objects;
  into.forgotten += from.forgotten;
  into.fits += from.fits;
  into.work.add(from.work);
}

void require_alike(const RankStatement& all) {
  if (all.weighted_by_all != all.weighted_by_any)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Some ranks gave weights for a set, others none.",
                "Give .weight for the same sets on all ranks, also where a rank has no objects.");
  if (all.typed_by_all != all.typed_by_any)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Some ranks gave types or features for a set, others none.",
                "Give them for the same sets on all ranks, also where a rank has no objects.");
  if (all.step_least == all.step_greatest && all.generation_least == all.generation_greatest)
    return;
  throw Error(ErrorKind::disagreement, Where{stage_name},
              "Ranks came to a rebalance at steps " + std::to_string(all.step_least) + " to " +
                  std::to_string(all.step_greatest) + " and generations " +
                  std::to_string(all.generation_least) + " to " +
                  std::to_string(all.generation_greatest) + '.',
              "Call step and rebalance equally often on all ranks.");
}

}  // namespace

// Of too many groups the same ones stay, in whatever order they are added: the least.
void AgreedWork::add_group(std::uint32_t group) noexcept {
  if (group == 0 || has(group)) return;
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::replace(groups.begin(), groups.end(), std::uint32_t{0}, none);
  if (group < groups.back()) groups.back() = group;
  std::sort(groups.begin(), groups.end());
  std::replace(groups.begin(), groups.end(), none, std::uint32_t{0});
}

void AgreedWork::add(const AgreedWork& other) noexcept {
  for (std::size_t s = 0; s < columns.size(); ++s) columns[s] |= other.columns[s];
  for (const std::uint32_t group : other.groups) add_group(group);
  phases |= other.phases;
}

std::int64_t objects_in(std::span<const Set> sets) {
  std::int64_t objects = 0;
  static_cast<void>(attempt(stage_name, [&] {
    for (const Set& set : sets) objects += std::max<std::int64_t>(0, set.count());
  }));
  return objects;
}

RankStatement statement_of(std::span<const Set> sets) {
  RankStatement mine;
  mine.weighted_by_all = mine.weighted_by_any = those_among(sets, &is_weighted);
  mine.typed_by_all = mine.typed_by_any = those_among(sets, &is_typed);
  mine.bound = any_bound(sets) ? 1 : 0;
  mine.objects = objects_in(sets);
  return mine;
}

Agreed agreed_by(const Communicator& ranks, const Status& status, const RankStatement& mine) {
  const RankStatement all = vote<&add_statement>(ranks, status, mine);
  require_alike(all);
  Agreed agreed;
  agreed.mine = static_cast<double>(mine.load);
  agreed.my_objects = mine.objects;
  agreed.objects = all.objects;
  agreed.forgotten = all.forgotten;
  if (all.expected > 0)
    agreed.expected = static_cast<double>(mine.expected) * static_cast<double>(all.load) /
                      static_cast<double>(all.expected);
  agreed.bound = all.bound != 0;
  agreed.hooked = all.hooked != 0;
  agreed.fits = all.fits == ranks.size();
  agreed.is_typed = all.typed_by_any != 0;
  agreed.work = all.work;
  if (all.objects > 0)
    agreed.mean_per_object = static_cast<double>(all.load) / static_cast<double>(all.objects);
  return agreed;
}

int dimensions_of(std::span<const SetShape> shapes, const Domains& last) {
  int dimensions = evenkeel::dimensions_of(last);
  for (const SetShape& shape : shapes) {
    if (dimensions != 0 && shape.dimensions != 0 && shape.dimensions != dimensions)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "Sets in 2 and in 3 dimensions cannot share a decomposition.",
                  "Give them Balancers of their own.");
    dimensions = std::max(dimensions, shape.dimensions);
  }
  return dimensions;
}

}  // namespace evenkeel
