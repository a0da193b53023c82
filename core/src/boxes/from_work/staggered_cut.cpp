#include "boxes/from_work/next_grids.hpp"

#include "boxes/rows/running_work.hpp"

#include <numeric>
#include <utility>

namespace evenkeel {

namespace {

// The part of a model's cell that is in one domain of the outer levels.
struct CellPortion {
  std::size_t cell;
  double work;
};

class StaggeredCut {
 public:
  StaggeredCut(const Density& density, std::span<const double> speeds, const GridFrame& frame)
      : density_(density), speeds_(speeds), frame_(frame), grid_{frame.domains(), {}} {}

  UnitGrid operator()() {
    std::vector<CellPortion> all;
    for (std::size_t c = 0; c < density_.cells().size(); ++c)
      all.push_back({c, density_.cells()[c].work});
    divide(0, 0, all);
    return std::move(grid_);
  }

 private:
  // Recursive; appends rows in the order in which the grid stores them.
  void divide(std::size_t level, std::size_t row, std::span<const CellPortion> portions) {
    const std::size_t domains = grid_.domains[level];
    std::vector<double>& borders = grid_.borders[level];
    const std::size_t first = borders.size();
    borders.push_back(0);
    if (domains > 1) add_inner(level, row, portions);
    borders.push_back(1);
    if (level == 2) return;
    const std::vector<std::vector<CellPortion>> inside =
        portions_in(level, std::span(borders).subspan(first), portions);
    for (std::size_t domain = 0; domain < domains; ++domain)
      divide(level + 1, row * domains + domain, inside[domain]);
  }

  void add_inner(std::size_t level, std::size_t row, std::span<const CellPortion> portions) {
    std::vector<RowPiece> pieces;
    pieces.reserve(portions.size());
    for (const CellPortion& portion : portions) {
      const UnitBox& box = density_.cells()[portion.cell].box;
      pieces.push_back({box.lower[level], box.upper[level], portion.work});
    }
    const RunningWork work(pieces);
    std::vector<double> inner;
    add_shares(speeds_in(level, row), inner);
    for (double& border : inner)
      border = resolved(work.total() > 0 ? work.place_of(border * work.total()) : border);
    frame_.allow(level, inner);
    grid_.borders[level].insert(grid_.borders[level].end(), inner.begin(), inner.end());
  }

  std::vector<std::vector<CellPortion>> portions_in(std::size_t level, std::span<const double> row,
                                                    std::span<const CellPortion> portions) const {
    std::vector<std::vector<CellPortion>> inside(row.size() - 1);
    for (const CellPortion& portion : portions) {
      const UnitBox& box = density_.cells()[portion.cell].box;
      for_each_overlap(row.data(), row.size() - 1, box.lower[level], box.upper[level],
                       [&](std::size_t domain, double share) {
                         inside[domain].push_back({portion.cell, share * portion.work});
                       });
    }
    return inside;
  }

  // Returns the speeds of the domains of a row. The speed of a domain is the sum over all domains
  // of the inner levels in it.
  std::vector<double> speeds_in(std::size_t level, std::size_t row) const {
    std::size_t inside = 1;
    for (std::size_t inner = level + 1; inner < 3; ++inner) inside *= grid_.domains[inner];
    std::vector<double> sums;
    auto at = speeds_.begin() + static_cast<std::ptrdiff_t>(row * grid_.domains[level] * inside);
    for (std::size_t domain = 0; domain < grid_.domains[level]; ++domain) {
      const auto end = at + static_cast<std::ptrdiff_t>(inside);
      sums.push_back(std::accumulate(at, end, 0.0));
      at = end;
    }
    return sums;
  }

  const Density& density_;
  std::span<const double> speeds_;
  const GridFrame& frame_;
  UnitGrid grid_;
};

}  // namespace

UnitGrid staggered_cut(const Density& density, std::span<const double> speeds,
                       const GridFrame& frame) {
  return StaggeredCut(density, speeds, frame)();
}

}  // namespace evenkeel
