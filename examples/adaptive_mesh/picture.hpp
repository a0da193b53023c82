#pragma once

// A picture of the mesh, and beside it the area around the front, five times as large. An element
// has the colour of the rank that owns all its nodes. Poor elements are black, and elements with
// nodes of several ranks are white.

#include "../in_turn.hpp"
#include "quality.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace adaptive_mesh_picture {

constexpr int size = 500, unit = 10;  // pixels of a panel; parts of a pixel

// The elements of a rank by kind: its own, those with nodes of other ranks, and poor ones.
inline std::array<std::string, 3> paths_of(const Nodes& nodes) {
  const Kokkos::HostSpace host;
  const auto id = Kokkos::create_mirror_view_and_copy(host, nodes.id);
  const auto x = Kokkos::create_mirror_view_and_copy(host, nodes.x);
  const auto first = Kokkos::create_mirror_view_and_copy(host, nodes.first);
  const auto near = Kokkos::create_mirror_view_and_copy(host, nodes.near);
  const auto quality = Kokkos::create_mirror_view_and_copy(host, nodes.quality);
  const auto pixels = [](double place) {
    return static_cast<int>(std::lround(size * unit * place));
  };
  std::array<std::string, 3> paths;
  for (std::int64_t i = 0; i < nodes.owned; ++i)
    for (std::int64_t e = first(i); e < first(i + 1); ++e) {
      if (quality(e) >= no_element) continue;
      const std::int64_t one = near(e), other = near(e + 1 < first(i + 1) ? e + 1 : first(i));
      if (id(one) < id(i) || id(other) < id(i)) continue;
      const std::size_t kind = quality(e) < poor                            ? 2
                               : one >= nodes.owned || other >= nodes.owned ? 1
                                                                            : 0;
      const int at[6] = {pixels(x(i, 0)),       pixels(1 - x(i, 1)), pixels(x(one, 0)),
                         pixels(1 - x(one, 1)), pixels(x(other, 0)), pixels(1 - x(other, 1))};
      char triangle[96];
      std::snprintf(triangle, sizeof triangle, "M%d %dl%d %dl%d %dz", at[0], at[1], at[2] - at[0],
                    at[3] - at[1], at[4] - at[2], at[5] - at[3]);
      paths[kind] += triangle;
    }
  return paths;
}

}  // namespace adaptive_mesh_picture

// Collective.
inline void draw(const ek::Communicator& ranks, const Nodes& nodes, const std::string& path) {
  using namespace adaptive_mesh_picture;
  const std::array<const char*, 8> of_ranks = {"#4e79a7", "#f1ce63", "#86bcb6", "#e15759",
                                               "#b07aa1", "#9c755f", "#bab0ac", "#8cd17d"};
  const std::array<std::string, 3> paths = paths_of(nodes);
  const std::array<const char*, 3> fills = {
      of_ranks[static_cast<std::size_t>(ranks.rank()) % of_ranks.size()], "#fff", "#000"};
  write_in_turn(ranks, path, [&](std::FILE* file) {
    const int rank = ranks.rank();
    if (rank == 0)
      std::fprintf(file,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n"
                   "<clipPath id=\"panel\"><path d=\"M0 0h%dv%dh-%dz\"/></clipPath>\n"
                   "<g stroke=\"#333\" stroke-width=\"3\"><g id=\"mesh\" "
                   "transform=\"scale(%g)\">\n",
                   2 * size + 10, size, size, size, size, 1.0 / unit);
    for (std::size_t kind = 0; kind < paths.size(); ++kind)
      std::fprintf(file, "<path fill=\"%s\" d=\"%s\"/>\n", fills[kind], paths[kind].c_str());
    if (rank + 1 == ranks.size()) {
      constexpr double zoom = 5, from_middle = (Front::inner + Front::outer) / 2;
      const double across = 0.5 + from_middle * nodes.mesh.front.along[0];
      const double down = 0.5 - from_middle * nodes.mesh.front.along[1];
      std::fprintf(file,
                   "</g></g>\n<g transform=\"translate(%d)\" clip-path=\"url(#panel)\" "
                   "stroke=\"#333\" stroke-width=\"1\">\n"
                   "<use href=\"#mesh\" transform=\"translate(%g %g) scale(%g)\"/></g></svg>\n",
                   size + 10, size * (0.5 - zoom * across), size * (0.5 - zoom * down), zoom);
    }
  });
}
