#include "field/ranges.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* ranges_label = "evenkeel::field::ranges";

// The number of objects in a block. A block is one index of a parallel loop.
constexpr std::int64_t block_length = 4096;

// Counts the ranges that begin in a block. A range begins at entry 0 of the list, and at each entry
// that is not the previous entry plus 1.
struct CountBegins {
  const std::int64_t* objects;
  std::int64_t count;
  std::int64_t* begins;  // by block

  static std::int64_t begin_of(std::int64_t block) { return block * block_length; }
  std::int64_t end_of(std::int64_t block) const {
    return std::min(count, (block + 1) * block_length);
  }
  bool begins_at(std::int64_t i) const { return i == 0 || objects[i] != objects[i - 1] + 1; }

  void operator()(std::int64_t block) const {
    std::int64_t found = 0;
    for (std::int64_t i = begin_of(block); i < end_of(block); ++i) found += begins_at(i) ? 1 : 0;
    begins[block] = found;
  }
};

// Writes where ranges begin. `begins` now has, for each block, the number of ranges that begin
// before it.
struct WriteRangeBegins {
  CountBegins begins_of;
  ObjectRange* ranges;
  void operator()(std::int64_t block) const {
    std::int64_t next = begins_of.begins[block];
    for (std::int64_t i = CountBegins::begin_of(block); i < begins_of.end_of(block); ++i)
      if (begins_of.begins_at(i)) ranges[next++] = {i, begins_of.objects[i], 0};
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
  const std::int64_t blocks = (count - 1) / block_length + 1;
  std::vector<std::int64_t> begins(static_cast<std::size_t>(blocks));
  const CountBegins count_begins{objects.data(), count, begins.data()};
  exec::for_each_on_host(ranges_label, blocks, count_begins);
  std::int64_t all = 0;
  for (std::int64_t& of_block : begins) all += std::exchange(of_block, all);
  if (all - 1 > count / long_range) return {};
  std::vector<ObjectRange> ranges(static_cast<std::size_t>(all));
  exec::for_each_on_host(ranges_label, blocks, WriteRangeBegins{count_begins, ranges.data()});
  for (std::size_t r = 0; r < ranges.size(); ++r)
    ranges[r].count = (r + 1 < ranges.size() ? ranges[r + 1].from : count) - ranges[r].from;
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
