// Checks that all ranks bring the same sets, and that these sets can be moved.

#include "migrate/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/migrate/move.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr std::size_t most_fields = ShapeStatement::most_fields;

// Returns a number for a field. Fields that differ in type, size or kind of memory have different
// numbers. The number of components is compared separately, because a View without extents does not
// know it yet.
std::uint64_t describe(const FieldLayout& at, bool first_of_set) {
  const auto bits = [](auto value) { return static_cast<std::uint64_t>(value); };
  return bits(first_of_set) | bits(at.memory) << 1U | bits(at.scalar) << 4U |
         bits(at.element_bytes) << 16U;
}

// Returns such a number for a payload.
std::uint64_t describe(const Payload& payload) {
  const auto bits = [](auto value) { return static_cast<std::uint64_t>(value); };
  constexpr std::uint64_t is_payload = 8;  // differs from all kinds of memory
  return is_payload | bits(payload.memory()) << 1U | bits(payload.unit_bytes()) << 16U;
}

constexpr int unknown_least = std::numeric_limits<int>::max();
constexpr int unknown_greatest = 0;

void require_few(std::span<const Set> sets, std::int64_t own, std::int64_t companions) {
  if (own + companions <= std::int64_t{most_fields}) return;
  const std::string added =
      companions > 0 ? ", to which evenkeel adds " + std::to_string(companions) : "";
  refuse((sets.size() == 1 ? "The set has " : std::to_string(sets.size()) + " sets have ") +
             std::to_string(own) + " fields and payloads" + added + "; at most " +
             std::to_string(most_fields) + " can move at once.",
         "Carry records, or fields of several components, or give some sets a Balancer of "
         "their own.");
}

ShapeStatement statement_of(std::span<const Set> sets) {
  ShapeStatement shapes;
  std::int64_t companions = 0;
  for (const Set& set : sets) {
    for (std::size_t i = 0; i < set.fields().size(); ++i) companions += set.is_companion(i) ? 1 : 0;
    shapes.most_own += std::ssize(set.fields()) + std::ssize(set.payloads());
  }
  shapes.fewest_own = shapes.most_own -= companions;
  require_few(sets, shapes.most_own, companions);
  std::size_t f = 0;
  const auto add = [&](std::uint64_t type, int components, bool unknown) {
    shapes.least_type[f] = shapes.greatest_type[f] = type;
    shapes.least_components[f] = unknown ? unknown_least : components;
    shapes.greatest_components[f] = unknown ? unknown_greatest : components;
    ++f;
  };
  for (const Set& set : sets) {
    for (const Field& field : set.fields()) {
      const FieldLayout at = field.layout();
      add(describe(at, &field == &set.fields().front()), at.components,
          at.components == 0 && at.count == 0);
    }
    for (const auto& payload : set.payloads()) add(describe(*payload), 1, false);
  }
  shapes.fewest = shapes.most = static_cast<std::int64_t>(f);
  return shapes;
}

[[noreturn]] void disagree(const std::string& problem) {
  throw Error(ErrorKind::disagreement, Where{stage_name}, problem,
              "Give the same sets with the same fields in the same order on all ranks, also where "
              "a rank has no objects.");
}

// Throws the same Error on all ranks, because it uses only `all`, which is the same on all ranks.
void require_agreement(const ShapeStatement& all) {
  if (all.fewest != all.most) {
    const bool own = all.fewest_own != all.most_own;
    disagree("Some ranks move " + std::to_string(own ? all.fewest_own : all.fewest) +
             " fields, others " + std::to_string(own ? all.most_own : all.most) + '.');
  }
  for (std::size_t f = 0; f < static_cast<std::size_t>(all.most); ++f) {
    const auto disagree_on = [&](const std::string& problem) {
      disagree("Field " + std::to_string(f) + " (counted over all sets) " + problem);
    };
    if (all.least_type[f] != all.greatest_type[f])
      disagree_on("has values of different type, size or memory on different ranks.");
    const bool unknown = all.greatest_components[f] == unknown_greatest;
    if (!unknown && all.least_components[f] != all.greatest_components[f])
      disagree_on("has " + std::to_string(all.least_components[f]) +
                  " components on some ranks and " + std::to_string(all.greatest_components[f]) +
                  " on others.");
  }
}

}  // namespace

void ShapeStatement::add(ShapeStatement& into, const ShapeStatement& from) noexcept {
  into.fewest = std::min(into.fewest, from.fewest);
  into.most = std::max(into.most, from.most);
  into.fewest_own = std::min(into.fewest_own, from.fewest_own);
  into.most_own = std::max(into.most_own, from.most_own);
  for (std::size_t f = 0; f < most_fields; ++f) {
    into.least_type[f] = std::min(into.least_type[f], from.least_type[f]);
    into.greatest_type[f] = std::max(into.greatest_type[f], from.greatest_type[f]);
    into.least_components[f] = std::min(into.least_components[f], from.least_components[f]);
    into.greatest_components[f] =
        std::max(into.greatest_components[f], from.greatest_components[f]);
  }
}

SetComparison::SetComparison(std::span<const Set> sets) : sets_(sets) {
  if (sets.empty()) refuse("There is nothing to move.", "Give at least one set.");
  check_movable(sets);
  mine_ = statement_of(sets);
  for (const Set& set : sets) shapes_.push_back({0, std::vector<int>(set.fields().size(), 0)});
}

std::vector<SetShape> SetComparison::agreed(const ShapeStatement& all) {
  require_agreement(all);
  std::size_t f = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    SetShape& shape = shapes_[s];
    const FieldLayout position = sets_[s].position();
    const FieldLayout field = sets_[s].fields().front().layout();
    for (int& components : shape.components) components = all.greatest_components[f++];
    f += sets_[s].payloads().size();
    // If objects are records, the position is only a part of the first field.
    const bool is_field = position.components == field.components;
    shape.dimensions = is_field ? shape.components.front() : position.components;
  }
  return std::move(shapes_);
}

std::vector<SetShape> stages::agree_on_sets(const Communicator& communicator,
                                            std::span<const Set> sets) {
  std::optional<SetComparison> comparison;
  const Status status = attempt(stage_name, [&] { comparison.emplace(sets); });
  const ShapeStatement mine = comparison ? comparison->mine() : ShapeStatement();
  const ShapeStatement all = vote<&ShapeStatement::add>(communicator, status, mine);
  return comparison->agreed(all);  // if there were no comparison, the vote would have thrown
}

}  // namespace evenkeel
