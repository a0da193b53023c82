#pragma once

// Windows of the least length of a part: the weight of every `min_items` items in a row. If a
// window outweighs the bottleneck, no part can end where it ends, wherever the part begins.

#include "common.hpp"
#include "sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace evenkeel::chain_search {

template <class Number>
class Windows {
 public:
  Windows() = default;

  template <class Source>
  Windows(const Sums<Source>& sums, std::int64_t items)
      : items_(items), weights_(index_of(sums.items() - items + 1)) {
    std::vector<Number> prefix(index_of(sums.items()) + 1);
    for (std::int64_t i = 0; i <= sums.items(); ++i) prefix[index_of(i)] = sums.at(i);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i] = prefix[i + index_of(items)] - prefix[i];
    for_each_chunk(std::ssize(weights_), [this](std::int64_t begin, std::int64_t end) {
      const auto first = weights_.begin();
      const auto [least, most] = std::minmax_element(first + begin, first + end);
      extremes_.emplace_back(*least, *most);
      heaviest_ = std::max(heaviest_, *most);
    });
  }

  bool empty() const noexcept { return weights_.empty(); }
  Number from(std::int64_t item) const noexcept { return weights_[index_of(item)]; }
  Number heaviest() const noexcept { return heaviest_; }

  // The first end in [end, last] of a window that fits (if `fitting`) or does not fit; last + 1 if
  // there is none. `seen` is called with lower bounds of the weights that are passed over.
  template <class Fits, class Seen>
  std::int64_t next(std::int64_t end, std::int64_t last, bool fitting, const Fits& fits,
                    const Seen& seen) const {
    for (std::int64_t i = end - items_; i <= last - items_;) {
      if (i % chunk == 0) {
        const auto& [least, most] = extremes_[index_of(i / chunk)];
        if (fits(fitting ? least : most) != fitting) {
          seen(least);
          i += chunk;
          continue;
        }
      }
      if (fits(weights_[index_of(i)]) == fitting) return i + items_;
      seen(weights_[index_of(i++)]);
    }
    return last + 1;
  }

 private:
  std::int64_t items_ = 0;
  std::vector<Number> weights_;
  std::vector<std::pair<Number, Number>> extremes_;  // of every chunk
  Number heaviest_ = 0;
};

}  // namespace evenkeel::chain_search
