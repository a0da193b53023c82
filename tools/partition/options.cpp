#include "partition/options.hpp"

#include "files/array.hpp"
#include "files/refusal.hpp"
#include "partition/methods.hpp"
#include "partition/refusal.hpp"
#include "partition/values.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace evenkeel::tool {

namespace {

// --- Grids ---------------------------------------------------------------------------------------

int rounds_of(const std::string& text) {
  const auto rounds = integer_from_text(text);
  if (!rounds || *rounds < 0 || *rounds > PartitionOptions::most_rounds)
    refuse_value("--rounds", text,
                 joined({"Give a whole number from 0 to ",
                         std::to_string(PartitionOptions::most_rounds), "."}));
  return static_cast<int>(*rounds);
}

// Also sets how many numbers there are.
std::array<int, 3> grid_from(const std::string& text, int parts, int& numbers) {
  const auto refuse_grid = [&] {
    refuse_value("--grid", text,
                 joined({"Give how many domains there are along each axis, as in 4x3 in two "
                         "dimensions or 4x3x2 in three, and at most ",
                         std::to_string(most_parts), " in all."}));
  };
  std::array<int, 3> extents = {1, 1, 1};
  std::int64_t domains = 1;
  numbers = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto extent = integer_from_text(std::string_view(text).substr(begin, end - begin));
    if (!extent || *extent < 1 || *extent > most_parts) refuse_grid();
    domains *= *extent;
    if (domains > most_parts || numbers == 3) refuse_grid();
    extents[static_cast<std::size_t>(numbers++)] = static_cast<int>(*extent);
    begin = end + 1;
  }
  if (numbers < 2) refuse_grid();
  if (domains != parts)
    refuse_partition(joined({"--grid ", text, " makes ", std::to_string(domains),
                             " domains, but --parts is ", std::to_string(parts), "."}),
                     "Give as many domains as parts, or leave --grid out.");
  return extents;
}

Method with_grid(const Method& method, const std::array<int, 3>& grid) {
  return std::holds_alternative<Tensor>(method) ? Method(Tensor{grid}) : Method(Staggered{grid});
}

void choose_method(const PartitionArguments& asked, const NamedMethod& named,
                   PartitionOptions& options) {
  options.method_name = named.name;
  options.method = named.method.value();
  if (asked.grid)
    options.method =
        with_grid(options.method, grid_from(*asked.grid, options.parts, options.grid_numbers));
  if (asked.rounds) options.rounds = rounds_of(*asked.rounds);
}

// --- Values --------------------------------------------------------------------------------------

std::vector<double> box_of(const std::string& text) {
  const auto refuse_box = [&] {
    refuse_value("--box", text,
                 "Give the lower corner and then the upper one, as in 0,0,0,1,1,1: 4 finite "
                 "numbers in two dimensions, 6 in three.");
  };
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = real_from_text(std::string_view(text).substr(begin, end - begin));
    if (!number || !std::isfinite(*number)) refuse_box();
    numbers.push_back(*number);
    begin = end + 1;
  }
  if (numbers.size() != 4 && numbers.size() != 6) refuse_box();
  return numbers;
}

bool counts_objects(const PartitionArguments& asked) {
  if (!asked.work) return !asked.weights;
  if (*asked.work == "count") return true;
  if (*asked.work != "weights") refuse_value("--work", *asked.work, "Give count or weights.");
  if (!asked.weights)
    refuse_partition("--work is 'weights', but no weights are given.",
                     "Name their file by --weights.");
  return false;
}

double target_of(const std::string& text) {
  const auto target = real_from_text(text);
  if (!target || !std::isfinite(*target) || *target < 1)
    refuse_value("--target-lambda", text, "Give a number from 1 on, where 1 is perfect.");
  return *target;
}

void check_files(const PartitionArguments& asked) {
  std::vector<NamedFile> outputs, inputs;
  if (asked.out) outputs.emplace_back("--out", *asked.out);
  if (asked.vtk) outputs.emplace_back("--vtk", *asked.vtk);
  if (asked.svg) outputs.emplace_back("--svg", *asked.svg);
  if (asked.points) inputs.emplace_back("--points", *asked.points);
  if (asked.weights) inputs.emplace_back("--weights", *asked.weights);
  refuse_to_overwrite(outputs, inputs);
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
  options.parts = parts_from(*asked.parts);
  choose_method(asked, named, options);
  if (asked.box) options.box = box_of(*asked.box);
  options.work_is_count = counts_objects(asked);
  if (asked.target_lambda) options.target_lambda = target_of(*asked.target_lambda);
  options.out = asked.out;
  options.vtk = asked.vtk;
  options.svg = asked.svg;
  options.json = asked.json;
  check_files(asked);
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
  if (options.rounds && !evenkeel::extents_of(options.method))
    refuse_partition("Rounds were asked for, of a method without a grid.",
                     "Choose a grid, or leave the rounds out.");
  if (options.grid_numbers == 0 || options.grid_numbers == dimensions) return;
  refuse_partition(
      joined({"--grid has ", std::to_string(options.grid_numbers), " numbers, but the points of ",
              in_quotes(options.points), " have ", std::to_string(dimensions), " coordinates."}),
      joined({"Give ", std::to_string(dimensions), " numbers."}));
}

}  // namespace evenkeel::tool
