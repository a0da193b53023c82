#include "boxes/from_work/next_grids.hpp"

#include "boxes/rows/column_row.hpp"
#include "boxes/rows/running_work.hpp"

#include <limits>
#include <random>
#include <utility>

namespace evenkeel {

namespace {

constexpr std::size_t bins_per_domain = 32, even_bins_per_domain = 8;
constexpr int most_sweeps = 8, most_sweeps_of_starts = 4;
constexpr double worth_a_sweep = 0.999;
// `most_parts_started` limits starts * parts
constexpr std::size_t most_starts = 16, most_parts_started = 4096;
constexpr double loyalty = 0.97, worth_leaving = 1.02;  // factors in favour of the present valley

using Rows = std::array<std::vector<double>, 3>;  // borders from 0 to 1, by level

class TensorCut {
 public:
  TensorCut(const Density& density, std::span<const double> speeds, const GridFrame& frame)
      : density_(density), speeds_(speeds), frame_(frame), domains_(frame.domains()) {
    for (std::size_t level = 0; level < 3; ++level) {
      std::vector<RowPiece> pieces;
      for (const Density::DensityCell& cell : density.cells())
        pieces.push_back({cell.box.lower[level], cell.box.upper[level], cell.work});
      const RunningWork work(pieces);
      edges_[level] = edges_along(level, work);
      even_[level] = even_row(level, work);
    }
  }

  const Rows& even() const noexcept { return even_; }

  UnitGrid grid_of(const Rows& rows) const {
    UnitGrid grid{domains_, {}};
    std::size_t copies = 1;
    for (std::size_t level = 0; level < 3; ++level) {
      for (std::size_t i = 0; i < copies; ++i)
        grid.borders[level].insert(grid.borders[level].end(), rows[level].begin(),
                                   rows[level].end());
      copies *= domains_[level];
    }
    return grid;
  }

  Rows rows_of(const UnitGrid& grid) const {
    Rows rows;
    for (std::size_t level = 0; level < 3; ++level)
      rows[level].assign(grid.row(level, 0), grid.row(level, 0) + domains_[level] + 1);
    return rows;
  }

  // Improves the rows until that gains little. Returns the heaviest work / speed of a domain.
  double descend(Rows& rows) const {
    double heaviest = heaviest_of(rows);
    Rows moved = rows;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      sweep_once(moved, [this](const Rows& at, std::size_t level) { return columns(at, level); });
      const double now = heaviest_of(moved);
      const bool is_worth_more = now < heaviest * worth_a_sweep;
      if (now < heaviest) heaviest = now, rows = moved;
      if (!is_worth_more) break;
    }
    return heaviest;
  }

  // Returns the rows of the best valley that a start leads to. For speed, cells count as points.
  Rows best_start(const Rows& now) {
    make_points();
    const std::size_t starts = std::min(most_starts, most_parts_started / speeds_.size());
    std::mt19937_64 random(7);
    Rows best = now;
    double deepest = descend_on_points(best) * loyalty;
    for (std::size_t start = 0; start <= starts; ++start) {
      Rows rows = start == 0 ? even_ : random_rows(random);
      const double heaviest = descend_on_points(rows);
      if (heaviest < deepest) deepest = heaviest, best = rows;
    }
    return best;
  }

 private:
  // Returns candidates for borders: some divide the work into equal shares, some the length.
  std::vector<double> edges_along(std::size_t level, const RunningWork& work) const {
    std::vector<double> edges = {0, 1};
    const std::size_t n = domains_[level];
    if (n == 1) return edges;
    const auto add = [&](std::size_t count, auto&& place) {
      for (std::size_t i = 1; i < count; ++i)
        edges.push_back(resolved(place(static_cast<double>(i) / static_cast<double>(count))));
    };
    add(n * bins_per_domain, [&](double share) { return work.place_of(share * work.total()); });
    add(n * even_bins_per_domain, [](double place) { return place; });
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
  }

  std::vector<double> even_row(std::size_t level, const RunningWork& work) const {
    std::vector<double> sums(domains_[level]), inner;
    for (std::size_t d = 0; d < speeds_.size(); ++d) sums[at(d, level)] += speeds_[d];
    add_shares(sums, inner);
    for (double& border : inner) border = resolved(work.place_of(border * work.total()));
    return row_of(level, std::move(inner));
  }

  std::vector<double> row_of(std::size_t level, std::vector<double> inner) const {
    frame_.allow(level, inner);
    inner.insert(inner.begin(), 0.0);
    inner.push_back(1);
    return inner;
  }

  Rows random_rows(std::mt19937_64& random) const {
    Rows rows;
    for (std::size_t level = 0; level < 3; ++level) {
      std::vector<double> inner;
      // Uses no distribution of the standard library, because these differ between libraries, and
      // all ranks need the same rows.
      for (std::size_t b = 1; b < domains_[level]; ++b)
        inner.push_back(edges_[level][random() % edges_[level].size()]);
      std::sort(inner.begin(), inner.end());
      rows[level] = row_of(level, std::move(inner));
    }
    return rows;
  }

  std::size_t stride(std::size_t level) const {
    return level == 0 ? domains_[1] * domains_[2] : level == 1 ? domains_[2] : 1;
  }
  std::size_t at(std::size_t domain, std::size_t level) const {
    return domain / stride(level) % domains_[level];
  }

  // The two other levels.
  static std::pair<std::size_t, std::size_t> across(std::size_t level) {
    return {level == 0 ? 1 : 0, level == 2 ? 1 : 2};
  }
  std::size_t columns_across(std::size_t level) const { return speeds_.size() / domains_[level]; }

  double heaviest_of(const Rows& rows) const {
    const std::vector<double> work = density_.work_in(grid_of(rows));
    double heaviest = 0;
    for (std::size_t d = 0; d < work.size(); ++d)
      heaviest = std::max(heaviest, work[d] / speeds_[d]);
    return heaviest;
  }

  // Improves each row in turn, given the other rows. Returns the heaviest work / speed after the
  // last row.
  template <class ColumnsOf>
  double sweep_once(Rows& rows, ColumnsOf&& columns_of) const {
    double heaviest = 0;
    for (std::size_t level = 0; level < 3; ++level) {
      if (domains_[level] == 1) continue;
      const std::pair<std::size_t, std::size_t> others = across(level);
      const ColumnRow row =
          best_row(columns_of(rows, level), static_cast<std::int64_t>(domains_[level]),
                   [&](std::int64_t column, std::int64_t domain) {
                     const auto [a, b] = others;
                     const auto c = static_cast<std::size_t>(column);
                     return speeds_[c / domains_[b] * stride(a) + c % domains_[b] * stride(b) +
                                    static_cast<std::size_t>(domain) * stride(level)];
                   });
      std::vector<double> inner;
      for (const std::int64_t bin : row.borders)
        inner.push_back(edges_[level][static_cast<std::size_t>(bin)]);
      rows[level] = row_of(level, std::move(inner));
      heaviest = row.heaviest;
    }
    return heaviest;
  }

  Columns empty_columns(std::size_t level) const {
    Columns columns;
    columns.bins = std::ssize(edges_[level]) - 1;
    columns.below.resize(columns_across(level) * edges_[level].size());
    return columns;
  }

  // In `columns.below`, the entry at the end of each bin has the work of the bin. Replaces it by
  // the work of all bins up to that end.
  void sum_up(Columns& columns, std::size_t level) const {
    const std::size_t length = edges_[level].size();
    for (std::size_t i = 0; i < columns.below.size(); ++i)
      if (i % length > 0) columns.below[i] += columns.below[i - 1];
  }

  Columns columns(const Rows& rows, std::size_t level) const {
    Columns columns = empty_columns(level);
    const std::pair<std::size_t, std::size_t> others = across(level);
    const std::vector<double>& edges = edges_[level];
    const auto overlap = [&](std::size_t other, const UnitBox& box, auto&& visit) {
      for_each_overlap(rows[other].data(), domains_[other], box.lower[other], box.upper[other],
                       visit);
    };
    for (const Density::DensityCell& cell : density_.cells())
      overlap(others.first, cell.box, [&](std::size_t in_a, double share_a) {
        overlap(others.second, cell.box, [&](std::size_t in_b, double share_b) {
          double* const column =
              &columns.below[(in_a * domains_[others.second] + in_b) * edges.size()];
          const double work = share_a * share_b * cell.work;
          for_each_overlap(edges.data(), edges.size() - 1, cell.box.lower[level],
                           cell.box.upper[level],
                           [&](std::size_t bin, double share) { column[bin + 1] += share * work; });
        });
      });
    sum_up(columns, level);
    return columns;
  }

  // --- Cells as points: less exact, and much faster ---

  struct Point {
    std::array<std::size_t, 3> bins;
    double work;
  };

  void make_points() {
    for (const Density::DensityCell& cell : density_.cells()) {
      Point point{{}, cell.work};
      for (std::size_t level = 0; level < 3; ++level)
        point.bins[level] = domain_at(edges_[level].data(), edges_[level].size() - 1,
                                      0.5 * (cell.box.lower[level] + cell.box.upper[level]));
      points_.push_back(point);
    }
  }

  std::vector<std::size_t> domains_of_bins(const Rows& rows, std::size_t level) const {
    std::vector<std::size_t> domains;
    for (std::size_t bin = 0; bin + 1 < edges_[level].size(); ++bin)
      domains.push_back(domain_at(rows[level].data(), domains_[level],
                                  0.5 * (edges_[level][bin] + edges_[level][bin + 1])));
    return domains;
  }

  Columns columns_of_points(const Rows& rows, std::size_t level) const {
    Columns columns = empty_columns(level);
    const auto [a, b] = across(level);
    const std::vector<std::size_t> in_a = domains_of_bins(rows, a), in_b = domains_of_bins(rows, b);
    for (const Point& point : points_)
      columns
          .below[(in_a[point.bins[a]] * domains_[b] + in_b[point.bins[b]]) * edges_[level].size() +
                 point.bins[level] + 1] += point.work;
    sum_up(columns, level);
    return columns;
  }

  double descend_on_points(Rows& rows) const {
    double heaviest = std::numeric_limits<double>::infinity();
    for (int sweep = 0; sweep < most_sweeps_of_starts; ++sweep) {
      const double now = sweep_once(
          rows, [this](const Rows& at, std::size_t level) { return columns_of_points(at, level); });
      if (!(now < heaviest * worth_a_sweep)) return std::min(now, heaviest);
      heaviest = now;
    }
    return heaviest;
  }

  const Density& density_;
  std::span<const double> speeds_;
  const GridFrame& frame_;
  LevelCounts domains_;
  std::array<std::vector<double>, 3> edges_;
  Rows even_;
  std::vector<Point> points_;
};

}  // namespace

UnitGrid tensor_cut(const Density& density, std::span<const double> speeds, const GridFrame& frame,
                    const UnitGrid& now, TensorSearch search) {
  TensorCut cut(density, speeds, frame);
  if (search == TensorSearch::none) return cut.grid_of(cut.even());
  Rows here = cut.rows_of(now), elsewhere = cut.best_start(here);
  const double heaviest_here = cut.descend(here), heaviest_elsewhere = cut.descend(elsewhere);
  return cut.grid_of(heaviest_here <= worth_leaving * heaviest_elsewhere ? here : elsewhere);
}

}  // namespace evenkeel
