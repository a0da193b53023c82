#pragma once

// Cuts a row of weighted items into consecutive parts so that the greatest load is the least that
// any cut has. Local: no communication, no Kokkos.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::stages {

// The parts to cut a row into.
struct ChainOptions {
  int parts = 1;
  // One speed per part, in order; positive and finite. If empty, all parts are equally fast.
  std::span<const double> speeds = {};
  // The least number of items in a part; 1 forbids empty parts. If this limit determines the
  // bottleneck, feasible cuts have gaps between them, and finding the best takes seconds for a
  // million items.
  std::int64_t min_items = 0;
};

// The optimal cut. The load of a part is its weight over its speed; no cut has a smaller greatest
// load. Among the cuts with this bottleneck, each offset, from left to right, is the feasible one
// at which the weight before it is nearest to its share: the total weight times the speeds of the
// parts before it over the sum of all speeds. Ties go to the left, also between offsets with only
// items of weight 0 between them. So the result is unique; when all weights are 0, every part but
// the last holds `min_items` items.
struct Chain {
  std::vector<std::int64_t>
      offsets;            // parts + 1: part p holds items offsets[p] .. offsets[p + 1] - 1
  double bottleneck = 0;  // the greatest load of a part
  double lambda = 1;      // bottleneck / (total weight / total speed); 1 without weight

  // The imbalance that no cut can remove, because an item cannot be divided. `heaviest_item` is the
  // first of the heaviest items, -1 without items; `lambda_bound` is the lambda that this item
  // alone imposes on the fastest part. An item is above average when it exceeds the share of the
  // fastest part by more than 1e-9 of that share, which ignores rounding.
  std::int64_t heaviest_item = -1;
  double heaviest_weight = 0;
  std::int64_t items_above_average = 0;
  double lambda_bound = 1;
};

// Integers are exact: up to a total of 2^63 - 1 nothing overflows, and nothing is rounded before it
// is reported. With speeds, loads and shares are computed in double. Weights in double count as the
// differences of their computed prefix sum, to the last bit. Throws an Error for weights that are
// negative, NaN or infinite, for a total that overflows, and for options that no cut can satisfy.
EVENKEEL_API Chain cut_chain(std::span<const double> weights, const ChainOptions& options);
EVENKEEL_API Chain cut_chain(std::span<const std::int64_t> weights, const ChainOptions& options);

// The same for callers that have the prefix sum: item i weighs prefix[i + 1] - prefix[i]. The
// prefix sum begins with 0 and never falls.
EVENKEEL_API Chain cut_prefix(std::span<const double> prefix, const ChainOptions& options);
EVENKEEL_API Chain cut_prefix(std::span<const std::int64_t> prefix, const ChainOptions& options);

// --- Several phases ------------------------------------------------------------------------------
// Cuts a row of items that cost something in each of several phases. Local: no communication, no
// Kokkos.
//
// A step takes T = sum over phases of the greatest load of a part (weights/phase_loads.hpp). Given
// a limit on the loads of each phase, filling one part after the other finds a cut within these
// limits, or shows that there is no such cut. So only the limits with the least sum are to be
// found, one number per phase. If density varies little within a part, the feasible limits form a
// convex set, and at the best ones the limit of a phase is proportional to the number of parts
// whose load of that phase is at the limit. The search begins by moving limits towards these
// ratios, then trades one limit for another in ever smaller steps, and ends by lowering each alone.
//
// For one phase T is within 1e-4 of the least. For two phases it is within 1 %, because the search
// also rules out anything better. There is no such guarantee for more phases, nor for two phases in
// more than some 10,000 parts, where the search ends early.

// The cut, and the loads of a step under it.
struct PhaseChain {
  std::vector<std::int64_t>
      offsets;  // parts + 1: part p holds items offsets[p] .. offsets[p + 1] - 1
  PhaseLoads loads;
};

// `costs` is by phase and item. If two cuts have the same T, the one found first is used. Within
// its limits each offset, from left to right, is where the sum of load over limit is nearest to its
// share; ties go to the left. Without any cost, parts have equal numbers of items. Throws an Error
// for costs that are negative, NaN or infinite or whose sum overflows, for phases of different
// lengths, and if there is no phase or no part.
EVENKEEL_API PhaseChain cut_phases(std::span<const std::span<const double>> costs, int parts);

}  // namespace evenkeel::stages
