#pragma once

// The shapes of one panel of a drawing. Local: one rank draws.

#include "partition/drawing/paint.hpp"
#include "partition/drawing/raster.hpp"
#include "partition/drawing/regions.hpp"
#include "partition/drawing/subject.hpp"
#include "partition/drawing/view.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::tool {

// All objects, where they are few enough to be drawn one by one.
struct Dots {
  std::vector<std::array<double, 3>> places;  // of each object
  std::vector<std::int32_t> parts;
};

struct Panel {
  std::string name;  // of several
  View view;
  double left = 0, top = 0, scale = 1;  // in pixels; pixels per unit
  double cell = 1;                      // pixels of a cell
  Raster raster;
  Regions regions;

  double width() const noexcept { return view.width * scale; }
  double height() const noexcept { return view.height * scale; }
};

// A panel with all its shapes; without `dots`, cells stand for objects.
std::string markup_of(const Panel& panel, const Subject& subject, const Frame& frame,
                      const Paint& paint, const Dots* dots);

// Whether the way of the curve is drawn: there are few parts, and its lattice is coarse enough or
// as good as any coarser one.
bool shows_curve(const Subject& subject);

}  // namespace evenkeel::tool
