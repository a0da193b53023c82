#include "heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace evenkeel::scale {

namespace {

std::atomic<std::int64_t> in_use = 0, most = 0;

void* taken(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::int64_t now = in_use += static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t before = most;
  while (now > before && !most.compare_exchange_weak(before, now)) continue;
  return memory;
}

void given_back(void* memory) noexcept {
  if (memory == nullptr) return;
  in_use -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

std::int64_t most_bytes_during(const std::function<void()>& function) {
  const std::int64_t before = in_use;
  most = before;
  function();
  return most - before;
}

}  // namespace evenkeel::scale

using evenkeel::scale::given_back;
using evenkeel::scale::taken;

void* operator new(std::size_t bytes) {
  return taken(std::malloc(std::max<std::size_t>(bytes, 1)));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return taken(
      std::aligned_alloc(align, (std::max<std::size_t>(bytes, 1) + align - 1) / align * align));
}
void operator delete(void* memory) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { given_back(memory); }
