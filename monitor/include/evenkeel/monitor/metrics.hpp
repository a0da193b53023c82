#pragma once

// How even a load is. Wherever lambda or the imbalance percent is printed, so is the other:
// elsewhere the same load may be given by either.
//
//   lambda             max / average; 1 is perfect
//   imbalance percent  (max - average) / max * N / (N - 1) * 100 (DeRose, Homer and Johnson,
//                      Euro-Par 2007); 0 is perfect, 100 is one rank working alone
//   imbalance time     max - average: what perfect balance would save
//   allocation time    N * imbalance time: what all ranks together wait
//   efficiency         average / max; 1 is perfect (POP's load balance efficiency)

#include <evenkeel/backends/export.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace evenkeel {

// What the formulas need to know about a load: seconds of work per rank, without waiting.
struct LoadSummary {
  int ranks = 1;
  double sum = 0;
  double greatest = 0;
  double average() const noexcept { return sum / ranks; }
};

// Of the seconds of all ranks.
EVENKEEL_API LoadSummary summarise(std::span<const double> seconds);

// 1 for one rank and for no load at all.
EVENKEEL_API double lambda(const LoadSummary& load) noexcept;

// 0 for one rank and for no load at all.
EVENKEEL_API double imbalance_percent(const LoadSummary& load) noexcept;

// All figures of one thing that ranks do, in seconds per step.
struct Figures {
  double least = 0, average = 0, greatest = 0;
  double lambda = 1;
  double imbalance_percent = 0;
  double imbalance_seconds = 0;
  double allocation_seconds = 0;
  double efficiency = 1;
};

// What a look has shown.
struct Metrics {
  // The figures of one kernel.
  struct Kernel {
    std::string name;
    Figures figures;
  };
  std::int64_t step = -1;  // of the look; -1: there was none yet
  std::int64_t steps = 0;  // that were measured
  std::int64_t ranks = 1;
  Figures total;                // greatest: what all ranks wait for, over all phases
  std::vector<Kernel> kernels;  // at most 32; the rest is summed up as "other"
  std::vector<Figures> phases;  // by number; empty where all work is in one
  double coverage = 0;          // share of the steps in kernels
  // Of the imbalance seconds of looks since the last rebalance: their growth per step, and their
  // standard deviation about that growth.
  double trend = 0, scatter = 0;
  double jitter = 0;  // of the load of a rank from step to step, root mean square over ranks
};

}  // namespace evenkeel
