#include "field/ranges.hpp"

#include <algorithm>
#include <utility>

namespace evenkeel {

namespace {

bool is_next(std::span<const std::int64_t> objects, std::size_t i) {
  return objects[i] == objects[i - 1] + 1;
}

// The one that holds a place, or the first behind it.
auto range_of(std::span<const ObjectRange> ranges, std::int64_t place) {
  return std::lower_bound(
      ranges.begin(), ranges.end(), place,
      [](const ObjectRange& range, std::int64_t at) { return range.from + range.count <= at; });
}

}  // namespace

std::vector<ObjectRange> long_ranges(std::span<const std::int64_t> objects) {
  if (objects.empty()) return {};
  std::int64_t breaks = 0;
  for (std::size_t i = 1; i < objects.size(); ++i) breaks += is_next(objects, i) ? 0 : 1;
  if (breaks > std::ssize(objects) / long_range) return {};
  std::vector<ObjectRange> ranges;
  ranges.reserve(static_cast<std::size_t>(breaks) + 1);
  for (std::size_t i = 0; i < objects.size();) {
    std::size_t end = i + 1;
    while (end < objects.size() && is_next(objects, end)) ++end;
    ranges.push_back(
        {static_cast<std::int64_t>(i), objects[i], static_cast<std::int64_t>(end - i)});
    i = end;
  }
  return ranges;
}

void ranges_within(std::span<const ObjectRange> ranges, std::int64_t first, std::int64_t count,
                   std::vector<ObjectRange>& into) {
  into.clear();
  const std::int64_t end = first + count;
  for (auto at = range_of(ranges, first); at != ranges.end() && at->from < end; ++at) {
    const std::int64_t low = std::max(at->from, first);
    const std::int64_t high = std::min(at->from + at->count, end);
    if (low < high) into.push_back({low - first, at->to + (low - at->from), high - low});
  }
}

void joined(std::span<const ObjectRange> a, std::int64_t first_a, std::span<const ObjectRange> b,
            std::int64_t first_b, std::int64_t count, std::vector<ObjectRange>& into) {
  into.clear();
  auto x = range_of(a, first_a), y = range_of(b, first_b);
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t in_x = first_a + done - x->from, in_y = first_b + done - y->from;
    const std::int64_t length = std::min({x->count - in_x, y->count - in_y, count - done});
    into.push_back({x->to + in_x, y->to + in_y, length});
    done += length;
    if (in_x + length == x->count) ++x;
    if (in_y + length == y->count) ++y;
  }
}

void invert(std::span<ObjectRange> ranges) {
  for (ObjectRange& range : ranges) std::swap(range.from, range.to);
}

}  // namespace evenkeel
