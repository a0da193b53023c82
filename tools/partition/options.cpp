#include "partition/options.hpp"

#include "files/array.hpp"
#include "files/refusal.hpp"
#include "partition/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
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

// --- Methods -------------------------------------------------------------------------------------

struct NamedMethod {
  std::string_view name;
  Method method;
  bool has_rounds = false;

  bool has_grid() const { return evenkeel::extents_of(method).has_value(); }
};

// Those of the library, whose grids can also be found in rounds, and `histogram`: a staggered grid,
// always cut from the objects.
std::vector<NamedMethod> methods() {
  const std::vector<std::string_view> names = method_names();
  std::vector<NamedMethod> all;
  all.reserve(names.size() + 1);
  for (const std::string_view name : names) {
    const Method method = *method_from_text(name);
    all.push_back({name, method, extents_of(method).has_value()});
  }
  all.push_back({"histogram", Staggered{}});
  return all;
}

// The names of the methods that satisfy `are_meant`, as a list in a sentence.
template <class Predicate>
std::string names_of(const Predicate& are_meant) {
  std::vector<std::string_view> names;
  for (const NamedMethod& method : methods())
    if (are_meant(method)) names.push_back(method.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text.append(i + 1 == names.size() ? " and " : ", ");
    text.append(names[i]);
  }
  return text;
}

NamedMethod method_named(const std::string& name) {
  for (const NamedMethod& method : methods())
    if (name == method.name) return method;
  refuse_value("--method", name, joined({"The methods are ", names_of_methods(), "."}));
}

template <class Predicate>
void refuse_unless(const Predicate& has_it, std::string_view option,
                   const std::optional<std::string>& value, const NamedMethod& method) {
  if (value && !has_it(method))
    refuse_partition(joined({option, " has no meaning for the method ", method.name, "."}),
                     joined({"It belongs to ", names_of(has_it), "; leave it out."}));
}

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
                         std::to_string(PartitionOptions::most_parts), " in all."}));
  };
  std::array<int, 3> extents = {1, 1, 1};
  std::int64_t domains = 1;
  numbers = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto extent = integer_from_text(std::string_view(text).substr(begin, end - begin));
    if (!extent || *extent < 1 || *extent > PartitionOptions::most_parts) refuse_grid();
    domains *= *extent;
    if (domains > PartitionOptions::most_parts || numbers == 3) refuse_grid();
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

void choose_method(const PartitionArguments& asked, PartitionOptions& options) {
  const NamedMethod named = method_named(*asked.method);
  refuse_unless([](const NamedMethod& method) { return method.has_grid(); }, "--grid", asked.grid,
                named);
  refuse_unless([](const NamedMethod& method) { return method.has_rounds; }, "--rounds",
                asked.rounds, named);
  options.method_name = named.name;
  options.method = named.method;
  if (asked.grid)
    options.method =
        with_grid(named.method, grid_from(*asked.grid, options.parts, options.grid_numbers));
  if (asked.rounds) options.rounds = rounds_of(*asked.rounds);
}

// --- Values --------------------------------------------------------------------------------------

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

// An output file must be neither an input file nor the other output file.
void refuse_to_overwrite(const PartitionArguments& asked) {
  const std::vector<std::pair<std::string_view, const std::optional<std::string>*>> files = {
      {"--out", &asked.out},
      {"--vtk", &asked.vtk},
      {"--points", &asked.points},
      {"--weights", &asked.weights}};
  const auto place_of = [](const std::string& path) {
    std::error_code unknown;
    const auto whole = std::filesystem::absolute(path, unknown);
    if (unknown) return std::filesystem::path(path);
    const auto place = std::filesystem::weakly_canonical(whole, unknown);
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

std::string names_of_methods() {
  return names_of([](const NamedMethod&) { return true; });
}

PartitionOptions checked(const PartitionArguments& asked) {
  if (!asked.points || !asked.parts || !asked.method)
    refuse_partition("--points, --parts and --method are needed.", "Give all three.");
  PartitionOptions options;
  options.points = *asked.points;
  options.weights = asked.weights;
  options.parts = parts_of(*asked.parts);
  choose_method(asked, options);
  if (asked.box) options.box = box_of(*asked.box);
  options.work_is_count = counts_objects(asked);
  if (asked.target_lambda) options.target_lambda = target_of(*asked.target_lambda);
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
