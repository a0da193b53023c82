#pragma once

// Cuts a row of weighted items into consecutive parts so that the greatest load is as small as any
// cut can make it. Local: no communication, no Kokkos.

#include <evenkeel/backends/export.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

struct ChainOptions {
  int parts = 1;
  // Of the parts, in their order; positive and finite. Empty: all alike.
  std::span<const double> speeds = {};
  // The least number of items of a part; 1 forbids empty parts. Where it decides the bottleneck,
  // feasible cuts have gaps between them, and finding the best takes seconds for a million items.
  std::int64_t min_items = 0;
};

// The optimal cut. The load of a part is its weight over its speed, and the greatest load is the
// least that there is. Among the cuts with this bottleneck, each offset, from the left, is the
// feasible one before which the weight is nearest to its share: the total times the speeds of the
// parts before over all speeds. Ties go to the left, also those between offsets with nothing but
// items of weight 0 in between. So there is exactly one; without any weight all its parts but the
// last hold `min_items` items.
struct Chain {
  std::vector<std::int64_t>
      offsets;            // parts + 1: part p holds items offsets[p] .. offsets[p + 1] - 1
  double bottleneck = 0;  // the greatest load of a part
  double lambda = 1;      // bottleneck / (total weight / total speed); 1 without weight

  // What no cut can mend: an item cannot be divided. `heaviest_item` is the first of the heaviest,
  // -1 without items; `lambda_bound` is the lambda that it alone imposes, on the fastest part.
  // Above average is what exceeds the share of the fastest part (by more than 1e-9 of it, which
  // leaves rounding out).
  std::int64_t heaviest_item = -1;
  double heaviest_weight = 0;
  std::int64_t items_above_average = 0;
  double lambda_bound = 1;
};

// Integers are exact: up to a total of 2^63 - 1 nothing overflows, and nothing is rounded before it
// is reported. With speeds, loads and shares are computed in double. Weights in double are judged
// as differences of their prefix sum as computed: parts weigh what the sums say, to their last bit.
// Throws an Error for weights that are negative, NaN or infinite, for a total that overflows, and
// for options that no cut can honour.
EVENKEEL_API Chain cut_chain(std::span<const double> weights, const ChainOptions& options);
EVENKEEL_API Chain cut_chain(std::span<const std::int64_t> weights, const ChainOptions& options);

// The same for who has the prefix sum: item i weighs prefix[i + 1] - prefix[i]. It begins with 0
// and never falls.
EVENKEEL_API Chain cut_prefix(std::span<const double> prefix, const ChainOptions& options);
EVENKEEL_API Chain cut_prefix(std::span<const std::int64_t> prefix, const ChainOptions& options);

}  // namespace evenkeel
