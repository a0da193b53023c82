#pragma once

// The methods of making domains that can be chosen.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/graph/method.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace evenkeel {

// Domains are ranges of a curve through the box: of the Hilbert curve, whose ranges have the least
// surface; of the Morton curve, for codes that order their own data along it; of the snake, which
// makes slabs along the last axis.
struct Hilbert {
  friend bool operator==(const Hilbert&, const Hilbert&) = default;
};
struct Morton {
  friend bool operator==(const Morton&, const Morton&) = default;
};
struct Snake {
  friend bool operator==(const Snake&, const Snake&) = default;
};

// Domains are boxes, one for each rank: of a grid whose planes, columns in them and cells in those
// have borders of their own; of a grid whose borders go through the whole box; of recursive
// bisection along the longest side.
struct Staggered {
  // Domains along each axis; 0: chosen so that domains are as near to cubes as they can be.
  std::array<int, 3> grid = {0, 0, 0};
  friend bool operator==(const Staggered&, const Staggered&) = default;
};
struct Tensor {
  std::array<int, 3> grid = {0, 0, 0};
  friend bool operator==(const Tensor&, const Tensor&) = default;
};
struct RecursiveBisection {
  friend bool operator==(const RecursiveBisection&, const RecursiveBisection&) = default;
};

// Domains are parts of the graph that the set brings (SetOptions::graph): ByGraph, of
// core/graph/method.hpp.

// Any of the methods.
using Method = std::variant<Hilbert, Morton, Snake, Staggered, Tensor, RecursiveBisection, ByGraph>;

// "hilbert", "staggered 4x2x1", "graph fast 0.05", ...: as options say it. Without loss.
EVENKEEL_API std::string to_text(const Method& method);
EVENKEEL_API std::optional<Method> method_from_text(std::string_view text);

// All names, and what a text may be, for messages.
EVENKEEL_API std::vector<std::string_view> method_names();
inline constexpr const char* method_texts =
    "hilbert, morton, snake, bisection, staggered or tensor, the last two with or without the "
    "domains along each axis, as in tensor 4x4x2; 0 has them chosen; or graph, with or without "
    "effort, tolerance, moving cost and seconds of an edge, as in graph fast 0.05 0 1e-7";

// Whether domains are ranges of a curve, or parts of a graph; otherwise they are boxes.
inline bool places_along_curve(const Method& method) noexcept {
  return std::holds_alternative<Hilbert>(method) || std::holds_alternative<Morton>(method) ||
         std::holds_alternative<Snake>(method);
}
inline bool places_by_graph(const Method& method) noexcept {
  return std::holds_alternative<ByGraph>(method);
}

// The domains along each axis; nothing for methods without a grid.
EVENKEEL_API std::optional<std::array<int, 3>> extents_of(const Method& method) noexcept;

}  // namespace evenkeel
