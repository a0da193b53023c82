#include "migrate/merge.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/exec/sort.hpp>

#include <algorithm>
#include <numeric>
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

// More runs than these are sorted: each doubling of their number costs a merge of all, by one
// thread.
constexpr std::int64_t few_runs = 16;
std::int64_t threads() {
  return exec::kokkos_is_running() ? std::max(1, Kokkos::DefaultHostExecutionSpace().concurrency())
                                   : 1;
}

// After so many ranges it shows how long they are.
constexpr std::int64_t enough_ranges = 1024;

struct Pairs {
  std::span<CurveKey> keys;
  std::span<std::int64_t> values;
};

// Two runs that are neighbours. No branch depends on the keys: which comes next is hard to foresee.
void merge_two(const Pairs& from, std::size_t begin, std::size_t middle, std::size_t end,
               const Pairs& to) {
  std::size_t low = begin, high = middle, at = begin;
  while (low < middle && high < end) {
    const bool is_high = from.keys[high] < from.keys[low];
    const std::size_t next = is_high ? high : low;
    to.keys[at] = from.keys[next];
    to.values[at++] = from.values[next];
    high += is_high ? 1 : 0;
    low += is_high ? 0 : 1;
  }
  const std::size_t rest = low < middle ? low : high, count = end - at;
  std::copy_n(from.keys.begin() + static_cast<std::ptrdiff_t>(rest), count,
              to.keys.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy_n(from.values.begin() + static_cast<std::ptrdiff_t>(rest), count,
              to.values.begin() + static_cast<std::ptrdiff_t>(at));
}

std::int64_t bytes_of(std::span<const std::int64_t> values) {
  return static_cast<std::int64_t>(values.size_bytes());
}

// Run r begins at firsts[r], the last of which is the end of all. Merges neighbours until there is
// one run.
void merge_all(const Pairs& pairs, std::vector<std::size_t> firsts) {
  if (firsts.size() <= 2) return;
  const Buffer keys("evenkeel::migrate::merge", MemoryKind::host, bytes_of(pairs.values));
  const Buffer values("evenkeel::migrate::merge", MemoryKind::host, bytes_of(pairs.values));
  const Pairs other = {{reinterpret_cast<CurveKey*>(keys.data()), pairs.keys.size()},
                       {reinterpret_cast<std::int64_t*>(values.data()), pairs.values.size()}};
  const Pairs *from = &pairs, *to = &other;
  while (firsts.size() > 2) {
    std::vector<std::size_t> left = {0};
    for (std::size_t r = 0; r + 1 < firsts.size(); r += 2) {
      const std::size_t end = firsts[std::min(r + 2, firsts.size() - 1)];
      merge_two(*from, firsts[r], firsts[r + 1], end, *to);
      left.push_back(end);
    }
    firsts = std::move(left);
    std::swap(from, to);
  }
  if (from != &pairs) std::copy(from->values.begin(), from->values.end(), pairs.values.begin());
}

}  // namespace

void merge_order(std::span<CurveKey> keys, std::span<const std::int64_t> firsts,
                 std::span<std::int64_t> order) {
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (std::ssize(firsts) * threads() > few_runs)
    return exec::sort_pairs(Space::where(MemoryKind::host),
                            reinterpret_cast<std::uint64_t*>(keys.data()),
                            reinterpret_cast<std::uint64_t*>(order.data()), std::ssize(order));
  std::vector<std::size_t> ends(firsts.begin(), firsts.end());
  ends.push_back(keys.size());
  merge_all({keys, order}, std::move(ends));
}

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
    const std::int64_t found = std::ssize(ranges);
    const bool too_short = found == enough_ranges && 2 * to < found * (std::ssize(keys) / most);
    if (found == most || too_short) return {};
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
