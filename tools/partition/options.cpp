#include "partition/options.hpp"

#include "files/refusal.hpp"
#include "partition/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace evenkeel::tool {

namespace {

[[noreturn]] void refuse_value(std::string_view option, std::string_view value,
                               std::string remedy) {
  refuse_partition(joined({option, " is ", in_quotes(value), "."}), std::move(remedy));
}

CurveKind curve_named(const std::string& name) {
  for (const CurveKind curve : {CurveKind::hilbert, CurveKind::morton, CurveKind::snake})
    if (name == name_of(curve)) return curve;
  refuse_value("--method", name, "The methods are hilbert, morton and snake.");
}

void refuse_what_grids_take(const PartitionArguments& asked) {
  for (const auto& [option, value] :
       {std::pair("--grid", &asked.grid), std::pair("--rounds", &asked.rounds)})
    if (*value)
      refuse_partition(joined({option, " has no meaning for the method ", *asked.method, "."}),
                       "It belongs to methods that cut a grid; leave it out.");
}

int parts_of(const std::string& text) {
  const auto parts = integer_from_text(text);
  if (!parts || *parts < 1 || *parts > PartitionOptions::most_parts)
    refuse_value("--parts", text,
                 joined({"Give a whole number from 1 to ",
                         std::to_string(PartitionOptions::most_parts), "."}));
  return static_cast<int>(*parts);
}

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
  if (*asked.work != "weights")
    refuse_value("--work", *asked.work, "A domain's work is its count or its weights.");
  if (!asked.weights)
    refuse_partition("--work is 'weights', but there are none.", "Name their file by --weights.");
  return false;
}

double target_of(const std::string& text) {
  const auto target = real_from_text(text);
  if (!target || !std::isfinite(*target) || *target < 1)
    refuse_value("--target-lambda", text, "Give a number from 1 on, where 1 is perfect.");
  return *target;
}

// What is written must be neither what is read nor what else is written.
void refuse_to_overwrite(const PartitionArguments& asked) {
  const std::vector<std::pair<std::string_view, const std::optional<std::string>*>> files = {
      {"--out", &asked.out},
      {"--vtk", &asked.vtk},
      {"--points", &asked.points},
      {"--weights", &asked.weights}};
  const auto place_of = [](const std::string& path) {
    std::error_code unknown;
    const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path), unknown);
    return unknown ? std::filesystem::path(path) : place;
  };
  for (std::size_t written = 0; written < 2; ++written)
    for (std::size_t other = written + 1; other < files.size(); ++other) {
      const auto &one = *files[written].second, &two = *files[other].second;
      if (one && two && place_of(*one) == place_of(*two))
        refuse_partition(joined({files[written].first, " and ", files[other].first,
                                 " name the same file, ", in_quotes(*one), "."}),
                         "Give each a file of its own.");
    }
}

}  // namespace

PartitionOptions checked(const PartitionArguments& asked) {
  if (!asked.points || !asked.parts || !asked.method)
    refuse_partition("--points, --parts and --method are needed.", "Give all three.");
  PartitionOptions options;
  options.curve = curve_named(*asked.method);
  refuse_what_grids_take(asked);
  options.points = *asked.points;
  options.weights = asked.weights;
  options.parts = parts_of(*asked.parts);
  if (asked.box) options.box = box_of(*asked.box);
  options.work_is_count = counts_objects(asked);
  if (asked.target_lambda) options.target_lambda = target_of(*asked.target_lambda);
  options.out = asked.out;
  options.vtk = asked.vtk;
  options.json = asked.json;
  refuse_to_overwrite(asked);
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

}  // namespace evenkeel::tool
