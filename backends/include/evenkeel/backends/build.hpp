#pragma once

// What this evenkeel was built from, for programs that report it.

#include <evenkeel/backends/export.hpp>

#include <string>
#include <vector>

namespace evenkeel {

// What this library was built from, as `evenkeel info` prints it.
struct BuildInfo {
  std::string version;
  std::string kokkos_version;
  std::vector<std::string> spaces;  // Kokkos execution spaces, hosts first
  std::string default_host_space, default_space;
  std::string mpi;      // the MPI library's own description; empty without MPI
  bool device = false;  // has a device whose memory the host does not share
  bool device_aware_mpi = false;
  std::string kokkos_kernels_version;  // empty when not found
  std::string assertions;              // off, local or collective
  std::string compiler;
};

// Local. Needs neither Kokkos nor MPI to be running.
EVENKEEL_API BuildInfo build_info();

}  // namespace evenkeel
