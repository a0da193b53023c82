#pragma once

// Nets over the vertices of a level of a graph. Each rank has a complete copy of all nets that have
// a pin among its vertices. So each rank can compute the effect of a move of its vertices.

#include "graph/levels/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// Nets that are not yet copied: each is on one rank only. A net has at least two pins, which are
// distinct and ascending.
struct LooseNets {
  exec::Array<std::int64_t> offsets;  // nets + 1 entries
  exec::Array<Address> pins;
  exec::Array<EdgeUnits> weights;

  std::int64_t count() const noexcept { return weights.size(); }
};

using Net = std::int32_t;

// A pin is an index: it counts the owned vertices of the level first, then the ghosts. The ghosts
// are those of the nets, and differ from the ghosts of the level.
struct NetLevel {
  Space space = Space(0, nullptr);
  std::int64_t owned = 0;
  exec::Array<std::int64_t> offsets;  // nets + 1 entries
  exec::Array<Vertex> pins;
  exec::Array<EdgeUnits> weights;
  exec::Array<int> is_home;  // by net: 1 on one of the ranks that have the net, 0 on the others
  // `firsts` and `nets` list the nets of each vertex and ghost.
  exec::Array<std::int64_t> firsts;  // local() + 1 entries
  exec::Array<Net> nets;
  Ghosts ghosts;

  std::int64_t count() const noexcept { return weights.size(); }
  std::int64_t local() const noexcept { return owned + ghosts.count(); }
};

// NetLevel, for kernels.
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
