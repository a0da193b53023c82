#include "partition/drawing/panel.hpp"

#include "files/refusal.hpp"
#include "partition/drawing/markup.hpp"

#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/domains/curve.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <variant>

namespace evenkeel::tool {

namespace {

constexpr std::size_t most_labels = 64, most_borders = 1024, most_boxes = 4096;
constexpr double tenth = 10;  // dots and lines are counted in tenths of a pixel

std::string group(std::string_view attributes, std::string_view content) {
  if (content.empty()) return {};
  return joined({"<g ", attributes, ">\n", content, "</g>\n"});
}

struct Pixel {
  int x = 0, y = 0;  // in tenths
};

Pixel pixel_of(const Panel& panel, const std::array<double, 3>& unit) {
  const Spot spot = panel.view.spot(unit);
  return {static_cast<int>(std::lround(tenth * panel.scale * spot.x)),
          static_cast<int>(std::lround(tenth * panel.scale * spot.y))};
}

bool is_plane(const Panel& panel) { return panel.view.kind == View::Kind::plane; }

// --- Cells ---------------------------------------------------------------------------------------

// A stroke for each run of cells of one part and shade in a row.
template <class ShadeOf>
std::string runs_of(const Paint& paint, int columns, int rows,
                    const std::vector<std::int32_t>& parts, const ShadeOf& shade_of) {
  Coat coat(paint);
  std::size_t begin = 0;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns;) {
      const std::size_t first = begin;
      const int from = column;
      do {
        ++column;
        ++begin;
      } while (column < columns && parts[begin] == parts[first] &&
               shade_of(begin) == shade_of(first));
      if (parts[first] != Raster::none)
        coat.of(parts[first], shade_of(first)).line(from, row, column - from, 0);
    }
  return coat.markup();
}

// Strokes of cells are as wide as a cell, and run through the middle of their row.
std::string in_cells(const Panel& panel, const std::string& style, const std::string& content) {
  return group(joined({"class=\"", style, "\" transform=\"translate(0 ",
                       digits_of(panel.cell / 2, 6), ") scale(", digits_of(panel.cell, 6), ")\""}),
               content);
}

std::string tints(const Panel& panel, const Paint& paint) {
  return in_cells(panel, "cells tint",
                  runs_of(paint, panel.regions.columns, panel.regions.rows, panel.regions.parts,
                          [](std::size_t) { return -1; }));
}

std::string cells(const Panel& panel, const Paint& paint) {
  return in_cells(panel, is_plane(panel) ? "cells" : "cells solid",
                  runs_of(paint, panel.raster.columns, panel.raster.rows, panel.raster.parts,
                          [&](std::size_t cell) { return int{panel.raster.shade[cell]}; }));
}

// --- Objects one by one --------------------------------------------------------------------------

// From a corner, those behind come first, in layers, and are paler.
std::string dots_of(const Panel& panel, const Frame& frame, const Paint& paint, const Dots& dots) {
  constexpr int all_layers = 8;
  const int layers = is_plane(panel) ? 1 : all_layers;
  const double depth = frame.side(0) + frame.side(1) + frame.side(2);
  std::vector<Coat> coats(static_cast<std::size_t>(layers), Coat(paint));
  for (std::size_t i = 0; i < dots.parts.size(); ++i) {
    const std::array<double, 3> unit = frame.unit(dots.places[i].data());
    if (!panel.view.shows(unit)) continue;
    const double near = (unit[0] + frame.side(1) - unit[1] + unit[2]) / depth;  // in [0, 1]
    const int layer = std::clamp(static_cast<int>(near * layers), 0, layers - 1);
    const Pixel at = pixel_of(panel, unit);
    coats[static_cast<std::size_t>(layer)].of(dots.parts[i], -1).line(at.x, at.y, 0, 0);
  }
  const double room = panel.width() * panel.height() /
                      static_cast<double>(std::max<std::int64_t>(1, panel.raster.shown));
  const double diameter = std::clamp(0.75 * std::sqrt(room), 1.8, 7.0);
  std::string all;
  for (std::size_t layer = 0; layer < coats.size(); ++layer) {
    const double opacity =
        coats.size() == 1 ? 1 : 0.35 + 0.65 * static_cast<double>(layer) / (all_layers - 1);
    all += group(joined({"opacity=\"", digits_of(opacity, 2), "\""}), coats[layer].markup());
  }
  return group(joined({"class=\"dots\" transform=\"scale(.1)\" stroke-width=\"",
                       digits_of(tenth * diameter, 3), "\""}),
               all);
}

// Edges within a part have its colour, and those that are cut that of text.
std::string edges_of(const Panel& panel, const Subject& subject, const Frame& frame,
                     const Paint& paint, const Dots& dots) {
  Coat within(paint);
  Strokes between;
  for (const auto& [one, other] : subject.edges) {
    const auto first = static_cast<std::size_t>(one), second = static_cast<std::size_t>(other);
    const auto from = frame.unit(dots.places[first].data());
    const auto to = frame.unit(dots.places[second].data());
    if (!panel.view.shows(from) || !panel.view.shows(to)) continue;
    const Pixel a = pixel_of(panel, from), b = pixel_of(panel, to);
    const bool is_cut = dots.parts[first] != dots.parts[second];
    (is_cut ? between : within.of(dots.parts[first], -1)).line(a.x, a.y, b.x - a.x, b.y - a.y);
  }
  std::string all = within.markup();
  if (!between.empty()) all += path("cut", between.text());
  return group("class=\"edges\" transform=\"scale(.1)\"", all);
}

// --- Domains -------------------------------------------------------------------------------------

// Where regions of two parts meet: along the rows, and along the columns.
std::string borders(const Panel& panel) {
  const Regions& regions = panel.regions;
  Strokes strokes;
  const auto follow = [&](int lines, int length, const auto& is_border, const auto& draw) {
    for (int line = 1; line < lines; ++line)
      for (int at = 0; at < length; ++at) {
        const int begin = at;
        while (at < length && is_border(line, at)) ++at;
        if (at > begin) draw(line, begin, at - begin);
      }
  };
  follow(
      regions.rows, regions.columns,
      [&](int row, int column) { return regions.at(column, row - 1) != regions.at(column, row); },
      [&](int row, int column, int cells) { strokes.line(column, row, cells, 0); });
  follow(
      regions.columns, regions.rows,
      [&](int column, int row) { return regions.at(column - 1, row) != regions.at(column, row); },
      [&](int column, int row, int cells) { strokes.line(column, row, 0, cells); });
  if (strokes.empty()) return {};
  return path("outline", strokes.text(), panel.cell, 1.4);
}

// Draws a closed line through corners.
void add_outline(const Panel& panel, const std::vector<std::array<double, 3>>& corners,
                 Strokes& strokes) {
  const Pixel first = pixel_of(panel, corners.front());
  Pixel at = first;
  for (std::size_t i = 1; i <= corners.size(); ++i) {
    const Pixel next = i < corners.size() ? pixel_of(panel, corners[i]) : first;
    if (i == 1)
      strokes.line(at.x, at.y, next.x - at.x, next.y - at.y);
    else
      strokes.on(next.x - at.x, next.y - at.y);
    at = next;
  }
}

// The four corners of a rectangle across an axis.
std::vector<std::array<double, 3>> rectangle(const std::array<double, 3>& low,
                                             const std::array<double, 3>& high, int axis,
                                             double at) {
  const auto along = static_cast<std::size_t>(axis);
  const std::size_t one = along == 0 ? 1 : 0, other = along == 2 ? 1 : 2;
  std::vector<std::array<double, 3>> corners(4, low);
  corners[1][one] = corners[2][one] = high[one];
  corners[2][other] = corners[3][other] = high[other];
  for (auto& corner : corners) corner[along] = at;
  return corners;
}

void add_box(const Panel& panel, const Frame& frame, const Box& box, Strokes& strokes) {
  const std::array<double, 3> low = frame.unit(box.lower.data());
  const std::array<double, 3> high = frame.unit(box.upper.data());
  if (is_plane(panel)) {
    const auto away = static_cast<std::size_t>(panel.view.away);
    const double middle = panel.view.at;
    const bool is_flat = !(low[away] < high[away]);
    const bool is_there =
        frame.dimensions() == 2 || (low[away] <= middle && (middle < high[away] || is_flat));
    if (is_there) add_outline(panel, rectangle(low, high, panel.view.away, low[away]), strokes);
    return;
  }
  // On the three faces that are seen.
  if (high[0] >= frame.side(0)) add_outline(panel, rectangle(low, high, 0, high[0]), strokes);
  if (low[1] <= 0) add_outline(panel, rectangle(low, high, 1, low[1]), strokes);
  if (high[2] >= frame.side(2)) add_outline(panel, rectangle(low, high, 2, high[2]), strokes);
}

std::string boxes(const Panel& panel, const Subject& subject, const Frame& frame) {
  if (subject.boxes.size() > most_boxes) return {};
  Strokes strokes;
  for (const DomainCell& cell : subject.boxes) add_box(panel, frame, cell.box, strokes);
  if (strokes.empty()) return {};
  const bool is_front = !is_plane(panel);  // before objects, not among them
  return path(is_front ? "rim" : "outline", strokes.text(), 1 / tenth, is_front ? 1 : 1.4);
}

// The edges of the whole box that objects do not hide, from a corner.
std::string rim(const Panel& panel, const Frame& frame) {
  const std::array<double, 3> low = {0, 0, 0}, high = {frame.side(0), frame.side(1), frame.side(2)};
  Strokes strokes;
  for (int axis = 0; axis < 3; ++axis)
    for (const double at : {0.0, frame.side(axis)})
      add_outline(panel, rectangle(low, high, axis, at), strokes);
  return path("rim", strokes.text(), 1 / tenth);
}

// --- The way of a curve --------------------------------------------------------------------------

constexpr int drawn_levels = 5;  // 1024 cells of a square

const CurveDomains* curve_of(const Subject& subject) {
  return subject.domains == nullptr ? nullptr : std::get_if<CurveDomains>(subject.domains);
}

// Hilbert and Morton curves go through coarse cells in the order of fine ones; a snake does not.
int levels_of_way(const CurveDomains& curve) {
  const int levels = lattice_of(curve).levels();
  return curve.curve().kind == CurveKind::snake ? levels : std::min(levels, drawn_levels);
}

std::string way_of(const Panel& panel, const Subject& subject, const Frame& frame) {
  const CurveDomains& curve = *curve_of(subject);
  const int levels = levels_of_way(curve);
  const Lattice lattice(2, curve.box(), curve.periodic(), curve.curve().kind, levels);
  Strokes strokes;
  bool goes_on = false;
  Pixel last;
  const std::uint64_t cells = std::uint64_t{1} << (2 * levels);
  for (std::uint64_t i = 0; i < cells; ++i) {
    const Cell<2> cell = lattice.cell<2>({i << lattice.unused_bits()});
    const std::array<double, 2> place = {lattice.middle(0, cell.at[0]),
                                         lattice.middle(1, cell.at[1])};
    const bool is_inside = place[0] <= curve.box().upper[0] && place[1] <= curve.box().upper[1];
    if (is_inside) {
      const Pixel next = pixel_of(panel, frame.unit(place.data()));
      if (goes_on) strokes.line(last.x, last.y, next.x - last.x, next.y - last.y);
      last = next;
    }
    goes_on = is_inside;
  }
  if (strokes.empty()) return {};
  return path("way", strokes.text(), 1 / tenth);
}

// --- Names ---------------------------------------------------------------------------------------

std::string labels(const Panel& panel, std::size_t parts) {
  if (parts < 2 || parts > most_labels || !is_plane(panel)) return {};
  std::string all;
  for (const LabelPlace& place : label_places(panel.regions)) {
    const std::string name = std::to_string(place.part);
    const double half_height = 8, half_width = 5 + 3.5 * static_cast<double>(name.size());
    if (place.room * panel.cell < std::max(half_height, half_width)) continue;
    all += text_at((place.column + 0.5) * panel.cell, (place.row + 0.5) * panel.cell + 4.5, "name",
                   name);
  }
  return all;
}

}  // namespace

bool shows_curve(const Subject& subject) {
  constexpr std::size_t most_parts_with_way = 16;
  const CurveDomains* const curve = curve_of(subject);
  return curve != nullptr && subject.dimensions == 2 && subject.everywhere > 0 &&
         subject.work.size() <= most_parts_with_way && levels_of_way(*curve) <= drawn_levels + 1;
}

std::string markup_of(const Panel& panel, const Subject& subject, const Frame& frame,
                      const Paint& paint, const Dots* dots) {
  std::string all =
      joined({"<svg x=\"", pixels(panel.left), "\" y=\"", pixels(panel.top), "\" width=\"",
              pixels(panel.width()), "\" height=\"", pixels(panel.height()), "\">\n"});
  if (is_plane(panel)) all += "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n";
  const bool has_domains = subject.domains != nullptr && is_plane(panel);
  if (has_domains) all += tints(panel, paint);
  if (!is_plane(panel)) all += rim(panel, frame);
  if (dots != nullptr) {
    all += edges_of(panel, subject, frame, paint, *dots);
    all += dots_of(panel, frame, paint, *dots);
  } else {
    all += cells(panel, paint);
  }
  if (!subject.boxes.empty())
    all += boxes(panel, subject, frame);
  else if (has_domains && paint.parts() <= most_borders)
    all += borders(panel);
  if (is_plane(panel) && shows_curve(subject)) all += way_of(panel, subject, frame);
  all += labels(panel, paint.parts());
  return all + "</svg>\n";
}

}  // namespace evenkeel::tool
