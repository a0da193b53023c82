#pragma once

// Finds power diagrams whose cells have given masses, for points that one process holds. Large
// problems are solved for a sample of their points first.

#include "domains/power/blocks.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace evenkeel {

// A sum over some points of a model. If masses are small integers, it is an exact integer, so it
// does not depend on how the points are divided between processes.
struct PowerSum {
  // a part and -1: the mass of its cell, and mass x offset from its anchor along each axis
  // two rivals: the masses near their face, by scale, see measure.cpp
  // -1 and -1: mass x square of the offset, as a multiple of 2^26 and the rest
  std::int32_t one, other;
  double values[4];
};

// Points with masses, in the order of a curve. Points in one cell of the lattice are one point.
class PowerModel {
 public:
  explicit PowerModel(const Lattice& lattice) : lattice_(lattice) {}
  // Adds a point, with a mass above 0. Then finish() must be called.
  void add(const std::array<double, 3>& cell, double mass);
  // Makes the blocks.
  void finish();

  const Lattice& lattice() const noexcept { return lattice_; }
  std::size_t size() const noexcept { return mass_.size(); }
  double mass(std::size_t point) const noexcept { return mass_[point]; }
  double whole() const noexcept { return whole_; }  // the sum of all masses
  double at(std::size_t point, std::size_t axis) const noexcept { return at_[axis][point]; }
  std::array<double, 3> place(std::size_t point) const noexcept {
    return {at_[0][point], at_[1][point], at_[2][point]};
  }
  // By default one process measures all points. If it has help, this function does it instead; see
  // measure.hpp.
  using Sums = std::function<std::vector<PowerSum>(std::span<const PowerSite> sites, double slab)>;
  void share_sums(Sums sums) { shared_ = std::move(sums); }
  const Sums& shared_sums() const noexcept { return shared_; }

  const PowerBlocks& blocks() const noexcept { return blocks_; }

 private:
  Lattice lattice_;
  std::array<std::vector<double>, 3> at_;
  std::vector<double> mass_;
  double whole_ = 0;
  PowerBlocks blocks_;
  Sums shared_;
};

// The number of points of a sample that suits this many parts. A model of fewer points has all.
std::size_t points_for(std::size_t parts);

// The masses that are wanted: each cell holds its share of the whole.
struct PowerDiagram {
  std::vector<PowerSite> sites;
  std::vector<double> shares;  // of the mass; their sum is 1
  std::vector<double> speeds;  // of the cells; all 1 if they are equal
  std::size_t heavy = 0;       // the number of cells that have a heavy point to themselves; they
                               // are the last ones
  bool is_new = true;          // false if the cells follow those of an earlier diagram
};

// Makes a diagram from scratch, with a cell for each speed. The share of a cell is proportional to
// its speed. Heavy points get the last cells, so the last speeds should be the greatest. The search
// ends when no cell holds more than 1 + `tolerance` times its share, or about as many points. If
// there are fewer points than sites, some cells are empty: the slowest ones.
PowerDiagram new_diagram(const PowerModel& model, std::span<const double> speeds, double tolerance);

// Changes a diagram a little, so that it suits points that have moved. If that is not possible,
// returns nothing.
std::optional<PowerDiagram> followed(const PowerModel& model, std::vector<PowerSite> sites,
                                     std::span<const double> speeds, double tolerance);

// Improves a diagram point by point, if the model has all points. Ends when lambda (of mass /
// speed) is at most `target`, or as the heaviest point demands, and no cell is empty; otherwise
// after many tries.
void settle(const PowerModel& model, PowerDiagram& diagram, double target);

// Changes the weights such that cells gain these masses, which are shares of the whole, or this
// part of them. The change is right if the density of the model is that of all points. Returns the
// part, which is less than `length` if the model shows that this is too much. weights_to_gain()
// says what `holds_back` means.
double correct(const PowerModel& model, PowerDiagram& diagram, std::vector<double> gains,
               double length, bool holds_back);

}  // namespace evenkeel
