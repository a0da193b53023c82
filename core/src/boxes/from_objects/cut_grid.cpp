#include "boxes/from_objects/box_cut.hpp"
#include "boxes/from_objects/tensor.hpp"

#include <evenkeel/backends/comm/ballot.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace evenkeel {

namespace {

std::array<int, 3> axes_of(const GridCutOptions& options) {
  std::array<int, 3> axes = usual_axes(options.shape.dimensions);
  if (options.axes.empty()) return axes;
  std::array<bool, 3> named = {};
  for (const int axis : options.axes)
    if (axis >= 0 && axis < options.shape.dimensions) named[static_cast<std::size_t>(axis)] = true;
  const auto dimensions = static_cast<std::ptrdiff_t>(options.shape.dimensions);
  if (std::ssize(options.axes) != dimensions ||
      std::count(named.begin(), named.end(), true) != dimensions)
    refuse_grid("The order of the axes does not name each axis once.",
                "Name each axis once, or no axis.");
  std::copy(options.axes.begin(), options.axes.end(), axes.begin());
  return axes;
}

GridRules rules_of(const GridCutOptions& options) {
  return {options.box, options.least_width, options.cell_size};
}

class Levels {
 public:
  Levels(const GridCutOptions& options, const std::array<int, 3>& axes)
      : options_(options), axes_(axes) {
    for (std::size_t depth = 0; depth < 3; ++depth)
      domains_[depth] = options.shape.extents[static_cast<std::size_t>(axes[depth])];
  }

  // The description of a level. Its rows are divided in proportion to the speeds of the parts in
  // their domains.
  SectionLevel level(int depth) const {
    SectionLevel level;
    const RowRules rules = rules_at(depth);
    std::vector<double> shares;
    for (int row = 0; row < rows(depth); ++row) {
      shares.clear();
      add_shares(speeds(depth, row), shares);
      level.add_group({axes_[static_cast<std::size_t>(depth)], rules.lower, rules.upper});
      for (const double share : shares)
        level.add_place(share, std::lerp(rules.lower, rules.upper, share));
    }
    return level;
  }

  SectionAim aim(int depth) const {
    const RowRules rules = rules_at(depth);
    SectionAim aim;
    aim.tolerance = tolerance(depth);
    if (rules.width > 0 || rules.cell > 0)
      aim.allow = [=,
                   inner = static_cast<std::size_t>(domains(depth) - 1)](std::span<double> places) {
        for (; inner > 0 && !places.empty(); places = places.subspan(inner))
          evenkeel::allow(rules, places.first(inner));
      };
    return aim;
  }

  // Returns the rows of borders of a level, each with the two faces of the box at its ends.
  std::vector<double> rows_of(int depth, std::span<const double> places) const {
    const RowRules rules = rules_at(depth);
    const auto inner = static_cast<std::size_t>(domains(depth) - 1);
    std::vector<double> borders;
    for (int row = 0; row < rows(depth); ++row) {
      borders.push_back(rules.lower);
      borders.insert(borders.end(), places.begin(),
                     places.begin() + static_cast<std::ptrdiff_t>(inner));
      borders.push_back(rules.upper);
      places = places.subspan(inner);
    }
    return borders;
  }

  // Returns the part of a group, given the group's number after all levels are divided.
  int part_of_group(int group) const {
    std::array<int, 3> at = {};
    for (int depth = options_.shape.dimensions - 1; depth >= 0; --depth) {
      at[axis(depth)] = group % domains(depth);
      group /= domains(depth);
    }
    return options_.shape.part_at(at);
  }

 private:
  RowRules rules_at(int depth) const {
    return rules_of(options_).along(axes_[static_cast<std::size_t>(depth)]);
  }
  std::size_t axis(int depth) const {
    return static_cast<std::size_t>(axes_[static_cast<std::size_t>(depth)]);
  }
  int domains(int depth) const { return domains_[static_cast<std::size_t>(depth)]; }
  int rows(int depth) const {
    int rows = 1;
    for (int outer = 0; outer < depth; ++outer) rows *= domains(outer);
    return rows;
  }

  // Returns the speeds of the domains of a row. The speed of a domain is the sum over all parts
  // inside.
  std::vector<double> speeds(int depth, int row) const {
    std::vector<double> sums(static_cast<std::size_t>(domains(depth)), 1.0);
    if (options_.speeds.empty()) return sums;
    int inside = 1;
    for (int inner = depth + 1; inner < options_.shape.dimensions; ++inner)
      inside *= domains(inner);
    for (int domain = 0; domain < domains(depth); ++domain) {
      double& sum = sums[static_cast<std::size_t>(domain)];
      sum = 0;
      for (int i = 0; i < inside; ++i) {
        const int group = (row * domains(depth) + domain) * inside + i;
        sum += options_.speeds[static_cast<std::size_t>(part_of_group(group))];
      }
    }
    return sums;
  }

  // Returns the tolerance of a level with which all levels together stay within the target. An
  // error at a border changes two pieces, so the tolerance is half of the level's share of the
  // target.
  double tolerance(int depth) const {
    if (!(options_.target_lambda > 1)) return 0;
    double least = 1.0 / rows(depth) / domains(depth);
    if (!options_.speeds.empty()) {
      double all = 0;
      for (const double speed : options_.speeds) all += speed;
      for (int row = 0; row < rows(depth); ++row)
        for (const double speed : speeds(depth, row)) least = std::min(least, speed / all);
    }
    const double of_level = std::pow(options_.target_lambda, 1.0 / options_.shape.dimensions) - 1;
    return std::min(of_level / 2, 0.25) * least;
  }

  const GridCutOptions& options_;
  std::array<int, 3> axes_, domains_ = {1, 1, 1};
};

void cut_staggered(GridCut& cut, Sections& sections, const Levels& levels, int dimensions) {
  for (int depth = 0; depth < dimensions; ++depth) {
    SectionLevel level;
    SectionAim aim;
    sections.work([&] {
      level = levels.level(depth);
      aim = levels.aim(depth);
    });
    const std::vector<double>& places = sections.divide(level, aim);
    sections.work([&] {
      cut.borders.levels[static_cast<std::size_t>(depth)] = levels.rows_of(depth, places);
    });
  }
}

void number_by_part(std::vector<double>& weights, const Levels& levels) {
  const std::vector<double> by_group = weights;
  for (std::size_t g = 0; g < by_group.size(); ++g)
    weights[static_cast<std::size_t>(levels.part_of_group(static_cast<int>(g)))] = by_group[g];
}

}  // namespace

GridCut stages::cut_grid(const Voters& voters, std::span<const WeightedPoints> points,
                         const GridCutOptions& options) {
  const Communicator& communicator = voters.communicator();
  std::optional<Sections> sections;
  GridCut cut;
  Census mine;
  const Status prepared = attempt(grid_stage, [&] {
    voters.require_success();
    check(options.shape);
    check_box_cut(options, options.shape.parts(), options.shape.dimensions);
    check(rules_of(options), options.shape);
    check_points(points, options.shape.dimensions);
    cut.borders.scheme = options.scheme;
    cut.borders.axes = axes_of(options);
    sections.emplace(communicator, points, options, options.shape.dimensions,
                     options.scheme == GridScheme::tensor ? tensor_pieces(options.shape)
                                                          : options.shape.parts());
    mine = sections->census();
  });
  const Census all = vote<&combine>(communicator, prepared, mine);
  sections->begin(all);
  const Levels levels(options, cut.borders.axes);
  if (options.scheme == GridScheme::tensor)
    cut_tensor(
        cut, *sections, options,
        {rules_of(options).along(0), rules_of(options).along(1), rules_of(options).along(2)});
  else
    cut_staggered(cut, *sections, levels, options.shape.dimensions);
  sections->work([&] {
    cut.weights = sections->weights();
    number_by_part(cut.weights, levels);
  });
  finish(cut, *sections, all);
  return cut;
}

}  // namespace evenkeel
