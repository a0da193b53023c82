#pragma once

// Prefix sums, and the search in them. The search relies only on this: a prefix sum never falls
// from item to item. Rounding preserves that.

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace evenkeel::chain_search {

inline constexpr Refusal refuse{"core/chain"};

inline std::size_t index_of(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

// A sum is stored only for every 16th item, and the search adds the weights in between. That reads
// two cache lines of weights, which takes no longer than the last steps of a search in all sums.
// Writing all sums would take longer than all other steps together.
constexpr std::int64_t block = 16;
// One maximum is stored for this many items, so that heavy items can be found again.
constexpr std::int64_t chunk = 64 * block;

// Calls body(begin, end) for the items of each chunk, from the left.
template <class Body>
void for_each_chunk(std::int64_t items, const Body& body) {
  for (std::int64_t begin = 0; begin < items; begin += chunk)
    body(begin, std::min(begin + chunk, items));
}

// The prefix sums of a `Source`. The source gives the sum before item k * block, and extends a sum
// item by item.
template <class Source>
class Sums : public Source {
 public:
  using Number = typename Source::Number;
  using Running = typename Source::Running;
  using Source::Source;

  // The first place where a property of the prefix sum holds. `above` is the prefix sum at this
  // place, and `below` the one at the previous place.
  struct Place {
    std::int64_t at;
    Running below;
    Number above;
    bool run;  // true if earlier places may have the same sum as `below`
  };

  Running before(std::int64_t item) const noexcept {
    auto running = this->before_block(item / block);
    for (std::int64_t i = item - item % block; i < item; ++i) this->extend(running, i);
    return running;
  }
  Number at(std::int64_t item) const noexcept { return before(item).value(); }

  // Returns the first place in [low, high] whose prefix sum is beyond, or high + 1 if there is no
  // such place. beyond(sum) must stay true for all greater sums. `guess` is where the search
  // starts. If the result is `low`, the member `below` has no meaning.
  template <class Beyond>
  Place first(std::int64_t low, std::int64_t high, std::int64_t guess,
              const Beyond& beyond) const noexcept {
    std::int64_t near = low / block, far = high / block + 1;
    const std::int64_t start = std::clamp(guess / block, near, far - 1);
    const auto is_beyond = [&](std::int64_t k) { return beyond(this->block_sum(k)); };
    std::int64_t step = 1;
    if (start > near && is_beyond(start)) {
      far = start;
      for (; far - step > near && is_beyond(far - step); step *= 2) far -= step;
      near = std::max(near, far - step);
    } else {
      near = start;
      for (; near + step < far && !is_beyond(near + step); step *= 2) near += step;
      far = std::min(far, near + step);
    }
    while (near + 1 < far) {
      const std::int64_t middle = near + (far - near) / 2;
      (is_beyond(middle) ? far : near) = middle;
    }
    low = std::max(low, near * block);
    const Running running = before(low);
    if (beyond(running.value())) return {low, running, running.value(), true};
    return first_after(low, running, high, beyond);
  }

  // Does the same item by item, in (low, high]. `running` is the sum before `low`, for which
  // beyond() is false.
  template <class Beyond>
  Place first_after(std::int64_t low, Running running, std::int64_t high,
                    const Beyond& beyond) const noexcept {
    bool run = true;
    for (std::int64_t i = low; i < high; ++i) {
      const Running below = running;
      if (i % block == 0) running = this->before_block(i / block);
      this->extend(running, i);
      if (beyond(running.value())) return {i + 1, below, running.value(), run};
      run = !(below.value() < running.value());
    }
    return {high + 1, running, running.value(), run};
  }
};

}  // namespace evenkeel::chain_search
