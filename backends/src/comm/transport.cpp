#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstdlib>
#include <string_view>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#endif

namespace evenkeel {

namespace {

[[maybe_unused]] bool is_set_to_one(const char* variable) noexcept {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

const char* name_of(Transport transport) noexcept {
  switch (transport) {
    case Transport::automatic: return "automatic";
    case Transport::host_staged: return "host_staged";
    case Transport::device_aware: return "device_aware";
  }
  return "unknown";
}

bool mpi_is_device_aware() noexcept {
#if !EVENKEEL_HAS_MPI
  return false;
#elif defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_CUDA_AWARE_SUPPORT && MPIX_Query_cuda_support() == 1;
#elif defined(KOKKOS_ENABLE_HIP) && defined(MPIX_ROCM_AWARE_SUPPORT)
  return MPIX_ROCM_AWARE_SUPPORT && MPIX_Query_rocm_support() == 1;
#else
  // Cray's MPICH reads this variable. It offers no other way to ask.
  return has_device && is_set_to_one("MPICH_GPU_SUPPORT_ENABLED");
#endif
}

}  // namespace evenkeel
