#include "boxes/from_objects/box_cut.hpp"
#include "boxes/from_objects/growing_tree.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel {

namespace {

// Rounds down to nine digits. A number that is below nine digits only by a rounding error keeps
// them.
std::string rounded_down(double width) {
  if (!(width > 0)) return "0";
  const double digits = std::pow(10, 8 - std::floor(std::log10(width)));
  return text_of(std::floor(width * digits * (1 + 0x1p-41)) / digits);
}

// The box has no room for the parts, if borders are between cells or along some axes only.
[[noreturn]] void refuse_counts(const BisectionOptions& options, const BoxRoom& room) {
  std::string counts;
  for (int axis = 0; axis < options.dimensions; ++axis) {
    const double count = std::min<double>(room.capacity().along(room.of_box(), axis),
                                          std::numeric_limits<int>::max());
    const bool is_last = axis + 1 == options.dimensions;
    counts += axis == 0 ? "" : is_last ? " and " : ", ";
    counts += std::to_string(static_cast<int>(count)) + " along " + "xyz"[axis];
  }
  refuse_grid("The box has no room for " + std::to_string(options.parts) +
                  " domains, but only for " + counts + '.',
              "Ask for fewer parts, smaller cells or smaller least widths, or let boxes be divided "
              "along more axes.");
}

// The box has no room for the parts because of the least widths.
[[noreturn]] void refuse_widths(const BisectionOptions& options, const Capacity& capacity) {
  const double scale = most_scale(capacity, options.box, options.parts);
  std::string widths;
  for (int axis = 0; axis < options.dimensions; ++axis)
    widths += (axis == 0 ? "" : ", ") +
              rounded_down(capacity.width[static_cast<std::size_t>(axis)] * scale);
  refuse_grid(
      "The box has no room for " + std::to_string(options.parts) +
          " domains of the given least widths. With the same proportions, widths of at most " +
          widths + " fit.",
      "Ask for fewer parts, or for smaller least widths.");
}

void check(const BisectionOptions& options) {
  check_box_cut(options, options.parts, options.dimensions);
  for (const int axis : options.axes)
    if (axis < 0 || axis >= options.dimensions)
      refuse_grid("A bisection along axis " + std::to_string(axis) + " was asked for in " +
                      std::to_string(options.dimensions) + " dimensions.",
                  "Count axes from 0.");
  if (std::any_of(options.cell_size.begin(), options.cell_size.end(),
                  [](double cell) { return !(cell >= 0) || !std::isfinite(cell); }))
    refuse_grid("A cell size is negative or not finite.", "Give 0 where borders may be anywhere.");
  const BoxRoom room(options);
  if (room.capacity().of(room.of_box()) >= options.parts) return;
  const auto& divided = options.divided_axes;
  const bool divides_all = std::find(divided.begin(), divided.begin() + options.dimensions,
                                     false) == divided.begin() + options.dimensions;
  if (room.has_cells() || !divides_all) refuse_counts(options, room);
  refuse_widths(options, room.capacity());
}

// Collective. Divides all branches once more, where the weights allow it best.
void divide_anywhere(Sections& sections, GrowingTree& tree) {
  SectionLevel level;
  SectionAim aim;
  std::vector<double> kept;
  sections.work([&] {
    kept = tree.kept();
    aim = {tree.tolerance(sections.weights()), kept, {}};
    if (tree.has_rules()) aim.allow = [&](std::span<double> places) { tree.allow(places); };
    level = tree.next_level();
  });
  const std::vector<double>& places = sections.divide(level, aim);
  sections.work([&] { tree.divide(places); });
}

// Collective. The same, with borders between cells: finds where the borders would be without cells,
// weighs the cells next to them, along one axis after the other, and divides at the best borders.
void divide_between_cells(Sections& sections, GrowingTree& tree) {
  SectionAim aim;
  sections.work([&] {
    const std::vector<double> weights = sections.weights();
    aim.tolerance = tree.tolerance(weights);
    tree.begin_search(weights);
  });
  for (std::size_t nth = 0; tree.searches(nth); ++nth) {
    SectionLevel level;
    SectionTrials trials, placed;
    sections.work([&] { level = tree.search_level(nth); });
    const std::vector<double>& found = sections.locate(level, aim);
    sections.work([&] {
      trials = tree.trials(nth, found);
      placed = tree.placed(nth, trials);
    });
    const std::vector<double> shares = sections.shares_below(placed);
    sections.work([&] { tree.judge(nth, trials, shares, sections.weights()); });
  }
  SectionLevel level;
  std::vector<double> borders;
  sections.work([&] {
    borders = tree.end_search();
    level = tree.next_level();
  });
  sections.divide(level, {SectionAim::wherever, borders, {}});
  sections.work([&] { tree.divide(borders); });
}

}  // namespace

BisectionCut stages::bisect(const Voters& voters, std::span<const WeightedPoints> points,
                            const BisectionOptions& options) {
  const Communicator& communicator = voters.communicator();
  std::optional<Sections> sections;
  std::optional<GrowingTree> tree;
  Census mine;
  const Status prepared = attempt(grid_stage, [&] {
    voters.require_success();
    check(options);
    check_points(points, options.dimensions);
    tree.emplace(options);
    sections.emplace(communicator, points, options, options.dimensions, options.parts);
    mine = sections->census();
  });
  const Census all = vote<&combine>(communicator, prepared, mine);
  sections->begin(all);
  while (!tree->is_done())
    if (tree->is_between_cells())
      divide_between_cells(*sections, *tree);
    else
      divide_anywhere(*sections, *tree);
  BisectionCut cut;
  sections->work([&] { cut.weights = sections->weights(); });
  finish(cut, *sections, all);
  cut.nodes = tree->take_nodes();
  return cut;
}

}  // namespace evenkeel
