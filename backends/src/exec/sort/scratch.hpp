#pragma once

// Scratch memory of a sort on the host. It is not initialised, and is aligned to cache lines. If
// the memory is refused, an Error is thrown.

#include <evenkeel/backends/exec/space.hpp>

#include <limits>

namespace evenkeel::exec::host_sort {

// Room for `count` values of T.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const char* label, std::int64_t count)
      : buffer_(label, MemoryKind::host,
                count > most ? std::numeric_limits<std::int64_t>::max() : count * size) {}
  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }

 private:
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / size;
  Buffer buffer_;
};

}  // namespace evenkeel::exec::host_sort
