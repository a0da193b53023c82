#pragma once

// Additions that several threads may make at the same time. If there is only one thread, they are
// not atomic.

#include <evenkeel/backends/exec/launch.hpp>

#include <type_traits>

namespace evenkeel::graphs {

template <class Instance>
inline constexpr bool has_one_thread =
#ifdef KOKKOS_ENABLE_SERIAL
    std::is_same_v<exec::Executor<Instance>, Kokkos::Serial>;
#else
    false;
#endif

// Adds, and returns the previous value.
template <class Instance, class T>
KOKKOS_INLINE_FUNCTION T add(T* to, T value) {
  if constexpr (has_one_thread<Instance>) {
    const T before = *to;
    *to = before + value;
    return before;
  } else {
    return Kokkos::atomic_fetch_add(to, value);
  }
}

}  // namespace evenkeel::graphs
