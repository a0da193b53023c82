#include "field/copy_ranges.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>
#include <cstring>

namespace evenkeel {

namespace {

constexpr const char* copy_ranges_label = "evenkeel::field::copy_ranges";
constexpr std::int64_t worth_threads = 65536;  // number of bytes

// A part of each object. In both layouts it is adjacent to the same part of the next object, so
// that a range of objects is one piece of memory.
struct Stream {
  char* to;
  const char* from;
  std::int64_t bytes;  // bytes per object
};

bool is_stream(const FieldLayout& at) { return at.object_stride_bytes == at.element_bytes; }

// All streams of two layouts. If values have to be copied one by one, there are no streams. This
// allocates nothing, because a failure during a move would leave other ranks waiting.
class Streams {
 public:
  Streams(const FieldLayout& to, const FieldLayout& from)
      : to_(to),
        from_(from),
        is_whole_(to.is_packed() && from.is_packed()),
        count_(is_whole_                          ? 1
               : is_stream(to) && is_stream(from) ? to.components
                                                  : 0) {}

  int count() const noexcept { return count_; }
  Stream operator[](int c) const noexcept {
    return {static_cast<char*>(to_.data) + c * to_.component_stride_bytes,
            static_cast<const char*>(from_.data) + c * from_.component_stride_bytes,
            is_whole_ ? to_.bytes_per_object() : to_.element_bytes};
  }

 private:
  const FieldLayout &to_, &from_;
  bool is_whole_;
  int count_;
};

// Copies value by value, with any strides. `bytes` is the size of a value; if it is 0, the size is
// read from the layout.
template <std::size_t bytes>
void copy_values(const FieldLayout& to, const FieldLayout& from, const ObjectRange& range) {
  auto* const target = static_cast<char*>(to.data) + range.to * to.object_stride_bytes;
  const auto* const source =
      static_cast<const char*>(from.data) + range.from * from.object_stride_bytes;
  for (int c = 0; c < to.components; ++c)
    for (std::int64_t i = 0; i < range.count; ++i)
      std::memcpy(target + i * to.object_stride_bytes + c * to.component_stride_bytes,
                  source + i * from.object_stride_bytes + c * from.component_stride_bytes,
                  bytes > 0 ? bytes : static_cast<std::size_t>(to.element_bytes));
}

void copy_any(const FieldLayout& to, const FieldLayout& from, const ObjectRange& range) {
  switch (to.element_bytes) {
    case 1: return copy_values<1>(to, from, range);
    case 4: return copy_values<4>(to, from, range);
    case 8: return copy_values<8>(to, from, range);
    default: return copy_values<0>(to, from, range);
  }
}

// Copies bytes. If they are few, it calls no library function.
void copy_bytes_of(char* to, const char* from, std::size_t bytes) {
  constexpr std::size_t few = 512, step = 16, word = 8;
  if (bytes > few) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (; bytes >= step; bytes -= step, to += step, from += step) std::memcpy(to, from, step);
  if (bytes >= word) {
    std::memcpy(to, from, word);
    bytes -= word, to += word, from += word;
  }
  for (; bytes > 0; --bytes) *to++ = *from++;
}

// Calls copy(range) for objects `begin` to `end`, counted over all ranges in their order.
template <class Copy>
void for_each_within(std::span<const ObjectRange> ranges, std::int64_t begin, std::int64_t end,
                     const Copy& copy) {
  std::int64_t before = 0;
  for (const ObjectRange& range : ranges) {
    const std::int64_t first = std::max<std::int64_t>(0, begin - before);
    const std::int64_t last = std::min(range.count, end - before);
    if (first < last) copy(ObjectRange{range.from + first, range.to + first, last - first});
    before += range.count;
    if (before >= end) break;
  }
}

void copy_some(const FieldLayout& to, const FieldLayout& from, const Streams& streams,
               std::span<const ObjectRange> ranges, std::int64_t begin, std::int64_t end) {
  if (streams.count() == 0)
    for_each_within(ranges, begin, end,
                    [&](const ObjectRange& range) { copy_any(to, from, range); });
  for (int c = 0; c < streams.count(); ++c) {
    const Stream stream = streams[c];
    for_each_within(ranges, begin, end, [&](const ObjectRange& range) {
      copy_bytes_of(stream.to + range.to * stream.bytes, stream.from + range.from * stream.bytes,
                    static_cast<std::size_t>(range.count * stream.bytes));
    });
  }
}

// Copies one thread's share of the objects. If there are many ranges, a share consists of whole
// ranges, because it takes time to find the range of an object. Otherwise all shares have the same
// number of objects.
struct CopyShare {
  const FieldLayout &to, &from;
  const Streams& streams;
  std::span<const ObjectRange> ranges;
  std::int64_t objects, threads;

  void operator()(std::int64_t thread) const {
    const bool are_many = std::ssize(ranges) >= 64 * threads;
    const std::int64_t all = are_many ? std::ssize(ranges) : objects;
    const std::int64_t begin = all * thread / threads, end = all * (thread + 1) / threads;
    if (!are_many) return copy_some(to, from, streams, ranges, begin, end);
    const auto some =
        ranges.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    copy_some(to, from, streams, some, 0, objects);
  }
};

}  // namespace

void copy_object_ranges(const FieldLayout& to, const FieldLayout& from,
                        std::span<const ObjectRange> ranges) {
  std::int64_t objects = 0;
  for (const ObjectRange& range : ranges) objects += range.count;
  if (objects == 0) return;
  const Streams streams(to, from);
  const std::int64_t threads = exec::host_threads();
  if (threads == 1 || objects * to.bytes_per_object() < worth_threads)
    return copy_some(to, from, streams, ranges, 0, objects);
  exec::for_each_on_host(copy_ranges_label, threads,
                         CopyShare{to, from, streams, ranges, objects, threads});
}

}  // namespace evenkeel
