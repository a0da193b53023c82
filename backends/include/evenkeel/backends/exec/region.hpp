#pragma once

// A named region around everything that a stage launches, for Kokkos profiling tools.

#include <Kokkos_Core.hpp>

namespace evenkeel::exec {

// The region is open while this object lives. `name` is "evenkeel::stage".
class Region {
 public:
  explicit Region(const char* name) { Kokkos::Profiling::pushRegion(name); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { Kokkos::Profiling::popRegion(); }
};

}  // namespace evenkeel::exec
