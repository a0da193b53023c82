#include "field/ranges.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* ranges_label = "evenkeel::field::ranges";

// True if a range begins at an entry of the list: at entry 0, and at each entry that is not the
// previous entry plus 1.
struct BeginsRange {
  const std::int64_t* objects;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return i == 0 || objects[i] != objects[i - 1] + 1;
  }
};

}  // namespace

std::span<const ObjectRange>::iterator range_of(std::span<const ObjectRange> ranges,
                                                std::int64_t place) {
  return std::lower_bound(
      ranges.begin(), ranges.end(), place,
      [](const ObjectRange& range, std::int64_t at) { return range.from + range.count <= at; });
}

std::vector<ObjectRange> long_ranges(std::span<const std::int64_t> objects) {
  const std::int64_t count = std::ssize(objects);
  if (count == 0) return {};
  const Space host = Space::where(MemoryKind::host);
  const BeginsRange begins{objects.data()};
  const auto all = exec::sum<std::int64_t>(host, count, begins);
  if (all - 1 > count / long_range) return {};
  const std::vector<std::int64_t> from =
      exec::numbers_that(host, ranges_label, count, begins).on_host();
  std::vector<ObjectRange> ranges(from.size());
  for (std::size_t r = 0; r < from.size(); ++r)
    ranges[r] = {from[r], objects[static_cast<std::size_t>(from[r])],
                 (r + 1 < from.size() ? from[r + 1] : count) - from[r]};
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
