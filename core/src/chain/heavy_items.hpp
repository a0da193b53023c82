#pragma once

// Finds heavy items again. Reads only the chunks whose greatest weight is large enough.

#include "common.hpp"
#include "sums.hpp"

#include <algorithm>
#include <cstdint>

namespace evenkeel::chain_search {

// The first of the heaviest; -1 without items.
template <class Source>
std::int64_t heaviest_item(const Sums<Source>& sums) noexcept {
  if (sums.items() == 0) return -1;
  const auto maxima = sums.maxima();
  const auto most = std::max_element(maxima.begin(), maxima.end());
  std::int64_t item = (most - maxima.begin()) * chunk;
  while (sums.weight(item) < *most) ++item;
  return item;
}

// How many items weigh more than `weight`.
template <class Source>
std::int64_t items_above(const Sums<Source>& sums, double weight) noexcept {
  const auto above = [&](auto number) { return static_cast<double>(number) > weight; };
  const auto maxima = sums.maxima();
  std::int64_t count = 0;
  for_each_chunk(sums.items(), [&](std::int64_t begin, std::int64_t end) {
    if (!above(maxima[index_of(begin / chunk)])) return;
    for (std::int64_t i = begin; i < end; ++i) count += above(sums.weight(i)) ? 1 : 0;
  });
  return count;
}

}  // namespace evenkeel::chain_search
