#pragma once

// The masses of the cells of a power diagram, and how they depend on the weights.

#include "domains/power/model.hpp"

namespace evenkeel {

// A pair of cells that share a face, and the mass that crosses it per unit of weight.
struct PowerFace {
  int low, high;  // parts
  double flow;
};

struct PowerMeasure {
  std::vector<double> mass;                     // of each cell
  std::array<std::vector<double>, 3> centroid;  // of each cell, as an offset from its anchor
  std::vector<PowerFace> faces;
  double energy = 0;  // the sum of mass x square of the distance to the anchor
  double dual = 0;    // the sum of mass x cost; without the squares of the places

  // Returns the greatest mass / share of the whole, and the least.
  double greatest(std::span<const double> shares) const noexcept;
  double least(std::span<const double> shares) const noexcept;
};

// Points near a face count for it, with the share of the distance between two sites that `slab` is.
// If `slab` is 0, there are no faces.
PowerMeasure measure(const PowerModel& model, std::span<const PowerSite> sites, double slab);

// Returns the change of weights by which cells gain these masses, if flows stay as they are.
std::vector<double> weights_to_gain(const PowerMeasure& now, std::vector<double> gains);

}  // namespace evenkeel
