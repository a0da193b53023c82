#pragma once

// A named region around everything that a stage launches, for Kokkos profiling tools. Without a
// tool it does nothing and allocates nothing.

#include <Kokkos_Core.hpp>

namespace evenkeel::exec {

// Keeps a region open while it lives. `name` is "evenkeel::stage".
class Region {
 public:
  // The name begins with "evenkeel::".
  explicit Region(const char* name) : is_open_(Kokkos::Tools::profileLibraryLoaded()) {
    if (is_open_) Kokkos::Profiling::pushRegion(name);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    if (is_open_) Kokkos::Profiling::popRegion();
  }

 private:
  bool is_open_;
};

}  // namespace evenkeel::exec
