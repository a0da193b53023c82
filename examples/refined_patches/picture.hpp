#pragma once

// A picture of example 05: the rank of each piece of a patch.

#include "mesh.hpp"

#include <evenkeel/extras/patches/patch_model.hpp>

#include <fstream>
#include <string>

namespace refined {

// A piece of a patch, and the level of its cells.
struct Shared {
  int level;
  ek::PatchPiece piece;
};

// Draws finer pieces over coarser ones, in the colour of their rank. Finer pieces have a stronger
// colour.
inline void draw_pieces(const std::string& path, const std::vector<Shared>& shared) {
  constexpr const char* colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                     "#66ccee", "#aa3377", "#bbbbbb"};
  std::ofstream file(path);
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-2 -2 516 260\">\n"
       << "<rect x=\"-2\" y=\"-2\" width=\"516\" height=\"260\" fill=\"white\"/>\n";
  for (int level = 0; level < levels; ++level)
    for (const Shared& of : shared) {
      if (of.level != level) continue;
      const ek::CellRange& cells = of.piece.cells;
      const std::int64_t scale = std::int64_t{2} << (finest - level);
      const auto draw = [&](const char* fill, const std::string& more) {
        file << "<rect x=\"" << scale * cells.begin[0] << "\" y=\"" << 256 - scale * cells.end[1]
             << "\" width=\"" << scale * size_of(cells)[0] << "\" height=\""
             << scale * size_of(cells)[1] << "\" fill=\"" << fill << "\"" << more << "/>\n";
      };
      draw("white", "");
      draw(colours[of.piece.rank % 7], " stroke=\"black\" stroke-width=\"0.7\" fill-opacity=\"0." +
                                           std::to_string(1 + 2 * level) + "\"");
    }
  file << "</svg>\n";
}

}  // namespace refined
