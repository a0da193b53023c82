#pragma once

// Scratch memory of a sort on the host. It is not initialised, and is aligned to cache lines. It
// has huge pages if the system offers them, because the first access to a small page costs as much
// as sorting its content. If the memory is refused, an Error is thrown.

#include <evenkeel/backends/exec/space.hpp>

#include <limits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace evenkeel::exec::host_sort {

// Room for `count` values of T.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const char* label, std::int64_t count)
      : buffer_(label, MemoryKind::host,
                count > most ? std::numeric_limits<std::int64_t>::max() : count * size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = 4096;
    constexpr std::int64_t worth_it = std::int64_t{4} << 20;
    if (buffer_.bytes() < worth_it) return;
    const auto address = reinterpret_cast<std::uintptr_t>(buffer_.data());
    const std::uintptr_t skipped = (page - address % page) % page;
    madvise(buffer_.data() + skipped, static_cast<std::size_t>(buffer_.bytes()) - skipped,
            MADV_HUGEPAGE);  // advice: a refusal changes nothing
#endif
  }
  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }

 private:
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / size;
  Buffer buffer_;
};

}  // namespace evenkeel::exec::host_sort
