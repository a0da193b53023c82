#pragma once

// Refuses allocations of the calling thread, one by one. Replaces operator new, and the functions
// by which Kokkos and evenkeel allocate host memory. Does not count allocations inside MPI or by
// other threads. Include this in one source file of a program.

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

extern "C" void* __libc_memalign(std::size_t alignment, std::size_t bytes) noexcept;

namespace evenkeel::test {

struct Refusals {
  static constexpr int most_frames = 48;

  bool is_armed = false;  // in this thread
  int inside_mpi = 0;
  std::int64_t until = 0;  // allocations before the one that is refused
  bool all_later = false;  // also refuses those that follow
  std::int64_t seen = 0, refused = 0;
  std::size_t greatest = 0;  // bytes of the largest request
  void* frames[most_frames] = {};
  int depth = 0;

  // Refuses the n-th allocation after this call, counted from 1. If n is 0, only counts
  // allocations.
  void arm(std::int64_t n, bool and_all_later) {
    *this = {};
    until = n;
    all_later = and_all_later;
    is_armed = true;
  }
  void disarm() { is_armed = false; }

  bool refuses(std::size_t bytes) {
    if (!is_armed || inside_mpi > 0) return false;
    ++seen;
    greatest = bytes > greatest ? bytes : greatest;
    if (until == 0 || seen < until || (seen > until && !all_later)) return false;
    is_armed = false;  // while it collects the stack
    void* stack[most_frames];
    const int found = backtrace(stack, most_frames);
    is_armed = true;
    if (gives_back(stack, found)) {
      if (seen == until) ++until;
      return false;
    }
    if (++refused == 1) depth = static_cast<int>(std::copy(stack, stack + found, frames) - frames);
    return true;
  }

 private:
  // Kokkos 5.2 makes a string to free the memory of a View, which a destructor cannot avoid.
  static bool gives_back(void* const* stack, int found) {
    constexpr int nearest = 8;
    return std::any_of(stack, stack + std::min(found, nearest), [](void* frame) {
      Dl_info info = {};
      return dladdr(frame, &info) != 0 && info.dli_sname != nullptr &&
             std::string_view(info.dli_sname).starts_with("_ZNK6Kokkos9HostSpace10deallocate");
    });
  }
};

inline thread_local Refusals refusals;

inline void* allocated(std::size_t bytes) {
  return refusals.refuses(bytes) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
inline void* allocated_at(std::size_t alignment, std::size_t bytes) {
  return refusals.refuses(bytes) ? nullptr : __libc_memalign(alignment, bytes == 0 ? 1 : bytes);
}
inline void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace evenkeel::test

#ifndef EVENKEEL_TEST_SANITIZED  // a sanitizer defines these itself
extern "C" {
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return evenkeel::test::allocated_at(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  *memory = evenkeel::test::allocated_at(alignment, bytes);
  return *memory == nullptr ? 12 : 0;  // ENOMEM
}
}
#endif

// The compiler would report inlined versions as mismatched.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return evenkeel::test::or_throw(evenkeel::test::allocated(bytes));
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return evenkeel::test::allocated(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return evenkeel::test::allocated(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t at) {
  return evenkeel::test::or_throw(
      evenkeel::test::allocated_at(static_cast<std::size_t>(at), bytes));
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, std::align_val_t at) {
  return operator new(bytes, at);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
