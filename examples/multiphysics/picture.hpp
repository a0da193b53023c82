#pragma once

// A picture of the cells on a plane through the axis of the burner: one panel shows their solvers,
// the other their ranks.

#include <evenkeel/evenkeel.hpp>

#include "../in_turn.hpp"
#include "cells.hpp"

#include <array>
#include <cstdio>
#include <string>

inline void draw(const ek::Communicator& ranks, const Cells& cells, const std::string& path) {
  constexpr int size = 400, unit = 4;  // pixels of a panel; parts of a pixel
  const std::array<const char*, 3> of_solvers = {"#f28e2b", "#59a14f", "#a0cbe8"};
  const std::array<const char*, 8> of_ranks = {"#4e79a7", "#f1ce63", "#86bcb6", "#e15759",
                                               "#b07aa1", "#9c755f", "#bab0ac", "#8cd17d"};
  std::array<std::string, 3> squares;  // by solvers: the flow, both, the sound
  const Kokkos::HostSpace host;
  const auto id = Kokkos::create_mirror_view_and_copy(host, cells.id);
  const auto solvers = Kokkos::create_mirror_view_and_copy(host, cells.solvers);
  for (std::int64_t i = 0; i < cells.owned; ++i) {
    const double width = cells.tree.width_of(id(i));
    if (std::fabs(cells.tree.middle_of(id(i), 2) - 0.3001) >= width / 2) continue;
    const auto pixels = [&](double length) { return static_cast<int>(size * unit * length + 0.5); };
    const int left = pixels(cells.tree.middle_of(id(i), 0) - width / 2);
    const int top = pixels(1 - cells.tree.middle_of(id(i), 1) - width / 2);
    const int w = pixels(width);
    const std::size_t kind = solvers(i, 1) == no_solver ? 0 : solvers(i, 0) == no_solver ? 2 : 1;
    char square[64];
    std::snprintf(square, sizeof square, "M%d %dh%dv%dh-%dz", left, top, w, w, w);
    squares[kind] += square;
  }
  write_in_turn(ranks, path, [&](std::FILE* file) {
    const int rank = ranks.rank();
    if (rank == 0)
      std::fprintf(file,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n"
                   "<g stroke=\"#333\" stroke-width=\"1\" transform=\"scale(%g)\">\n",
                   2 * size + 20, size, 1.0 / unit);
    for (std::size_t kind = 0; kind < 3; ++kind)
      std::fprintf(file,
                   "<path fill=\"%s\" d=\"%s\"/>\n"
                   "<path fill=\"%s\" transform=\"translate(%d)\" d=\"%s\"/>\n",
                   of_solvers[kind], squares[kind].c_str(),
                   of_ranks[static_cast<std::size_t>(rank) % of_ranks.size()], (size + 20) * unit,
                   squares[kind].c_str());
    if (rank + 1 == ranks.size()) std::fputs("</g></svg>\n", file);
  });
}
