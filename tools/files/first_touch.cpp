#include "files/first_touch.hpp"

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace evenkeel::tool {

void touch_first(void* memory, std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE)
  // Larger allocations than this have pages of their own, which are new.
  constexpr std::size_t least = std::size_t{32} << 20U;
  if (bytes < least) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  madvise(static_cast<char*>(memory) + (begin - address), end - begin, MADV_POPULATE_WRITE);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

}  // namespace evenkeel::tool
