#pragma once

// The methods that make domains.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/graph/method.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace evenkeel {

// Domains are ranges of a curve through the box. Ranges of the Hilbert curve have the least
// surface. Morton is for codes that order their own data along this curve. Domains of Snake are
// slabs along the last axis.
struct Hilbert {
  friend bool operator==(const Hilbert&, const Hilbert&) = default;
};
struct Morton {
  friend bool operator==(const Morton&, const Morton&) = default;
};
struct Snake {
  friend bool operator==(const Snake&, const Snake&) = default;
};

// Domains are boxes, one for each rank. Staggered is a grid in which each plane has its own borders
// between columns, and each column has its own borders between cells. Tensor is a grid whose
// borders go through the whole box. RecursiveBisection cuts each box across its longest side; with
// cell sizes also across another side, if the parts then are clearly more even.
struct Staggered {
  // The number of domains along each axis. If it is 0, evenkeel chooses the number that makes
  // domains as close to cubes as possible.
  std::array<int, 3> grid = {0, 0, 0};
  friend bool operator==(const Staggered&, const Staggered&) = default;
};
struct Tensor {
  std::array<int, 3> grid = {0, 0, 0};
  friend bool operator==(const Tensor&, const Tensor&) = default;
};
struct RecursiveBisection {
  // The axes across which boxes are cut: with x and y alone, domains are columns along z.
  std::array<bool, 3> axes = {true, true, true};
  friend bool operator==(const RecursiveBisection&, const RecursiveBisection&) = default;
};

// Domains are the cells of a power diagram: convex and compact polyhedra of equal weight. Fewer
// objects are within a distance of another domain, and a rebalance moves fewer objects than along a
// curve. To find cells takes longer.
struct Voronoi {
  friend bool operator==(const Voronoi&, const Voronoi&) = default;
};

// Domains are the hexahedra of a mesh whose inner vertices move, or quadrilaterals. Each domain has
// up to 26 neighbours, which do not change. A mesh cannot balance every cloud: if a thread runs
// through few hexahedra, lambda stays high.
struct Mesh {
  // As for Staggered.
  std::array<int, 3> grid = {0, 0, 0};
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

// evenkeel chooses the method: Hilbert, Staggered, RecursiveBisection or Voronoi, as far as
// Options::methods allows it. It predicts the time of a step for each, on the present objects:
// that of the rank with the most work and ghosts. It chooses at the first distribution, and again
// at the second, fourth, eighth rebalance and so on. It takes another method only if the step gets
// at least 3 % shorter, with the move counted. See docs/howto/choose_a_method.md.
struct Auto {
  // The width of the halo in a straight line. If it is 0, only work counts.
  double halo = 0;
  // The seconds of a rank per step for each of its ghosts, and for each neighbouring domain. If
  // both are 0, they are learned from the kernels that exchange ghosts
  // (KernelOptions::exchanges_ghosts). Until something has been measured, a ghost costs a tenth of
  // the work on an object.
  double ghost_seconds = 0, neighbour_seconds = 0;
  friend bool operator==(const Auto&, const Auto&) = default;
};

// Domains can also be parts of the graph that the set brings (SetOptions::graph): see ByGraph in
// core/graph/method.hpp.

// One of the methods.
using Method = std::variant<Hilbert, Morton, Snake, Staggered, Tensor, RecursiveBisection, ByGraph,
                            Voronoi, Mesh, Auto>;

// The text of a method in options, such as "hilbert", "staggered 4x2x1" or "graph fast 1.05", and
// the method of such a text. Converting there and back loses nothing.
EVENKEEL_API std::string to_text(const Method& method);
EVENKEEL_API std::optional<Method> method_from_text(std::string_view text);

// All names, and a description of the valid texts, for messages.
EVENKEEL_API std::vector<std::string_view> method_names();
inline constexpr const char* method_texts =
    "hilbert, morton, snake or voronoi; bisection, with or without the axes to cut (bisection xy); "
    "staggered, tensor or mesh, with or without the number of domains along each axis (tensor "
    "4x4x2; 0 leaves the choice to evenkeel); graph, with or without effort, target lambda, moving "
    "cost and seconds of an edge (graph fast 1.05 0 1e-7); or auto, with or without width of the "
    "halo, seconds of a ghost and of a neighbour (auto 0.1 1e-8 1e-6)";

// True if domains are ranges of a curve, or parts of a graph. If both are false, they are boxes,
// cells of a power diagram, or hexahedra of a mesh, or evenkeel chooses the method.
inline bool places_along_curve(const Method& method) noexcept {
  return std::holds_alternative<Hilbert>(method) || std::holds_alternative<Morton>(method) ||
         std::holds_alternative<Snake>(method);
}
inline bool places_by_graph(const Method& method) noexcept {
  return std::holds_alternative<ByGraph>(method);
}

// The domains along each axis, or nullopt for methods without such numbers.
EVENKEEL_API std::optional<std::array<int, 3>> extents_of(const Method& method) noexcept;

}  // namespace evenkeel
