#pragma once

// Nets over the vertices of a level of a graph. Each rank has all nets that have one of its
// vertices. Nets are copied whole to the ranks of their pins, so that each rank can compute the
// effect of a move of its vertices.

#include "graph/levels/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// Nets, each once over all ranks. The pins of a net are distinct and ascending, at least two.
struct LooseNets {
  exec::Array<std::int64_t> offsets;  // nets + 1
  exec::Array<Address> pins;
  exec::Array<EdgeUnits> weights;

  std::int64_t count() const noexcept { return weights.size(); }
};

using Net = std::int32_t;

// Pins count the owned vertices of the level first, like the level, and then ghosts. These ghosts
// are not those of the level.
struct NetLevel {
  Space space = Space(0, nullptr);
  std::int64_t owned = 0;
  exec::Array<std::int64_t> offsets;  // nets + 1
  exec::Array<Vertex> pins;
  exec::Array<EdgeUnits> weights;
  exec::Array<int> is_home;  // of each net; 1 on one of the ranks that have it
  // Nets of each vertex and ghost.
  exec::Array<std::int64_t> firsts;  // local() + 1
  exec::Array<Net> nets;
  Ghosts ghosts;

  std::int64_t count() const noexcept { return weights.size(); }
  std::int64_t local() const noexcept { return owned + ghosts.count(); }
};

// The same for kernels.
struct NetsView {
  const std::int64_t* offsets;
  const Vertex* pins;
  const EdgeUnits* weights;
  const int* is_home;
  const std::int64_t* firsts;
  const Net* nets;
  explicit NetsView(const NetLevel& level)
      : offsets(level.offsets.data()),
        pins(level.pins.data()),
        weights(level.weights.data()),
        is_home(level.is_home.data()),
        firsts(level.firsts.data()),
        nets(level.nets.data()) {}
};

}  // namespace evenkeel::graphs
