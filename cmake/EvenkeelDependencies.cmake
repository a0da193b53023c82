# Finds all packages that the build needs. Reports all missing ones at once, with a way to get each.
include(EvenkeelKokkos)

set(EVENKEEL_KOKKOS_MINIMUM 3.4.0)
set(_evenkeel_missing "")

function(_evenkeel_missing_package what apt spack otherwise)
  set(text "  ${what}\n")
  string(APPEND text "    Debian, Ubuntu: apt install ${apt}\n")
  string(APPEND text "    Spack:          spack install ${spack}\n")
  if(otherwise)
    string(APPEND text "    or:             ${otherwise}\n")
  endif()
  set(_evenkeel_missing "${_evenkeel_missing}${text}" PARENT_SCOPE)
endfunction()

# --- Kokkos ---------------------------------------------------------------------------------------
evenkeel_find_kokkos()
if(NOT Kokkos_FOUND)
  _evenkeel_missing_package("Kokkos ${EVENKEEL_KOKKOS_MINIMUM} or newer"
    "libtrilinos-kokkos-dev (or libkokkos-dev)" "kokkos"
    "name your own with -DKokkos_ROOT=<prefix>")
elseif(NOT EVENKEEL_KOKKOS_VERSION)
  message(FATAL_ERROR "Kokkos was found, but not its header KokkosCore_config.h. "
    "Name a complete installation with -DKokkos_ROOT=<prefix>.")
elseif(EVENKEEL_KOKKOS_VERSION VERSION_LESS EVENKEEL_KOKKOS_MINIMUM)
  message(FATAL_ERROR "Kokkos ${EVENKEEL_KOKKOS_VERSION} is too old: evenkeel needs "
    "${EVENKEEL_KOKKOS_MINIMUM} or newer. Name another with -DKokkos_ROOT=<prefix>.")
else()
  list(JOIN EVENKEEL_KOKKOS_DEVICES " " _evenkeel_devices)
  message(STATUS "Kokkos ${EVENKEEL_KOKKOS_VERSION}: ${_evenkeel_devices}")
  if(EVENKEEL_TEST_DEVICE)
    if(EVENKEEL_KOKKOS_HAS_DEVICE)
      message(FATAL_ERROR "EVENKEEL_TEST_DEVICE is for builds without a device; this Kokkos has "
        "one. Leave it off.")
    elseif(NOT EVENKEEL_KOKKOS_VERSION VERSION_LESS 4 OR NOT SERIAL IN_LIST EVENKEEL_KOKKOS_DEVICES)
      message(FATAL_ERROR "EVENKEEL_TEST_DEVICE needs a Kokkos 3 with the space Serial: the test "
        "device builds on internal classes of Kokkos 3 (exec/test_device.hpp).")
    endif()
    list(APPEND EVENKEEL_KOKKOS_DEVICES TestDevice)
  endif()
  if(BUILD_SHARED_LIBS AND EVENKEEL_KOKKOS_LINKAGE STREQUAL "STATIC")
    # Each shared library would hold its own copy of Kokkos's state; only one would be initialised.
    message(FATAL_ERROR
      "A shared evenkeel over a static Kokkos would run with two copies of Kokkos. "
      "Use -DBUILD_SHARED_LIBS=OFF, or a Kokkos built with BUILD_SHARED_LIBS=ON.")
  endif()
endif()

# --- Kokkos Kernels: headers alone, for core's sources and not for users; used if found -----------
# It must belong to the Kokkos found above. Trilinos's package (Debian) defines no target, only
# variables. It belongs to Trilinos's own Kokkos, whose headers it names. evenkeel calls nothing of
# its library, which needs BLAS and LAPACK.
function(_evenkeel_resolve_kokkos_kernels)
  set(directories "${KokkosKernels_INCLUDE_DIRS}")
  if(TARGET Kokkos::kokkoskernels)  # its config has checked that it belongs to this Kokkos
    set(directories $<TARGET_PROPERTY:Kokkos::kokkoskernels,INTERFACE_INCLUDE_DIRECTORIES>)
  else()
    set(found "")
    foreach(directory IN LISTS directories)
      get_filename_component(directory "${directory}" REALPATH)
      list(APPEND found "${directory}")
    endforeach()
    get_filename_component(kokkos "${EVENKEEL_KOKKOS_HEADER_DIRECTORY}" REALPATH)
    if(NOT kokkos IN_LIST found)
      message(STATUS "Kokkos Kernels: not used, since the one found belongs to another Kokkos")
      return()
    endif()
  endif()
  add_library(evenkeel_kokkos_kernels INTERFACE IMPORTED)
  set_target_properties(evenkeel_kokkos_kernels PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${directories}"
    INTERFACE_COMPILE_DEFINITIONS EVENKEEL_HAS_KOKKOS_KERNELS)
  set(EVENKEEL_KOKKOS_KERNELS evenkeel_kokkos_kernels PARENT_SCOPE)
endfunction()

set(EVENKEEL_KOKKOS_KERNELS "")
set(EVENKEEL_KOKKOS_KERNELS_VERSION "")
set(_evenkeel_kokkos_imported OFF)
if(Kokkos_FOUND)
  get_target_property(_evenkeel_kokkos_imported Kokkos::kokkos IMPORTED)
endif()
# If this project builds Kokkos itself, the config of Kokkos Kernels would load an installed Kokkos,
# too.
if(EVENKEEL_ENABLE_KOKKOS_KERNELS AND _evenkeel_kokkos_imported)
  find_package(KokkosKernels QUIET CONFIG)
  if(KokkosKernels_FOUND)
    _evenkeel_resolve_kokkos_kernels()
  endif()
endif()
if(EVENKEEL_KOKKOS_KERNELS)
  set(EVENKEEL_KOKKOS_KERNELS_VERSION "${KokkosKernels_VERSION}")
  if(NOT EVENKEEL_KOKKOS_KERNELS_VERSION)  # Trilinos has one version for both
    set(EVENKEEL_KOKKOS_KERNELS_VERSION "${EVENKEEL_KOKKOS_VERSION}")
  endif()
  message(STATUS "Kokkos Kernels ${EVENKEEL_KOKKOS_KERNELS_VERSION}")
endif()

# --- MPI ------------------------------------------------------------------------------------------
if(EVENKEEL_ENABLE_MPI)
  find_package(MPI 3.0 QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    _evenkeel_missing_package("MPI (C library and headers)" "libopenmpi-dev openmpi-bin" "openmpi"
      "build for one process with -DEVENKEEL_ENABLE_MPI=OFF")
  endif()
endif()

find_package(Threads REQUIRED)

# --- spdlog: the log of a running application -----------------------------------------------------
find_package(spdlog 1.10 QUIET CONFIG)
if(NOT spdlog_FOUND)
  _evenkeel_missing_package("spdlog 1.10 or newer" "libspdlog-dev" "spdlog"
    "name your own with -Dspdlog_ROOT=<prefix>")
endif()

# --- Eigen: small dense problems; headers alone, for core's sources and not for users -------------
# No version is requested, since releases of Eigen 5 differ in whether they accept a request for
# 3.4.
find_package(Eigen3 QUIET CONFIG)
if(NOT Eigen3_FOUND OR Eigen3_VERSION VERSION_LESS 3.4)
  _evenkeel_missing_package("Eigen 3.4 or newer" "libeigen3-dev" "eigen"
    "name your own with -DEigen3_ROOT=<prefix>")
endif()

# --- Packages that only some directories of the project need --------------------------------------
if(EVENKEEL_BUILD_TOOLS)
  find_package(CLI11 QUIET CONFIG)
  if(NOT CLI11_FOUND)
    _evenkeel_missing_package("CLI11, for the program `evenkeel`" "libcli11-dev" "cli11"
      "leave the program out with -DEVENKEEL_BUILD_TOOLS=OFF")
  endif()
  find_package(nlohmann_json QUIET CONFIG)
  if(NOT nlohmann_json_FOUND)
    _evenkeel_missing_package("nlohmann-json, for the program `evenkeel`" "nlohmann-json3-dev"
      "nlohmann-json" "leave the program out with -DEVENKEEL_BUILD_TOOLS=OFF")
  endif()
endif()
if(EVENKEEL_BUILD_TESTS)
  find_package(GTest QUIET CONFIG)
  if(NOT GTest_FOUND)
    _evenkeel_missing_package("GoogleTest, for the tests" "libgtest-dev" "googletest"
      "leave the tests out with -DEVENKEEL_BUILD_TESTS=OFF")
  endif()
endif()
if(EVENKEEL_BUILD_BENCH)
  find_package(benchmark QUIET CONFIG)
  if(NOT benchmark_FOUND)
    _evenkeel_missing_package("Google Benchmark, for the benchmarks" "libbenchmark-dev" "benchmark"
      "leave the benchmarks out with -DEVENKEEL_BUILD_BENCH=OFF")
  endif()
endif()

if(_evenkeel_missing)
  message(FATAL_ERROR "evenkeel cannot be built here yet. Missing:\n\n${_evenkeel_missing}")
endif()
