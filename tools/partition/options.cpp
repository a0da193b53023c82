#include "partition/options.hpp"

#include "files/array.hpp"
#include "files/lines.hpp"
#include "files/refusal.hpp"
#include "partition/values.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/place/choice.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace evenkeel::tool {

namespace {

// --- Grids ---------------------------------------------------------------------------------------

int rounds_of(const std::string& text) {
  const auto rounds = integer_from_text(text);
  if (!rounds || *rounds < 0 || *rounds > PartitionOptions::most_rounds)
    refuse_partition.value("--rounds", text,
                           joined({"Give a whole number from 0 to ",
                                   std::to_string(PartitionOptions::most_rounds), "."}));
  return static_cast<int>(*rounds);
}

// Returns the grid, and sets `numbers` to how many extents the text has, 2 or 3.
std::array<int, 3> grid_from(const std::string& text, int parts, int& numbers) {
  const auto refuse_grid = [&] {
    refuse_partition.value(
        "--grid", text,
        joined({"Give how many domains there are along each axis, as in 4x3 in two "
                "dimensions or 4x3x2 in three, and at most ",
                std::to_string(most_parts), " in all."}));
  };
  std::array<int, 3> extents = {1, 1, 1};
  std::int64_t domains = 1;
  const auto words = split(text, 'x');
  if (words.size() < 2 || words.size() > extents.size()) refuse_grid();
  for (std::size_t axis = 0; axis < words.size(); ++axis) {
    const auto extent = integer_from_text(words[axis]);
    if (!extent || *extent < 1 || *extent > most_parts) refuse_grid();
    domains *= *extent;
    if (domains > most_parts) refuse_grid();
    extents[axis] = static_cast<int>(*extent);
  }
  numbers = static_cast<int>(words.size());
  if (domains != parts)
    refuse_partition(joined({"--grid ", text, " makes ", std::to_string(domains),
                             " domains, but --parts is ", std::to_string(parts), "."}),
                     "Give as many domains as parts, or leave --grid out.");
  return extents;
}

Method with_grid(const Method& method, const std::array<int, 3>& grid) {
  if (std::holds_alternative<Tensor>(method)) return Tensor{grid};
  if (std::holds_alternative<Mesh>(method)) return Mesh{grid};
  return Staggered{grid};
}

// Reads one length for all axes, or one for each axis.
std::array<double, 3> lengths_from(std::string_view option, const std::string& text) {
  const auto refuse_lengths = [&] {
    refuse_partition.value(option, text,
                           "Give a length for all axes, or one for each axis with commas between "
                           "them: finite numbers of at least 0.");
  };
  std::array<double, 3> lengths = {};
  const auto words = split(text, ',');
  if (words.size() > lengths.size()) refuse_lengths();
  for (std::size_t axis = 0; axis < words.size(); ++axis) {
    const auto length = real_from_text(words[axis]);
    if (!length || !std::isfinite(*length) || *length < 0) refuse_lengths();
    lengths[axis] = *length;
  }
  if (words.size() == 1) lengths.fill(lengths.front());
  return lengths;
}

Method bisection_along(const std::string& axes) {
  const auto method = method_from_text("bisection " + axes);
  if (axes.empty() || !method)
    refuse_partition.value("--axes", axes, "Give some of the letters x, y and z, each once.");
  return *method;
}

void choose_method(const PartitionArguments& asked, const NamedMethod& named,
                   PartitionOptions& options) {
  options.method_name = named.name;
  options.method = named.method.value();
  if (asked.grid)
    options.method =
        with_grid(options.method, grid_from(*asked.grid, options.parts, options.grid_numbers));
  if (asked.rounds) options.rounds = rounds_of(*asked.rounds);
  if (asked.cell_size) options.cell_size = lengths_from("--cell-size", *asked.cell_size);
  if (asked.least_width) options.least_width = lengths_from("--least-width", *asked.least_width);
  if (asked.axes) options.method = bisection_along(*asked.axes);
  if (!named.is_auto()) return;
  options.ghost_cost =
      asked.ghost_cost ? number_from("--ghost-cost", *asked.ghost_cost) : usual_ghost_cost;
  if (asked.halo) options.method = Auto{.halo = number_from("--halo", *asked.halo)};
}

// --- Values --------------------------------------------------------------------------------------

std::vector<double> box_of(const std::string& text) {
  const auto refuse_box = [&] {
    refuse_partition.value(
        "--box", text,
        "Give the lower corner and then the upper one, as in 0,0,0,1,1,1: 4 finite "
        "numbers in two dimensions, 6 in three.");
  };
  std::vector<double> numbers;
  for (const std::string_view word : split(text, ',')) {
    const auto number = real_from_text(word);
    if (!number || !std::isfinite(*number)) refuse_box();
    numbers.push_back(*number);
  }
  if (numbers.size() != 4 && numbers.size() != 6) refuse_box();
  return numbers;
}

bool counts_objects(const PartitionArguments& asked) {
  if (!asked.work) return !asked.weights;
  if (*asked.work == "count") return true;
  if (*asked.work != "weights")
    refuse_partition.value("--work", *asked.work, "Give count or weights.");
  if (!asked.weights)
    refuse_partition("--work is 'weights', but no weights are given.",
                     "Name their file by --weights.");
  return false;
}

}  // namespace

PartitionOptions checked(const PartitionArguments& asked) {
  const auto refuse_incomplete = [] {
    refuse_partition("--points, --parts and --method are needed.", "Give all three.");
  };
  if (!asked.parts || !asked.method) refuse_incomplete();
  const NamedMethod named = method_named(*asked.method);
  refuse_meaningless(asked, named);
  if (!asked.points) refuse_incomplete();
  PartitionOptions options;
  options.points = *asked.points;
  options.weights = asked.weights;
  options.speeds = asked.speeds;
  options.bytes = asked.bytes;
  options.memory = memory_of(asked);
  options.parts = parts_from(*asked.parts);
  choose_method(asked, named, options);
  if (asked.box) options.box = box_of(*asked.box);
  options.work_is_count = counts_objects(asked);
  if (asked.target_lambda) options.target_lambda = target_lambda_from(*asked.target_lambda);
  options.out = asked.out;
  options.vtk = asked.vtk;
  options.json = asked.json;
  refuse_to_overwrite(asked);
  if (asked.out) static_cast<void>(format_of(*asked.out));
  return options;
}

std::optional<Box> given_box(const PartitionOptions& options, int dimensions) {
  if (options.box.empty()) return std::nullopt;
  const auto axes = static_cast<std::size_t>(dimensions);
  if (options.box.size() != 2 * axes)
    refuse_partition(
        joined({"--box has ", std::to_string(options.box.size()), " numbers, but the points of ",
                in_quotes(options.points), " have ", std::to_string(dimensions), " coordinates."}),
        joined({"Give ", std::to_string(2 * dimensions), " numbers."}));
  Box box;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    box.lower[axis] = options.box[axis];
    box.upper[axis] = options.box[axes + axis];
  }
  check(box, {});
  return box;
}

void check_grid(const PartitionOptions& options, int dimensions) {
  if (options.rounds && !has_rounds(options.method))
    refuse_partition("Rounds were asked for with a method that has no rounds.",
                     "Choose tensor, staggered, voronoi or mesh, or leave --rounds out.");
  if (options.grid_numbers == 0 || options.grid_numbers == dimensions) return;
  refuse_partition(
      joined({"--grid has ", std::to_string(options.grid_numbers), " numbers, but the points of ",
              in_quotes(options.points), " have ", std::to_string(dimensions), " coordinates."}),
      joined({"Give ", std::to_string(dimensions), " numbers."}));
}

}  // namespace evenkeel::tool
