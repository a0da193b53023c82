#pragma once

// Nets over the vertices of a level of a graph, on each rank all that have a vertex of it. Light
// nets are copied whole to the ranks of their pins, so that each rank sees by itself what a move of
// its vertices changes.

#include "graph/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// Nets, each once on all ranks together: pins distinct and ascending, two at least.
struct LooseNets {
  exec::Array<std::int64_t> offsets;  // nets + 1
  exec::Array<Address> pins;
  exec::Array<EdgeUnits> weights;

  std::int64_t count() const noexcept { return weights.size(); }
};

using Net = std::int32_t;

// Pins count the owned vertices of the level first, as the level does, and then ghosts, which are
// others than those of the level.
struct NetLevel {
  Space space = Space(0, nullptr);
  std::int64_t owned = 0;
  exec::Array<std::int64_t> offsets;  // nets + 1
  exec::Array<Vertex> pins;
  exec::Array<EdgeUnits> weights;
  exec::Array<int> is_home;  // of each net: on one of the ranks that have it
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
