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

  // Returns the greatest mass / share of the whole, and the least.
  double greatest(std::span<const double> shares) const noexcept;
  double least(std::span<const double> shares) const noexcept;
};

// The sums over one of several shares of the points. Points near a face count for it, with the part
// of the distance between two sites that `slab` is. If `slab` is 0, there are no faces.
std::vector<PowerSum> sums_of(const PowerModel& model, std::span<const PowerSite> sites,
                              double slab, std::size_t share, std::size_t shares);

// Measures all points; the model knows who sums them up.
PowerMeasure measure(const PowerModel& model, std::span<const PowerSite> sites, double slab);

// Returns the change of weights by which cells gain these masses, if flows stay as they are.
// Nothing flows between groups of cells with no points between them. If `holds_back` is set, a
// group changes nevertheless, and cells that are much smaller than others change too little.
std::vector<double> weights_to_gain(const PowerMeasure& now, std::vector<double> gains,
                                    bool holds_back);

}  // namespace evenkeel
