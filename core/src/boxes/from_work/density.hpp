#pragma once

// A model of the distribution of work, made only from the totals of domains. It consists of boxes
// that together are the unit cube, with work spread evenly over each. Every round divides boxes
// that hold much work. Then it fits all rounds that it remembers, the newest last, by scaling each
// domain to its total (iterative proportional fitting: Deming and Stephan 1940,
// doi:10.1214/aoms/1177731829). Earlier rounds had other borders, so they show how the work is
// distributed within a domain.

#include "boxes/from_work/unit_grid.hpp"

#include <cstdint>
#include <deque>
#include <span>

namespace evenkeel {

// A grid, and the share of all work that each domain had: the mean of `repeats` rounds with the
// same grid.
struct MeasuredGrid {
  UnitGrid grid;
  std::vector<double> work;
  double repeats = 1;
};

// Noise below this, as a share of the work of a domain, is ignored.
inline constexpr double worth_averaging = 0.005;

// Returns true if shares of work differ by more than noise explains, so that the work has changed.
bool is_other_work(std::span<const double> a, std::span<const double> b, double noise);

class Density {
 public:
  struct DensityCell {
    UnitBox box;
    double work;
  };

  explicit Density(const LevelCounts& domains);

  // `rounds` has at least one round, the newest last, and the others as the last call left them.
  // `noise` is the standard deviation of a domain's work, as a share of it. If the work has
  // changed since, drops the older half of the rounds until the others fit, and returns true.
  bool learn(std::deque<MeasuredGrid>& rounds, double noise);

  // The boxes are in [0, 1]; the work of each is positive, and all work together is about 1.
  std::span<const DensityCell> cells() const noexcept { return cells_; }
  std::vector<double> work_in(const UnitGrid& grid) const;

 private:
  // The domains of a grid that each cell overlaps: those of cell c are [first[c], first[c + 1]).
  struct Cover {
    std::vector<std::size_t> first;
    std::vector<std::uint32_t> domains;
    std::vector<float> shares;
  };

  Cover cover(const UnitGrid& grid) const;
  std::vector<double> work_in(const Cover& cover, std::size_t domains) const;
  void refine(const MeasuredGrid& round);
  void split(const DensityCell& cell, const UnitGrid& grid, std::span<const double> factors,
             std::vector<DensityCell>& into) const;
  void merge();
  void scale_smoothly(const MeasuredGrid& round);
  void scale(const Cover& cover, std::span<const double> factors);
  bool fit(const std::deque<MeasuredGrid>& rounds, double noise);

  std::size_t parts_, even_cells_;  // number of cells for even work
  double most_work_;                // in a cell
  std::array<bool, 3> is_divided_;
  std::vector<DensityCell> cells_ = {{{}, 1}};
};

}  // namespace evenkeel
