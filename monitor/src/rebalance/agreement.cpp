#include "rebalance/agreement.hpp"
#include "rebalance/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>

namespace evenkeel {

namespace {

constexpr std::size_t most_sets = AgreedWork::most_sets;

// A bit for each set for which `is_so` returns true.
std::uint64_t those_among(std::span<const Set> sets, bool (*is_so)(const SetOptions&)) {
  std::uint64_t bits = 0;
  for (std::size_t s = 0; s < sets.size(); ++s)
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

bool any_states_bytes(std::span<const Set> sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [](const Set& set) { return set.options().bytes_per_object > 0; });
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
  into.states_bytes |= from.states_bytes;
  into.costs.add(from.costs);
  ShapeStatement::add(into.shapes, from.shapes);
}

void require_alike(const RankStatement& all) {
  if (all.weighted_by_all != all.weighted_by_any)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Some ranks gave weights for a set, others did not.",
                "Give .weight for the same sets on all ranks, also where a rank has no objects.");
  if (all.typed_by_all != all.typed_by_any)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Some ranks gave types or features for a set, others did not.",
                "Give them for the same sets on all ranks, also where a rank has no objects.");
  if (all.step_least == all.step_greatest && all.generation_least == all.generation_greatest)
    return;
  throw Error(ErrorKind::disagreement, Where{stage_name},
              "Ranks reached a rebalance at different steps (" + std::to_string(all.step_least) +
                  " to " + std::to_string(all.step_greatest) + ") or generations (" +
                  std::to_string(all.generation_least) + " to " +
                  std::to_string(all.generation_greatest) + ").",
              "Call step and rebalance equally often on all ranks.");
}

}  // namespace

void require_use(const char* call, std::span<const Set> sets) {
  if (!exec::kokkos_is_running())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "Kokkos is not running.",
                std::string("Call ") + call + " between Kokkos::initialize and Kokkos::finalize.");
  if (sets.size() > most_sets)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                std::to_string(sets.size()) + " sets were given, and at most " +
                    std::to_string(most_sets) + " can move at once.",
                "Give some of them a Balancer of their own.");
}

void state(Arrival& here, std::int64_t step, std::int64_t generation, bool hooked) {
  RankStatement& mine = here.mine;
  mine.step_least = mine.step_greatest = step;
  mine.generation_least = mine.generation_greatest = generation;
  mine.weighted_by_all = mine.weighted_by_any = those_among(here.sets, &is_weighted);
  mine.typed_by_all = mine.typed_by_any = those_among(here.sets, &is_typed);
  mine.bound = any_bound(here.sets) ? 1 : 0;
  mine.hooked = hooked ? 1 : 0;
  mine.states_bytes = any_states_bytes(here.sets) ? 1 : 0;
  mine.shapes = here.comparison.emplace(here.sets).mine();
}

AgreedSets agreed_by(const Communicator& ranks, const Status& status, Arrival& here) {
  const RankStatement all = vote<&add_statement>(ranks, status, here.mine);
  require_alike(all);
  AgreedSets agreed{all.bound != 0, all.hooked != 0, all.states_bytes != 0,
                    agreed_from(here.mine.costs, all.costs, ranks.size()),
                    here.comparison->agreed(all.shapes)};
  agreed.costs.is_typed = all.typed_by_any != 0;
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
