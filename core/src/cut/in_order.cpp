#include "cut/in_order.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

InOrder::InOrder(std::span<const WeightedKeys> sets, std::int64_t most_sought) {
  for (const WeightedKeys& set : sets)
    if (!set.keys.empty() && set.memory == MemoryKind::host) set_ = set;
  before_block_.resize(static_cast<std::size_t>(std::ssize(set_.keys) / block) + 2);
  found_.resize(2 * static_cast<std::size_t>(most_sought));
  places_.resize(static_cast<std::size_t>(most_sought));
}

bool InOrder::holds(const Communicator& communicator, const Census& mine, const Census& all) {
  if (all.ranks_out_of_order != 0) return false;
  // Keys are below 2^63. If two ranks had the same key, neither of them would know the whole weight
  // of the key.
  const std::int64_t greatest =
      mine.objects > 0 ? static_cast<std::int64_t>(mine.greatest_key) : std::int64_t{-1};
  const std::int64_t before = communicator.exclusive_scan(greatest, Reduction::greatest);
  const bool rises = mine.objects == 0 || before < static_cast<std::int64_t>(mine.least_key);
  return communicator.all_reduce(std::int32_t{rises ? 1 : 0}, Reduction::least) != 0;
}

std::int64_t InOrder::weight_of(std::int64_t object) const noexcept {
  if (alike()) return units_.one();
  return units_.of(set_.weights[static_cast<std::size_t>(object)]);
}

void InOrder::sum_blocks() noexcept {
  const std::int64_t count = std::ssize(set_.keys);
  const auto sum_of = [&](std::int64_t b) {
    const std::int64_t begin = std::min(count, b * block), end = std::min(count, begin + block);
    if (alike()) return (end - begin) * units_.one();
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i)
      sum += units_.of(set_.weights[static_cast<std::size_t>(i)]);
    return sum;
  };
  const auto set = [&](std::int64_t b) { before_block_[static_cast<std::size_t>(b)] = sum_of(b); };
  const std::int64_t blocks = std::ssize(before_block_);
  if (alike() || count < worth_threads)
    for (std::int64_t b = 0; b < blocks; ++b) set(b);
  else
    exec::for_each_on_host("evenkeel::cut::blocks", blocks, set);
  std::exclusive_scan(before_block_.begin(), before_block_.end(), before_block_.begin(),
                      std::int64_t{0});
}

std::int64_t InOrder::weight_before(std::int64_t object) const noexcept {
  std::int64_t sum = before_block_[static_cast<std::size_t>(object / block)];
  for (std::int64_t i = object / block * block; i < object; ++i) sum += weight_of(i);
  return sum;
}

// Finds the key at which the running weight of this rank's objects reaches `sought`. Returns the
// place before or after the objects of this key, whichever has the weight that is nearer to
// `sought`.
Search::Place InOrder::nearest(std::int64_t sought) const noexcept {
  const auto after = std::lower_bound(before_block_.begin(), before_block_.end(), sought);
  std::int64_t i = (after - before_block_.begin() - 1) * block;
  for (std::int64_t sum = *std::prev(after) + weight_of(i); sum < sought; sum += weight_of(i)) ++i;
  // All objects with the same key stay in one part.
  const auto [first, last] =
      std::equal_range(set_.keys.begin(), set_.keys.end(), set_.keys[static_cast<std::size_t>(i)]);
  const std::int64_t before = weight_before(first - set_.keys.begin());
  const std::int64_t upto = weight_before(last - set_.keys.begin());
  if (sought - before <= upto - sought) return {first->value, before};
  return {first->value + 1, upto};
}

std::int64_t InOrder::weigh(const Communicator& communicator, const Units& units) {
  units_ = units;
  sum_blocks();
  before_ = communicator.exclusive_scan(before_block_.back());
  return communicator.all_reduce(before_block_.back(), Reduction::sum);
}

std::span<const Search::Place> InOrder::find(std::span<const std::int64_t> sought, Search& search) {
  const std::size_t places = sought.size();
  const auto found = std::span(found_).first(2 * places);
  std::fill(found.begin(), found.end(), 0);
  for (std::size_t p = 0; p < places; ++p) {
    if (sought[p] <= before_ || sought[p] > before_ + before_block_.back()) continue;
    const Search::Place place = nearest(sought[p] - before_);
    found[p] = static_cast<std::int64_t>(place.splitter);
    found[places + p] = before_ + place.before;
  }
  search.reduce(found);
  for (std::size_t p = 0; p < places; ++p)
    places_[p] = {static_cast<std::uint64_t>(found[p]), found[places + p]};
  return std::span(places_).first(places);
}

}  // namespace evenkeel
