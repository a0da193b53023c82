#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#if EVENKEEL_HAS_MPI
#include <mpi.h>
#endif

namespace evenkeel {

namespace {

std::string dotted(int version) {  // Kokkos counts versions as major * 10000 + minor * 100 + patch
  return std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

std::string mpi_description() {
#if EVENKEEL_HAS_MPI
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string description(text, static_cast<std::size_t>(length));
  return description.substr(0, description.find_first_of(",\n"));
#else
  return {};
#endif
}

std::string compiler() {
#if defined(__NVCC__)
  return "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + '.' +
         std::to_string(__CUDACC_VER_MINOR__);
#elif defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

BuildInfo build_info() {
  constexpr const char* levels[] = {"off", "local", "collective"};
  BuildInfo info;
  info.version = EVENKEEL_VERSION;
  info.commit = EVENKEEL_COMMIT;
  info.options = EVENKEEL_OPTIONS;
  info.kokkos_version = dotted(KOKKOS_VERSION);
  info.spaces = Space::names();
  info.default_host_space = Kokkos::DefaultHostExecutionSpace::name();
  info.default_space = exec::Device::name();
  info.mpi = mpi_description();
  info.device = has_device;
  info.device_aware_mpi = mpi_is_device_aware();
  info.kokkos_kernels_version = EVENKEEL_KOKKOS_KERNELS_VERSION;
  info.assertions = levels[EVENKEEL_ASSERTION_LEVEL];
  info.compiler = compiler();
  return info;
}

}  // namespace evenkeel
