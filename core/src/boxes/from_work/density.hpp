#pragma once

// A model of the distribution of work in space, made only from the total work of each domain. It
// consists of boxes (cells) that fill the unit cube; work is spread evenly within each box. Each
// round divides boxes that have much work. Then the model is fitted to all remembered rounds, the
// newest last: within each domain of a round, the boxes are scaled so that their sum is the
// measured total (iterative proportional fitting: Deming and Stephan 1940,
// doi:10.1214/aoms/1177731829). Earlier rounds had other borders, so together the rounds show how
// the work is distributed within a domain.

#include "boxes/from_work/unit_grid.hpp"

#include <cstdint>
#include <deque>
#include <span>

namespace evenkeel {

// A grid, and for each domain its share of all work, averaged over `repeats` rounds with this grid.
struct MeasuredGrid {
  UnitGrid grid;
  std::vector<double> work;
  double repeats = 1;
};

// Noise below this is ignored. It is a share of the work of a domain.
inline constexpr double worth_averaging = 0.005;

// Returns true if the shares of work differ by more than noise explains: then the work has changed.
bool is_other_work(std::span<const double> a, std::span<const double> b, double noise);

class Density {
 public:
  struct DensityCell {
    UnitBox box;
    double work;
  };

  explicit Density(const LevelCounts& domains);

  // Updates the model. `rounds` must be as the last call left it, with the newest round added at
  // the end. `noise` is the standard deviation of a domain's work / that work. If the newest round
  // contradicts the older ones, the work has changed: then drops the older half of the rounds, as
  // often as necessary for the rest to fit, and returns true.
  bool learn(std::deque<MeasuredGrid>& rounds, double noise);

  // The boxes are in [0, 1]. The work of each is above 0, and the sum of all work is about 1.
  std::span<const DensityCell> cells() const noexcept { return cells_; }
  std::vector<double> work_in(const UnitGrid& grid) const;

 private:
  // For each cell, the domains of a grid that it overlaps, and the share of the cell in each of
  // them. Cell c has the indices [first[c], first[c + 1]).
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

  std::size_t parts_, even_cells_;  // even_cells_: number of cells if the work were even
  double most_work_;                // greatest work of a cell
  std::array<bool, 3> is_divided_;
  std::vector<DensityCell> cells_ = {{{}, 1}};
};

}  // namespace evenkeel
