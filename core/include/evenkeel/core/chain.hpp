#pragma once

// Cuts a row of weighted items into consecutive parts. No cut has a smaller greatest load. Local:
// there is no communication, and no Kokkos.

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
  // bottleneck, the search for the best cut takes seconds for a million items.
  std::int64_t min_items = 0;
};

// The optimal cut. The load of a part is its weight / its speed, and the bottleneck is the greatest
// load; no cut has a smaller one. The share of an offset is the total weight * the speeds of the
// parts before it / the sum of all speeds. Among the cuts with this bottleneck, the offsets are
// chosen from left to right: each is the feasible one at which the weight before it is nearest to
// its share. If two are equally near, the left one is chosen, also if only items of weight 0 are
// between them. So the result is unique. If all weights are 0, every part but the last holds
// `min_items` items.
struct Chain {
  std::vector<std::int64_t>
      offsets;            // parts + 1: part p holds items offsets[p] .. offsets[p + 1] - 1
  double bottleneck = 0;  // the greatest load of a part
  double lambda = 1;      // bottleneck / (total weight / total speed); 1 without weight

  // The imbalance that no cut can remove, because an item cannot be divided. `heaviest_item` is the
  // first of the heaviest items, or -1 if there are no items. `lambda_bound` is the lambda of a cut
  // in which the fastest part holds only this item. An item is above average if it exceeds the
  // share of the fastest part by more than 1e-9 of that share; this tolerates rounding.
  std::int64_t heaviest_item = -1;
  double heaviest_weight = 0;
  std::int64_t items_above_average = 0;
  double lambda_bound = 1;
};

// Integer weights are exact: up to a total of 2^63 - 1 nothing overflows, and only the reported
// numbers are rounded. With speeds, loads and shares are computed in double. The weight of an item
// in double is the difference of the computed prefix sums after and before it, to the last bit.
// Throws an Error for weights that are negative, NaN or infinite, for a total that overflows, and
// for options that no cut can satisfy.
EVENKEEL_API Chain cut_chain(std::span<const double> weights, const ChainOptions& options);
EVENKEEL_API Chain cut_chain(std::span<const std::int64_t> weights, const ChainOptions& options);

// The same for callers that have the prefix sum. Item i weighs prefix[i + 1] - prefix[i]. The
// prefix sum begins with 0 and never falls.
EVENKEEL_API Chain cut_prefix(std::span<const double> prefix, const ChainOptions& options);
EVENKEEL_API Chain cut_prefix(std::span<const std::int64_t> prefix, const ChainOptions& options);

// --- Several phases ------------------------------------------------------------------------------
// Cuts a row of items that have a cost in each of several phases. Local: there is no communication,
// and no Kokkos.
//
// A step takes T = sum over phases of the greatest load of a part (weights/phase_loads.hpp). Given
// a limit on the loads of each phase, filling one part after the other finds a cut within these
// limits, or shows that there is no such cut. So the search looks only for the limits with the
// least sum, one number per phase. If the density of costs varies little within a part, the
// feasible limits form a convex set. At the best limits, the limit of a phase is proportional to
// the number of parts whose load in that phase reaches it. The search first moves the limits
// towards these ratios. Then it raises one limit and lowers another, in ever smaller steps.
//
// For one phase T is within 1e-4 of the least. For two phases it is within 1 %, because the search
// also shows that no cut is better by more than that. If two phases are cut into more than about
// 10,000 parts, the search ends early, and there is no such guarantee. Nor is there one for more
// than two phases.

// The cut, and the loads of a step under it.
struct PhaseChain {
  // parts + 1: part p holds items offsets[p] .. offsets[p + 1] - 1
  std::vector<std::int64_t> offsets;
  PhaseLoads loads;
};

// `costs` is by phase and item. If two cuts have the same T, the one found first is used. Its
// offsets are then chosen from left to right within its limits. Each is the place at which the sum
// over phases of load / limit before the place is nearest to its share. If two places are equally
// near, the left one is chosen. If nothing has a cost, parts have equal numbers of items. Throws an
// Error if a cost is negative, NaN or infinite, if a sum overflows, if phases have different
// lengths, or if there is no phase or no part.
EVENKEEL_API PhaseChain cut_phases(std::span<const std::span<const double>> costs, int parts);

}  // namespace evenkeel::stages
