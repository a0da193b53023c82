#pragma once

// The world of a whole program: cells at rest in a box, their costs at each step, and the cells
// that are split. It depends only on its load, its seed and its size. So it is the same for all
// numbers of ranks of the same size, whatever these ranks decide.
//
// Costs are scaled so that the mean load of a rank in the first step is 1. This is a mean step.

#include "whole_loads.hpp"

#include <numeric>

namespace evenkeel::bench {

// The cells of a rank. The number of a cell is the number of its lattice cell times `kinds`, plus 0
// for the whole lattice cell, or plus 1 to 8 for one of the cells into which it is split.
struct Cells {
  static constexpr std::int64_t kinds = 9;
  std::vector<Point> place;
  std::vector<std::int64_t> number;
};

class World {
 public:
  World(WholeLoad load, std::uint64_t seed, int ranks)
      : load_(std::move(load)), draw_(seed, stream()) {
    constexpr double cells_per_rank = 250;
    const auto needed = static_cast<std::int64_t>(std::ceil(std::cbrt(cells_per_rank * ranks / 2)));
    side_ = std::max<std::int64_t>(16, needed);
    spacing_ = 0.5 / static_cast<double>(side_);
    orbit_ = {draw_.between(0, 1), draw_.between(0.5, 1.5), draw_.between(0.13, 0.18)};
    field_ = load_.field(draw_, load_.steps, spacing_);
    const std::int64_t count = 2 * side_ * side_ * side_;
    for (std::int64_t cell = 0; cell < count; ++cell) places_.push_back(drawn_place(cell));
    Cells all = cells(0, 1);
    refine(all, 0);
    std::vector<double> costs;
    scale_ = ranks / sum_of_costs(all, 0, costs);
  }

  const WholeLoad& load() const noexcept { return load_; }

  // The cells of a rank at the start, in the order of the lattice.
  Cells cells(int rank, int ranks) const {
    const std::int64_t count = std::ssize(places_);
    const clouds::Share share = load_.on_first_rank ? clouds::Share{0, rank == 0 ? count : 0}
                                                    : clouds::share_of(count, rank, ranks);
    Cells mine;
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      mine.place.push_back(place_of(i));
      mine.number.push_back(i * Cells::kinds);
    }
    return mine;
  }

  // In every fourth step, each rank splits and merges its cells.
  void refine(Cells& cells, int step) const {
    constexpr int every = 4;
    if (!load_.refines || step % every != 0) return;
    const double at = loads::around(orbit_.from + orbit_.way * step / load_.steps);
    const Point centre = {at, 0.25, 0.25};
    const double square = orbit_.radius * orbit_.radius;
    std::size_t kept = 0;
    const std::size_t before = cells.number.size();
    Cells born;
    for (std::size_t i = 0; i < before; ++i) {
      const std::int64_t parent = cells.number[i] / Cells::kinds;
      const std::int64_t kind = cells.number[i] % Cells::kinds;
      const Point place = place_of(parent);
      const bool fine = loads::square_distance(place, centre) < square;
      if (!fine && kind > 1) continue;
      for (std::int64_t child = 2; fine && kind == 0 && child < Cells::kinds; ++child) {
        born.place.push_back(part_of(place, child));
        born.number.push_back(parent * Cells::kinds + child);
      }
      cells.number[kept] = parent * Cells::kinds + (fine ? std::max<std::int64_t>(1, kind) : 0);
      cells.place[kept++] = fine ? part_of(place, std::max<std::int64_t>(1, kind)) : place;
    }
    cells.place.resize(kept);
    cells.number.resize(kept);
    cells.place.insert(cells.place.end(), born.place.begin(), born.place.end());
    cells.number.insert(cells.number.end(), born.number.begin(), born.number.end());
  }

  // Returns the sum of the costs in mean steps. `costs` are in another unit.
  double sum_of_costs(const Cells& cells, int step, std::vector<double>& costs) const {
    costs.resize(cells.place.size());
    field_(step, cells.place, costs);
    if (load_.refines)  // split cells take two sub-steps in each step
      for (std::size_t i = 0; i < costs.size(); ++i)
        if (cells.number[i] % Cells::kinds > 0) costs[i] *= 2;
    return scale_ * std::accumulate(costs.begin(), costs.end(), 0.0);
  }

 private:
  struct Orbit {
    double from, way, radius;
  };

  // A number that depends on the name of the load.
  std::int64_t stream() const {
    std::int64_t sum = 0;
    for (const char letter : load_.name) sum = (sum * 31 + letter) % 1'000'003;
    return sum;
  }

  // A random place in the lattice cell. So no two cells share a coordinate.
  Point drawn_place(std::int64_t cell) const {
    constexpr double room = 0.4;
    clouds::Random random(17, cell);
    const std::array<std::int64_t, 3> at = {cell / (side_ * side_), cell / side_ % side_,
                                            cell % side_};
    Point place;
    for (std::size_t d = 0; d < 3; ++d)
      place[d] = spacing_ * (static_cast<double>(at[d]) + 0.5 + room * (random.uniform() - 0.5));
    return place;
  }

  const Point& place_of(std::int64_t cell) const { return places_[static_cast<std::size_t>(cell)]; }

  Point part_of(const Point& parent, std::int64_t child) const {
    Point place = parent;
    for (std::size_t d = 0; d < 3; ++d)
      place[d] += spacing_ / 8 * (((child - 1) >> d) % 2 == 0 ? -1 : 1);
    return place;
  }

  WholeLoad load_;
  Draw draw_;
  std::int64_t side_ = 0;
  double spacing_ = 0, scale_ = 1;
  Orbit orbit_{};
  std::vector<Point> places_;  // of the cells of the lattice
  CostField field_;
};

}  // namespace evenkeel::bench
