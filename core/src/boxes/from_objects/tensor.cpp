#include "boxes/from_objects/tensor.hpp"

#include "boxes/rows/column_row.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace evenkeel {

namespace {

constexpr int most_sweeps = 12;
constexpr double worth_a_sweep = 0.999;
constexpr std::int64_t most_bins = std::int64_t{1} << 20;  // over all columns together

// Returns the number of bins along an axis while its row of borders is improved. It is a multiple
// of the axis's number of domains. There is a column of bins for each domain of the other axes.
std::int64_t bins_of(const GridShape& shape, int axis) noexcept {
  const std::int64_t domains = shape.extents[static_cast<std::size_t>(axis)];
  if (domains == 1) return 1;
  return domains * std::clamp<std::int64_t>(most_bins / shape.parts(), 1, 64);
}

struct BorderRow {
  std::vector<double> places;      // of inner borders, in ascending order
  std::vector<std::int64_t> ends;  // by inner border: the bin whose end is nearest to it
  friend bool operator==(const BorderRow&, const BorderRow&) = default;
};
using Rows = std::array<BorderRow, 3>;  // by axis

// Rows whose borders are at the ends of bins if the rules allow it.
class BinnedRows {
 public:
  BinnedRows(const GridShape& shape, const std::array<RowRules, 3>& rules)
      : shape_(shape), rules_(rules) {}

  std::int64_t bins(int axis) const { return bins_of(shape_, axis); }
  // Sets the places between the bins of an axis.
  void set_marks(int axis, std::vector<double> marks) { marks_[index(axis)] = std::move(marks); }

  void place_evenly(int axis) {
    const int domains = shape_.extents[index(axis)];
    std::vector<std::int64_t> even;
    for (int domain = 1; domain < domains; ++domain)
      even.push_back(domain * (bins(axis) / domains));
    place(axis, std::move(even));
  }

  // Puts borders at the ends of bins, or at the nearest places that are allowed.
  void place(int axis, std::vector<std::int64_t> ends) {
    const RowRules& rules = rules_[index(axis)];
    BorderRow& row = rows[index(axis)];
    row.places.clear();
    for (const std::int64_t end : ends) row.places.push_back(place_of(axis, end));
    const std::vector<double> wanted = row.places;
    allow(rules, row.places);
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (row.places[i] != wanted[i]) {
        ends[i] = nearest_end(axis, row.places[i]);
        are_off_bins_ = true;
      }
    row.ends = std::move(ends);
  }

  Rows rows;

  // Returns true if a border is not at the end of a bin, so that the work of domains is an
  // estimate.
  bool are_off_bins() const noexcept { return are_off_bins_; }

 private:
  static std::size_t index(int axis) { return static_cast<std::size_t>(axis); }
  double place_of(int axis, std::int64_t end) const {
    const RowRules& rules = rules_[index(axis)];
    if (end == 0) return rules.lower;
    if (end == bins(axis)) return rules.upper;
    return marks_[index(axis)][static_cast<std::size_t>(end) - 1];
  }
  std::int64_t nearest_end(int axis, double place) const {
    const std::vector<double>& marks = marks_[index(axis)];
    const std::int64_t above =
        1 + std::distance(marks.begin(), std::lower_bound(marks.begin(), marks.end(), place));
    const double below_by = place - place_of(axis, above - 1);
    return below_by < place_of(axis, above) - place ? above - 1 : above;
  }

  const GridShape& shape_;
  const std::array<RowRules, 3>& rules_;
  std::array<std::vector<double>, 3> marks_;
  bool are_off_bins_ = false;
};

class TensorDivision {
 public:
  TensorDivision(GridCut& cut, Sections& sections, const GridCutOptions& options,
                 const std::array<RowRules, 3>& rules)
      : borders_(cut.borders),
        sections_(sections),
        options_(options),
        rules_(rules),
        rows_(options.shape, rules) {}

  void solve() {
    for (int axis = 0; axis < options_.shape.dimensions; ++axis)
      if (domains(axis) > 1) {
        divide_into_bins(axis);
        sections_.work([&] { rows_.place_evenly(axis); });
      }
    Rows start, best;
    sections_.work([&] { start = best = rows_.rows; });
    double least = std::numeric_limits<double>::infinity();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double heaviest = 0;
      for (int axis = 0; axis < options_.shape.dimensions; ++axis)
        if (domains(axis) > 1) heaviest = improve(axis);
      const bool goes_on = heaviest < least * worth_a_sweep;
      if (heaviest < least) {
        least = heaviest;
        sections_.work([&] { best = rows_.rows; });
      }
      if (!goes_on) break;
    }
    rows_.rows = std::move(best);
    divide_into_domains();
    if (rows_.are_off_bins()) keep_better_of(std::move(start));
    sections_.work([&] { write_borders(); });
  }

 private:
  // The present row of an axis is the best one if the rows of the other axes are `others`.
  struct BestRow {
    Rows others;
    double heaviest;
  };

  static std::size_t index(int axis) { return static_cast<std::size_t>(axis); }
  int domains(int axis) const { return options_.shape.extents[index(axis)]; }
  double speed(int part) const {
    return options_.speeds.empty() ? 1 : options_.speeds[static_cast<std::size_t>(part)];
  }

  std::int64_t bins(int axis) const { return rows_.bins(axis); }

  // Divides all objects into bins of equal work along one axis.
  void divide_into_bins(int axis) {
    sections_.restart();
    SectionLevel level;
    sections_.work([&] {
      const RowRules& rules = rules_[index(axis)];
      level.add_group({axis, rules.lower, rules.upper});
      for (std::int64_t bin = 1; bin < bins(axis); ++bin) {
        const double share = static_cast<double>(bin) / static_cast<double>(bins(axis));
        level.add_place(share, std::lerp(rules.lower, rules.upper, share));
      }
    });
    const std::vector<double>& marks = sections_.divide(level, {});
    sections_.work([&] { rows_.set_marks(axis, marks); });
    sections_.note(axis);
  }

  void write_borders() {
    for (std::size_t depth = 0; depth < 3; ++depth) {
      const int axis = borders_.axes[depth];
      std::vector<double>& row = borders_.levels[depth];
      row.clear();
      if (axis >= options_.shape.dimensions) continue;
      const std::vector<double>& inner = rows_.rows[index(axis)].places;
      row.push_back(rules_[index(axis)].lower);
      row.insert(row.end(), inner.begin(), inner.end());
      row.push_back(rules_[index(axis)].upper);
    }
  }

  // Divides each group along an axis at the same places.
  void divide(int axis, std::span<const double> places, std::int64_t groups) {
    SectionLevel level;
    std::vector<double> given;
    SectionAim aim;
    aim.tolerance = SectionAim::wherever;
    sections_.work([&] {
      const RowRules& rules = rules_[index(axis)];
      for (std::int64_t g = 0; g < groups; ++g) {
        level.add_group({axis, rules.lower, rules.upper});
        for (const double place : places) level.add_place(0, place);
        given.insert(given.end(), places.begin(), places.end());
      }
    });
    aim.kept = given;
    sections_.divide(level, aim);
  }

  // Divides the objects into the domains of the present rows, level by level.
  void divide_into_domains() {
    sections_.restart();
    std::int64_t groups = 1;
    for (int depth = 0; depth < options_.shape.dimensions; ++depth) {
      const int axis = borders_.axes[static_cast<std::size_t>(depth)];
      divide(axis, rows_.rows[index(axis)].places, groups);
      groups *= domains(axis);
    }
  }

  // Compares the present rows, into which the objects are divided already, with `others`, by their
  // exact work. Keeps the better rows.
  void keep_better_of(Rows others) {
    double heaviest = 0, heaviest_of_others = 0;
    sections_.work([&] { heaviest = heaviest_domain(); });
    std::swap(rows_.rows, others);
    divide_into_domains();
    sections_.work([&] { heaviest_of_others = heaviest_domain(); });
    if (heaviest_of_others < heaviest) return;
    std::swap(rows_.rows, others);
    divide_into_domains();
  }
  double heaviest_domain() const {
    const std::vector<double> weights = sections_.weights();
    double heaviest = 0;
    for (std::size_t g = 0; g < weights.size(); ++g)
      heaviest = std::max(heaviest, weights[g] / speed(part_of(g, borders_.axes)));
    return heaviest;
  }

  // Returns the part of a group, after divisions along all axes in the order `axes`.
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

  // Finds the best row along an axis for the present rows of the other axes. Returns the heaviest
  // work / speed of a domain. It is an estimate if a border could not be at the end of a bin.
  double improve(int axis) {
    std::optional<BestRow>& known = best_[index(axis)];
    Rows others;
    sections_.work([&] {
      others = rows_.rows;
      others[index(axis)] = {};
    });
    if (!known || known->others != others) {
      const double heaviest = find_best(axis);
      known = BestRow{std::move(others), heaviest};
    }
    return known->heaviest;
  }
  double find_best(int axis) {
    std::array<int, 3> order = {0, 1, 2};
    std::swap(order[index(axis)], order[static_cast<std::size_t>(options_.shape.dimensions) - 1]);
    SectionSums sums;
    sections_.work([&] { sums = sums_along(axis, order); });
    const std::vector<double> weights = sections_.weights_by(sums);
    double heaviest = 0;
    sections_.work([&] { heaviest = place_best(axis, columns_of(weights, bins(axis)), order); });
    return heaviest;
  }
  double place_best(int axis, const Columns& columns, const std::array<int, 3>& order) {
    const auto speed_of = [&](std::int64_t column, std::int64_t domain) {
      return speed(part_of(static_cast<std::size_t>(column * domains(axis) + domain), order));
    };
    ColumnRow row = best_row(columns, domains(axis), speed_of);
    rows_.place(axis, row.borders);
    if (rows_.rows[index(axis)].ends == row.borders) return row.heaviest;
    return heaviest_piece(columns, rows_.rows[index(axis)].ends, speed_of);
  }

  // Numbers objects by column and bin along an axis. A column is a domain of the two other axes.
  // Columns are counted in the order of axes in `order`, the first of which is outermost.
  SectionSums sums_along(int axis, const std::array<int, 3>& order) const {
    SectionSums sums;
    std::int64_t stride = bins(axis);
    for (std::int64_t bin = 0; bin < bins(axis); ++bin)
      sums.number[index(axis)].push_back(static_cast<std::uint64_t>(bin));
    for (int depth = options_.shape.dimensions - 2; depth >= 0; --depth) {
      const int other = order[static_cast<std::size_t>(depth)];
      if (domains(other) == 1) continue;
      const std::vector<std::int64_t>& ends = rows_.rows[index(other)].ends;
      std::int64_t domain = 0;
      for (std::int64_t bin = 0; bin < bins(other); ++bin) {
        while (domain < std::ssize(ends) && ends[static_cast<std::size_t>(domain)] <= bin) ++domain;
        sums.number[index(other)].push_back(static_cast<std::uint64_t>(domain * stride));
      }
      stride *= domains(other);
    }
    sums.count = stride;
    return sums;
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
  BinnedRows rows_;
  std::array<std::optional<BestRow>, 3> best_;  // by axis
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
  TensorDivision(cut, sections, options, rules).solve();
}

}  // namespace evenkeel
