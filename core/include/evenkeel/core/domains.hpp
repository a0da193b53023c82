#pragma once

// Who owns what, for any method: one type that can hold the domains of each.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/core/domains/graph.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/tree.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace evenkeel {

// Ranges of a curve, boxes of a grid, boxes of a tree, or parts of a graph. The latter own objects
// and no places: they refuse all questions about places with an Error.
using Domains = std::variant<CurveDomains, GridDomains, TreeDomains, GraphDomains>;

// Whether places have owners.
inline bool own_places(const Domains& domains) noexcept {
  return !std::holds_alternative<GraphDomains>(domains);
}

// Questions that all of them answer; see the classes.
inline std::int64_t generation_of(const Domains& domains) noexcept {
  return std::visit([](const auto& all) { return all.generation(); }, domains);
}
inline int parts_of(const Domains& domains) noexcept {
  return std::visit([](const auto& all) { return all.parts(); }, domains);
}
inline int dimensions_of(const Domains& domains) noexcept {
  return std::visit([](const auto& all) { return all.dimensions(); }, domains);
}
inline const Box& box_of(const Domains& domains) noexcept {
  return std::visit([](const auto& all) -> const Box& { return all.box(); }, domains);
}
inline const std::vector<int>& rank_of_part(const Domains& domains) noexcept {
  return std::visit([](const auto& all) -> const std::vector<int>& { return all.rank_of_part(); },
                    domains);
}
inline int owner_of(const Domains& domains, std::span<const double> point) {
  return std::visit([&](const auto& all) { return all.owner_of(point); }, domains);
}
// The same domains, with another generation number.
EVENKEEL_API Domains renumbered(const Domains& domains, std::int64_t generation);
// Whether both divide the same box alike, whatever their generations.
EVENKEEL_API bool is_same_division(const Domains& a, const Domains& b);
// Writes the rank that owns each object of a set to ranks[0] ... `space` must reach the positions
// and `ranks`; the domains must have parts. Local. Blocks.
EVENKEEL_API void write_ranks(const Space& space, const Domains& domains, const Set& set,
                              int* ranks);
// The same as an array, in the memory that `space` works on.
EVENKEEL_API exec::Array<int> owners_of(const Space& space, const Domains& domains, const Set& set);
inline std::vector<int> ranks_within(const Domains& domains, const Box& box, double width) {
  return std::visit([&](const auto& all) { return ranks_within(all, box, width); }, domains);
}

}  // namespace evenkeel
