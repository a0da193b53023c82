#include "partition/drawing/drawing.hpp"

#include "files/refusal.hpp"
#include "partition/drawing/colours.hpp"
#include "partition/drawing/legend.hpp"
#include "partition/drawing/panel.hpp"
#include "partition/refusal.hpp"
#include "tell/words.hpp"

#include <evenkeel/backends/comm/vote.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::tool {

namespace {

// --- Where things are ----------------------------------------------------------------------------

constexpr double width = 960, margin = 24, panels_top = 78, panels_width = 620, gap = 20;
constexpr double name_height = 20, line_height = 16;
constexpr double legend_left = width - margin - legend_width;

constexpr std::string_view style = R"(<style>
svg { font: 12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif }
text { fill: #1b1f24; font-variant-numeric: tabular-nums }
path { fill: none }
.paper { fill: #ffffff } .ground { fill: #f5f7f9 }
.head { font-size: 20px; font-weight: 600 } .strong { font-weight: 600 }
.muted { fill: #59636e } .end { text-anchor: end } .middle { text-anchor: middle }
.note { fill: #59636e; font-size: 11px }
.cells { shape-rendering: crispEdges }
.tint { opacity: .25 }
.s0 { opacity: .45 } .s1 { opacity: .7 }
.solid .s0 { opacity: .62 } .solid .s1 { opacity: .8 }
.dots { stroke-linecap: round }
.edges { stroke-width: 8; stroke-linecap: round } .edges path { opacity: .6 }
.edges .cut { stroke: #1b1f24; stroke-width: 10; opacity: .9 }
.outline { stroke: #1b1f24; stroke-opacity: .7 }
.rim { stroke: #59636e; stroke-opacity: .5 }
.way { stroke: #1b1f24; stroke-opacity: .25 }
.average { stroke: #1b1f24; stroke-opacity: .7 } .slope { stroke: #355ac7 }
.name {
  font-size: 13px; font-weight: 700; text-anchor: middle; paint-order: stroke;
  stroke: #ffffff; stroke-width: 3.5px; stroke-linejoin: round
}
)";

constexpr std::string_view dark_style = R"(@media screen and (prefers-color-scheme: dark) {
text { fill: #e6e9ec } .paper { fill: #14171b } .ground { fill: #1c2126 }
.muted, .note { fill: #9ca6b0 } .rim { stroke: #9ca6b0 } .slope { stroke: #6f8be6 }
.edges .cut, .outline, .way, .average { stroke: #e6e9ec }
.name { stroke: #14171b }
)";

// Strokes and fills of each colour.
std::string rules_for(std::span<const std::string_view> colours) {
  std::string text;
  for (std::size_t colour = 0; colour < colours.size(); ++colour) {
    const std::string number = std::to_string(colour);
    text += joined({".c", number, " { stroke: ", colours[colour], " } .f", number,
                    " { fill: ", colours[colour], " }\n"});
  }
  return text;
}

std::string style_text() {
  return joined({style, rules_for(palette), dark_style, rules_for(dark_palette), "}\n</style>\n"});
}

// --- Panels --------------------------------------------------------------------------------------

// Three hundred objects, if there are so many, and a few percent of many.
double share_of_slab(std::int64_t objects) {
  return std::max(0.04, 300 / static_cast<double>(std::max<std::int64_t>(1, objects)));
}

std::string range_of(const Frame& frame, const View& view) {
  std::array<double, 3> low = {0, 0, 0}, high = low;
  const auto away = static_cast<std::size_t>(view.away);
  low[away] = view.from;
  high[away] = view.to;
  return joined(
      {digits_of(frame.place(low)[away], 3), " to ", digits_of(frame.place(high)[away], 3)});
}

std::string_view name_of_axis(int axis) {
  return std::string_view("xyz").substr(static_cast<std::size_t>(axis), 1);
}

// One for a plane; for a solid two by two.
std::vector<Panel> panels_without_objects(const Communicator& communicator, const Subject& subject,
                                          const Frame& frame) {
  std::vector<Panel> panels(1);
  if (subject.dimensions == 2) {
    Panel& only = panels.front();
    only.view = View::plane(frame, 0, 1);
    only.left = margin;
    only.top = panels_top;
    only.scale = panels_width / std::max(only.view.width, only.view.height);
    return panels;
  }
  panels.resize(4);
  panels[0].view = View::corner(frame);
  panels[0].name = "from the corner of greatest x and z and least y";
  constexpr std::array<std::pair<int, int>, 3> axes = {{{0, 1}, {0, 2}, {1, 2}}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    View view = View::plane(frame, axes[i].first, axes[i].second);
    set_slab(communicator, subject, frame, share_of_slab(subject.everywhere), view);
    panels[i + 1].name =
        joined({name_of_axis(view.across), " and ", name_of_axis(view.up), " where ",
                name_of_axis(view.away), " is ", range_of(frame, view)});
    panels[i + 1].view = view;
  }
  constexpr double room = (panels_width - gap) / 2;
  double top = panels_top;
  for (std::size_t row = 0; row < 4; row += 2) {
    double height = 0;
    for (std::size_t i = row; i < row + 2; ++i) {
      Panel& panel = panels[i];
      panel.scale = i == 0 ? room / std::max(panel.view.width, panel.view.height) : room;
      panel.left = margin + (i > row ? room + gap : 0);
      panel.top = top + name_height;
      height = std::max(height, panel.height());
    }
    top += name_height + height + gap / 2;
  }
  return panels;
}

void add_objects(const Communicator& communicator, const Subject& subject, const Frame& frame,
                 double cell, Panel& panel) {
  panel.cell = cell;
  const double cells_per_unit = panel.scale / cell;
  panel.raster = raster_of(communicator, subject, frame, panel.view, cells_per_unit);
  vote(communicator, attempt(partition_stage, [&] {
         if (communicator.rank() != 0) return;
         const bool is_plane = panel.view.kind == View::Kind::plane;
         panel.regions =
             subject.domains != nullptr && is_plane
                 ? regions_of(*subject.domains, frame, panel.view, panel.raster, cells_per_unit)
                 : regions_of(panel.raster, is_plane);
       }));
}

// --- Objects -------------------------------------------------------------------------------------

std::optional<Dots> gathered(const Communicator& communicator, const Subject& subject) {
  if (subject.everywhere > most_dots) return std::nullopt;
  Dots dots;
  std::vector<std::array<double, 3>> places;
  const Status listed = attempt(partition_stage, [&] {
    for (std::size_t i = 0; i < subject.parts.size(); ++i) places.push_back(subject.place(i));
  });
  using Place = std::array<double, 3>;
  dots.places = gather(communicator, listed, std::span<const Place>(places), 0).values;
  dots.parts = gather(communicator, Status(), subject.parts, 0).values;
  return dots;
}

// --- Words ---------------------------------------------------------------------------------------

std::string title_of(const Subject& subject) {
  const auto parts = static_cast<std::int64_t>(subject.work.size());
  return joined({detail::count_of(subject.everywhere), " ",
                 subject.everywhere == 1 ? subject.object : subject.objects, " in ",
                 std::to_string(subject.dimensions), " dimensions, ", detail::count_of(parts),
                 parts == 1 ? " part, " : " parts, ", subject.basis});
}

// "x 0 to 1, y 0 to 2".
std::string extent_of(const Subject& subject) {
  std::string text;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(subject.dimensions); ++axis)
    text += joined({axis > 0 ? ", " : "", name_of_axis(static_cast<int>(axis)), " ",
                    digits_of(subject.box.lower[axis], 3), " to ",
                    digits_of(subject.box.upper[axis], 3)});
  return text;
}

// What stands for what, and what is not shown.
std::string caption_of(const Subject& subject, const Frame& frame, const Panel& first,
                       bool has_dots) {
  const bool is_flat = subject.dimensions == 2;
  std::string text = joined({"Shown: ", extent_of(subject), "."});
  if (frame.is_stretched()) text += " Thin axes are stretched.";
  if (subject.everywhere == 0) return joined({text, " There are no ", subject.objects, "."});
  if (has_dots)
    text += joined({" Each dot is one ", subject.object, "."});
  else
    text += joined({" There are too many ", subject.objects, " to draw each: a cell of ",
                    digits_of(first.cell, 3), " pixels has the colour of the one nearest to ",
                    is_flat ? "its middle, stronger where there are more."
                            : "the eye or, in a slab, to its middle."});
  if (!is_flat) text += " Slabs are near the median along their axis.";
  if (!subject.boxes.empty())
    text += " Lines: the domains of parts.";
  else if (subject.domains != nullptr)
    text += " Pale: the domains of parts.";
  if (shows_curve(subject)) text += " Thin line: the way of the curve, coarsely.";
  if (!subject.edges.empty()) text += " Dark lines: edges that are cut.";
  if (subject.work.size() > palette.size())
    text += " Parts far from each other may have the same colour.";
  return text;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

std::string description_of(const Subject& subject) {
  std::string text = "All are drawn at their places, in the colours of their parts.";
  for (const Figure& figure : subject.figures)
    text += joined({" ", figure.name, ": ", figure.value, "."});
  return text;
}

// --- All of it -----------------------------------------------------------------------------------

std::string page_of(const Subject& subject, const Frame& frame, const std::vector<Panel>& panels,
                    const Dots* dots) {
  constexpr std::size_t most_parts_with_words = 1024, caption_letters = 106;
  Paint paint;
  std::vector<Regions> regions;
  regions.reserve(panels.size());
  for (const Panel& panel : panels) regions.push_back(panel.regions);
  paint.colours = colours_of(subject.work.size(), contacts_of(regions));
  if (paint.parts() <= most_parts_with_words) paint.words = words_on_parts(subject);

  std::string body = text_at(margin, 40, "head", subject.method);
  body += text_at(margin, 62, "muted", title_of(subject));
  double bottom = panels_top;
  for (const Panel& panel : panels) {
    if (!panel.name.empty()) body += text_at(panel.left, panel.top - 7, "note", panel.name);
    body += markup_of(panel, subject, frame, paint, dots);
    bottom = std::max(bottom, panel.top + panel.height());
  }
  bottom += 8;
  for (const std::string& line :
       wrapped(caption_of(subject, frame, panels.front(), dots != nullptr), caption_letters)) {
    bottom += line_height;
    body += text_at(margin, bottom, "note", line);
  }
  const Legend legend = legend_of(subject, paint, legend_left, panels_top);
  const double height = std::max(bottom, panels_top + legend.height) + margin;

  const std::string w = pixels(width), h = pixels(height);
  return joined({"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
                 w,
                 " ",
                 h,
                 "\" width=\"",
                 w,
                 "\" height=\"",
                 h,
                 "\" role=\"img\" aria-labelledby=\"title description\">\n<title id=\"title\">",
                 subject.method,
                 ": ",
                 title_of(subject),
                 "</title>\n<desc id=\"description\">",
                 description_of(subject),
                 "</desc>\n",
                 style_text(),
                 "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
                 body,
                 legend.markup,
                 "</svg>\n"});
}

}  // namespace

// Larger cells until the file is small enough; the largest are always accepted.
std::string svg_of(const Communicator& communicator, const Subject& subject) {
  const Frame frame(subject.box, subject.dimensions);
  const std::optional<Dots> dots = gathered(communicator, subject);
  std::vector<Panel> panels = panels_without_objects(communicator, subject, frame);
  std::string page;
  constexpr std::array<double, 5> cells = {2, 3, 4, 6, 10};
  for (const double cell : cells) {
    for (Panel& panel : panels) add_objects(communicator, subject, frame, cell, panel);
    vote(communicator, attempt(partition_stage, [&] {
           if (communicator.rank() == 0)
             page = page_of(subject, frame, panels, dots ? &*dots : nullptr);
         }));
    if (communicator.broadcast(page.size() <= most_drawing_bytes, 0)) break;
  }
  return page;
}

}  // namespace evenkeel::tool
