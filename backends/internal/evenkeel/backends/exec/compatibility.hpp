#pragma once

// Gives one name to the few features that have different names in Kokkos 3.4 and 5.2. All other
// features that evenkeel uses are the same in both.

#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <string>

namespace evenkeel::exec {

// The label of a kernel or a fence, for tools. If no tool is loaded it is empty, so that a launch
// allocates nothing.
inline std::string label_for_tools(const char* label) {
  return Kokkos::Tools::profileLibraryLoaded() ? std::string(label) : std::string();
}

// A fence on one instance, with a name in Kokkos 3.5 and later.
template <class Instance>
void fence(const Instance& instance, [[maybe_unused]] const char* label) {
#if KOKKOS_VERSION >= 30500
  instance.fence(label_for_tools(label));
#else
  instance.fence();
#endif
}

// Replaces Kokkos::isfinite, which only Kokkos 3.7 and later have. It tests the bits, because
// compilers may assume with -ffast-math that no number is NaN.
KOKKOS_INLINE_FUNCTION bool is_finite(double value) {
  constexpr std::uint64_t exponent = 0x7FF0000000000000U;
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return (bits & exponent) != exponent;
}
KOKKOS_INLINE_FUNCTION bool is_finite(float value) {
  constexpr std::uint32_t exponent = 0x7F800000U;
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return (bits & exponent) != exponent;
}

// Memory that both host and device reach.
#if KOKKOS_VERSION >= 40000 && defined(KOKKOS_HAS_SHARED_SPACE)
using SharedSpace = Kokkos::SharedSpace;
#elif defined(KOKKOS_ENABLE_CUDA)
using SharedSpace = Kokkos::CudaUVMSpace;
#else
using SharedSpace = Kokkos::HostSpace;
#endif

// Page-locked host memory: the device copies to and from it without an intermediate copy.
#if KOKKOS_VERSION >= 40000 && defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using PinnedSpace = Kokkos::SharedHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_CUDA)
using PinnedSpace = Kokkos::CudaHostPinnedSpace;
#else
using PinnedSpace = Kokkos::HostSpace;
#endif

}  // namespace evenkeel::exec
