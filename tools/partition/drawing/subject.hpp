#pragma once

// What a drawing of a partition shows: objects or vertices at their places, the part of each, and
// figures that say how even the parts are.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/vtk.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace evenkeel::tool {

struct Figure {
  std::string name, value;
};

// The same on all ranks, except for what is said to be of this rank. Refers to arrays and domains
// of the caller.
struct Subject {
  std::string method;               // "staggered, in a grid of 2 x 3"
  std::string objects = "objects";  // what they are called
  std::string object = "object";    // and one of them
  std::string basis;                // "by count"
  int dimensions = 2;
  std::int64_t everywhere = 0;       // objects on all ranks
  Box box;                           // that is drawn; objects outside it are drawn at its rim
  std::vector<double> work;          // of each part
  std::vector<std::int64_t> counts;  // the objects of each part
  std::vector<Figure> figures;       // for the legend

  // Of this rank's objects, in their order: coordinates one object after the other, as doubles or
  // as floats, and parts.
  std::span<const double> places;
  std::span<const float> float_places;
  std::span<const std::int32_t> parts;

  std::array<double, 3> place(std::size_t index) const noexcept {
    const auto n = static_cast<std::size_t>(dimensions);
    std::array<double, 3> place = {0, 0, 0};
    for (std::size_t axis = 0; axis < n; ++axis)
      place[axis] =
          places.empty() ? double{float_places[index * n + axis]} : places[index * n + axis];
    return place;
  }

  // Domains that own places, and their boxes where a part has one at most; none for a graph.
  const Domains* domains = nullptr;
  std::vector<DomainCell> boxes;

  // Both ends of each edge of a graph, by their numbers among all objects; empty where there are
  // too many to draw. On rank 0 alone.
  std::vector<std::array<std::int64_t, 2>> edges;
};

}  // namespace evenkeel::tool
