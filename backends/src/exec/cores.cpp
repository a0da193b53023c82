#include "exec/cores.hpp"

#include <bit>

#ifdef __linux__
#include <sched.h>
#endif

namespace evenkeel::detail {

CoreMask usable_cores() noexcept {
  CoreMask cores{};
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  constexpr int bits = 64;
  for (int core = 0; core < CPU_SETSIZE && core < bits * static_cast<int>(cores.size()); ++core)
    if (CPU_ISSET(core, &set))
      cores[static_cast<std::size_t>(core / bits)] |= std::uint64_t{1} << (core % bits);
#endif
  return cores;
}

int count_of(const CoreMask& cores) noexcept {
  int count = 0;
  for (const std::uint64_t word : cores) count += std::popcount(word);
  return count;
}

}  // namespace evenkeel::detail
