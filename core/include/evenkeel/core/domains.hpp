#pragma once

// Who owns what, whatever the method: one value for those that may be any.

#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/grid/box_tree.hpp>
#include <evenkeel/core/grid/grid_decomposition.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace evenkeel {

// Ranges of a curve, boxes of a grid, or boxes of a tree.
using Domains = std::variant<Decomposition, GridDecomposition, BoxTree>;

// What all of them can tell; see there.
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
// The rank that owns each object of a set, to ranks[0] ..., in memory that `space` reaches, as it
// reaches the positions; domains have parts. Local. Blocks.
EVENKEEL_API void write_ranks(const Space& space, const Domains& domains, const Set& set,
                              int* ranks);
inline std::vector<int> ranks_within(const Domains& domains, const Box& box, double width) {
  return std::visit([&](const auto& all) { return ranks_within(all, box, width); }, domains);
}

}  // namespace evenkeel
