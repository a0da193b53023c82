#include "migrate/merge.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace evenkeel {

namespace {

// What is left of a run.
struct Rest {
  CurveKey key;  // the first
  std::size_t run;
  std::int64_t begin, end;
  // The one whose first key comes last.
  friend bool operator<(const Rest& a, const Rest& b) noexcept {
    return std::tuple(a.key.value, a.run) > std::tuple(b.key.value, b.run);
  }
};

// The first key in [begin, end) that is not before `bound`: looked for in steps that double, since
// it is often near.
template <class Before>
std::int64_t gallop(std::span<const CurveKey> keys, std::int64_t begin, std::int64_t end,
                    const Before& before) {
  std::int64_t step = 1, low = begin;
  while (low + step < end && before(keys[static_cast<std::size_t>(low + step)])) {
    low += step;
    step *= 2;
  }
  const std::int64_t high = std::min(end, low + step);
  return std::partition_point(keys.begin() + low, keys.begin() + high, before) - keys.begin();
}

}  // namespace

std::vector<ObjectRange> merged_runs(std::span<const CurveKey> keys,
                                     std::span<const std::int64_t> firsts, std::int64_t most) {
  std::vector<ObjectRange> ranges;
  std::priority_queue<Rest> rests;
  for (std::size_t run = 0; run < firsts.size(); ++run) {
    const std::int64_t begin = firsts[run];
    const std::int64_t end = run + 1 < firsts.size() ? firsts[run + 1] : std::ssize(keys);
    if (begin < end) rests.push({keys[static_cast<std::size_t>(begin)], run, begin, end});
  }
  std::int64_t to = 0;
  while (!rests.empty()) {
    if (std::ssize(ranges) == most) return {};
    Rest least = rests.top();
    rests.pop();
    std::int64_t next = least.end;
    if (!rests.empty()) {
      const Rest& other = rests.top();
      const bool first_of_equals = least.run < other.run;
      next = gallop(keys, least.begin, least.end, [&](CurveKey key) {
        return first_of_equals ? !(other.key < key) : key < other.key;
      });
    }
    ranges.push_back({least.begin, to, next - least.begin});
    to += next - least.begin;
    if (next == least.end) continue;
    least.begin = next;
    least.key = keys[static_cast<std::size_t>(next)];
    rests.push(least);
  }
  return ranges;
}

}  // namespace evenkeel
