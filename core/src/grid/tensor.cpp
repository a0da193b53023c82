#include "grid/tensor.hpp"

#include "grid/column_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace evenkeel {

namespace {

constexpr int most_sweeps = 12;
constexpr double worth_a_sweep = 0.999;
constexpr std::int64_t most_bins = std::int64_t{1} << 20;  // of all columns together

// Bins along an axis when its row is sought, in as many columns as domains of the other axes.
std::int64_t bins_of(const GridShape& shape, int axis) noexcept {
  const std::int64_t domains = shape.extents[static_cast<std::size_t>(axis)];
  const std::int64_t columns = shape.parts() / domains;
  return std::max(domains, std::min(64 * domains, most_bins / columns));
}

class Tensor {
 public:
  Tensor(GridCut& cut, Sections& sections, const GridCutOptions& options,
         const std::array<RowRules, 3>& rules)
      : borders_(cut.borders), sections_(sections), options_(options), rules_(rules) {}

  void solve() {
    for (int axis = 0; axis < options_.shape.dimensions; ++axis) {
      rows_[index(axis)] = places_of_shares(axis, domains(axis));
      allow(axis, rows_[index(axis)]);
    }
    double heaviest = count();
    auto best = rows_;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const double before = heaviest;
      for (int axis = 0; axis < options_.shape.dimensions; ++axis)
        if (domains(axis) > 1) improve(axis);
      const double now = count();
      if (now < heaviest) {
        heaviest = now;
        best = rows_;
      }
      if (!(now < before * worth_a_sweep)) break;
    }
    rows_ = best;
    count();
    for (std::size_t depth = 0; depth < 3; ++depth) {
      const int axis = borders_.axes[depth];
      std::vector<double>& row = borders_.levels[depth];
      row.clear();
      if (axis >= options_.shape.dimensions) continue;
      row.push_back(rules_[index(axis)].lower);
      row.insert(row.end(), rows_[index(axis)].begin(), rows_[index(axis)].end());
      row.push_back(rules_[index(axis)].upper);
    }
  }

 private:
  static std::size_t index(int axis) { return static_cast<std::size_t>(axis); }
  int domains(int axis) const { return options_.shape.extents[index(axis)]; }
  double speed(int part) const {
    return options_.speeds.empty() ? 1 : options_.speeds[static_cast<std::size_t>(part)];
  }

  void allow(int axis, std::span<double> row) const { evenkeel::allow(rules_[index(axis)], row); }

  // Places that divide all work evenly along an axis.
  std::vector<double> places_of_shares(int axis, std::int64_t pieces) {
    sections_.restart();
    const RowRules& rules = rules_[index(axis)];
    SectionLevel level;
    level.add_group({axis, rules.lower, rules.upper});
    for (std::int64_t p = 1; p < pieces; ++p) {
      const double share = static_cast<double>(p) / static_cast<double>(pieces);
      level.add_place(share, std::lerp(rules.lower, rules.upper, share));
    }
    return sections_.divide(level, {});
  }

  // Divides all groups along an axis at these places.
  void divide(int axis, std::span<const double> places, std::int64_t groups) {
    const RowRules& rules = rules_[index(axis)];
    SectionLevel level;
    std::vector<double> given;
    for (std::int64_t g = 0; g < groups; ++g) {
      level.add_group({axis, rules.lower, rules.upper});
      for (const double place : places) level.add_place(0, place);
      given.insert(given.end(), places.begin(), places.end());
    }
    SectionAim aim;
    aim.tolerance = SectionAim::wherever;
    aim.kept = given;
    sections_.divide(level, aim);
  }

  // The domains of the rows that there are, level by level. The heaviest work / speed.
  double count() {
    sections_.restart();
    std::int64_t groups = 1;
    for (int depth = 0; depth < options_.shape.dimensions; ++depth) {
      const int axis = borders_.axes[static_cast<std::size_t>(depth)];
      divide(axis, rows_[index(axis)], groups);
      groups *= domains(axis);
    }
    const std::vector<double> weights = sections_.weights();
    double heaviest = 0;
    for (std::size_t g = 0; g < weights.size(); ++g)
      heaviest = std::max(heaviest, weights[g] / speed(part_of(g, borders_.axes)));
    return heaviest;
  }

  // Of the group of this number after divisions along all axes in this order.
  int part_of(std::size_t group, std::array<int, 3> axes) const {
    std::array<int, 3> at = {};
    for (int depth = options_.shape.dimensions - 1; depth >= 0; --depth) {
      const int axis = axes[static_cast<std::size_t>(depth)];
      const auto extent = static_cast<std::size_t>(domains(axis));
      at[index(axis)] = static_cast<int>(group % extent);
      group /= extent;
    }
    return options_.shape.part_at(at);
  }

  // Puts the row along an axis where it is best for the others.
  void improve(int axis) {
    std::array<int, 3> order = {0, 1, 2};
    const std::int64_t bins = bins_of(options_.shape, axis);
    const std::vector<double> marks = places_of_shares(axis, bins);
    std::swap(order[index(axis)], order[static_cast<std::size_t>(options_.shape.dimensions) - 1]);
    sections_.restart();
    std::int64_t groups = 1;
    for (int depth = 0; depth + 1 < options_.shape.dimensions; ++depth) {
      const int other = order[static_cast<std::size_t>(depth)];
      divide(other, rows_[index(other)], groups);
      groups *= domains(other);
    }
    divide(axis, marks, groups);
    const ColumnRow row = best_row(
        columns_of(sections_.weights(), bins), domains(axis),
        [&](std::int64_t column, std::int64_t domain) {
          return speed(part_of(static_cast<std::size_t>(column * domains(axis) + domain), order));
        });
    for (std::size_t b = 0; b < row.borders.size(); ++b) {
      const std::int64_t bin = row.borders[b];
      const RowRules& rules = rules_[index(axis)];
      rows_[index(axis)][b] = bin == 0      ? rules.lower
                              : bin == bins ? rules.upper
                                            : marks[static_cast<std::size_t>(bin) - 1];
    }
    allow(axis, rows_[index(axis)]);
  }

  static Columns columns_of(const std::vector<double>& weights, std::int64_t bins) {
    Columns columns;
    columns.bins = bins;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i % static_cast<std::size_t>(bins) == 0) columns.below.push_back(0);
      columns.below.push_back(columns.below.back() + weights[i]);
    }
    return columns;
  }

  GridBorders& borders_;
  Sections& sections_;
  const GridCutOptions& options_;
  const std::array<RowRules, 3>& rules_;
  std::array<std::vector<double>, 3> rows_;  // inner borders along each axis
};

}  // namespace

std::int64_t tensor_pieces(const GridShape& shape) noexcept {
  std::int64_t most = shape.parts();
  for (int axis = 0; axis < shape.dimensions; ++axis) {
    const std::int64_t columns = shape.parts() / shape.extents[static_cast<std::size_t>(axis)];
    most = std::max(most, columns * bins_of(shape, axis));
  }
  return most;
}

void cut_tensor(GridCut& cut, Sections& sections, const GridCutOptions& options,
                const std::array<RowRules, 3>& rules) {
  Tensor(cut, sections, options, rules).solve();
}

}  // namespace evenkeel
