#pragma once

// A picture of the gel as it collapses. It shows a slice along one wall at three times, side by
// side, with each bead in the colour of its rank.

#include "../in_turn.hpp"
#include "beads.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

class Picture {
 public:
  Picture(std::string path, double side) : path_(std::move(path)), side_(side) {}

  // Local. Does nothing if no picture was asked for.
  void take(const Beads& beads) {
    if (path_.empty()) return;
    const Kokkos::HostSpace host;
    const auto x = Kokkos::create_mirror_view_and_copy(host, beads.x);
    std::string& dots = moments_.emplace_back();
    for (std::size_t i = 0; i < static_cast<std::size_t>(beads.owned); ++i) {
      if (x(i, 0) > depth) continue;
      char dot[32];
      std::snprintf(dot, sizeof dot, "M%ld %ldh0", pixels(x(i, 1)), pixels(side_ - x(i, 2)));
      dots += dot;
    }
  }

  // Collective.
  void write(const ek::Communicator& ranks) const {
    if (path_.empty()) return;
    constexpr std::array<const char*, 8> colours = {"#4e79a7", "#f1ce63", "#86bcb6", "#e15759",
                                                    "#b07aa1", "#9c755f", "#bab0ac", "#8cd17d"};
    const char* const colour = colours[static_cast<std::size_t>(ranks.rank()) % colours.size()];
    write_in_turn(ranks, path_, [&](std::FILE* file) {
      const int wide = size + gap, count = static_cast<int>(moments_.size());
      if (ranks.rank() == 0) {
        std::fprintf(file,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n"
                     "<g fill=\"none\" stroke=\"#999\" stroke-width=\"2\">\n",
                     count * wide - gap, size);
        for (int m = 0; m < count; ++m)
          std::fprintf(file, "<path d=\"M%d 0h%dv%dh-%dz\"/>\n", m * wide, size, size, size);
        std::fprintf(file, "</g>\n<g stroke-linecap=\"round\" stroke-width=\"%ld\">\n", pixels(1));
      }
      for (int m = 0; m < count; ++m)
        std::fprintf(file, "<path transform=\"translate(%d)\" stroke=\"%s\" d=\"%s\"/>\n", m * wide,
                     colour, moments_[static_cast<std::size_t>(m)].c_str());
      if (ranks.rank() + 1 == ranks.size()) std::fputs("</g></svg>\n", file);
    });
  }

 private:
  static constexpr int size = 600, gap = 20;  // pixels
  static constexpr double depth = 1.2;        // of the slice
  long pixels(double length) const { return std::lround(size * length / side_); }

  std::string path_;
  double side_;
  std::vector<std::string> moments_;
};
