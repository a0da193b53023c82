#pragma once

// How even a load is. Both figures are printed wherever one is: the same load reads differently
// elsewhere.
//
//   lambda             max / average; 1 is perfect
//   imbalance percent  (max - average) / max * N / (N - 1) * 100 (DeRose, Homer and Johnson,
//   Euro-Par
//                      2007); 0 is perfect, 100 is one rank working alone

#include <evenkeel/backends/export.hpp>

#include <span>

namespace evenkeel {

// What the formulas need of a load: the seconds of work of each of `ranks` ranks, waiting left out.
struct LoadSummary {
  int ranks = 1;
  double sum = 0;
  double greatest = 0;
  double average() const noexcept { return sum / ranks; }
};

EVENKEEL_API LoadSummary summarise(std::span<const double> seconds);

// 1 for one rank and for no load at all.
EVENKEEL_API double lambda(const LoadSummary& load) noexcept;

// 0 for one rank and for no load at all.
EVENKEEL_API double imbalance_percent(const LoadSummary& load) noexcept;

}  // namespace evenkeel
