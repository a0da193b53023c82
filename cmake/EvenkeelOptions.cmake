# Every option of the build, with its default. If another project adds evenkeel as a sub-directory,
# it gets the library alone by default.

if(NOT DEFINED PROJECT_IS_TOP_LEVEL)
  set(PROJECT_IS_TOP_LEVEL ON)
endif()

if(PROJECT_IS_TOP_LEVEL)  # a parent project decides this itself
  option(BUILD_SHARED_LIBS "Build shared libraries instead of static ones" OFF)
endif()
# evenkeel::assign alone needs neither Kokkos nor MPI nor spdlog.
option(EVENKEEL_ONLY_ASSIGN "Build only evenkeel::assign" OFF)
set(_evenkeel_build_tests ${PROJECT_IS_TOP_LEVEL})
if(EVENKEEL_ONLY_ASSIGN)
  set(_evenkeel_build_tests OFF)
endif()
option(EVENKEEL_ENABLE_MPI "Use MPI; OFF builds a single-process library" ON)
option(EVENKEEL_ENABLE_KOKKOS_KERNELS "Use Kokkos Kernels when found" ${PROJECT_IS_TOP_LEVEL})
option(EVENKEEL_BUILD_TESTS "Build the tests" ${_evenkeel_build_tests})
option(EVENKEEL_BUILD_TOOLS "Build the program `evenkeel`" ${PROJECT_IS_TOP_LEVEL})
option(EVENKEEL_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(EVENKEEL_BUILD_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(EVENKEEL_BUILD_FUZZERS "Build the fuzzers of the tests (needs Clang)" OFF)
option(EVENKEEL_INSTALL "Create install rules" ${PROJECT_IS_TOP_LEVEL})
option(EVENKEEL_WARNINGS_AS_ERRORS "Turn compiler warnings into errors" OFF)
option(EVENKEEL_PRECOMPILED_HEADERS "Precompile what most sources include" ${PROJECT_IS_TOP_LEVEL})
mark_as_advanced(EVENKEEL_PRECOMPILED_HEADERS)
# The resulting library runs only on machines like this one.
option(EVENKEEL_NATIVE "Compile for the processor of this machine" OFF)

# A device for tests, which every machine has. Its kernels run on the host, in memory that other
# host code cannot touch. A library with this device is not installed.
option(EVENKEEL_TEST_DEVICE "Add the test device to the spaces of the library" OFF)
if(EVENKEEL_TEST_DEVICE)
  set(EVENKEEL_INSTALL OFF)
endif()

# How thoroughly the library checks its own invariants. It always checks input of users.
#   off         no checks
#   local       checks that one rank can make alone
#   collective  also checks that all ranks agree, each at the cost of a reduction
set(EVENKEEL_ASSERTIONS "off" CACHE STRING "Internal checks: off, local or collective")
set_property(CACHE EVENKEEL_ASSERTIONS PROPERTY STRINGS off local collective)

set(EVENKEEL_TEST_RANKS "" CACHE STRING
  "Numbers of ranks to test on, as in 1|2|5; empty: those that each test names")
set(EVENKEEL_TEST_DRAW "" CACHE STRING
  "N:WORD builds one in N of the tests that evenkeel_add_test adds; another word draws others")
option(EVENKEEL_TEST_SPACES_ONLY "Build only tests that a space or a device makes different"
  ${EVENKEEL_TEST_DEVICE})
mark_as_advanced(EVENKEEL_TEST_RANKS EVENKEEL_TEST_DRAW EVENKEEL_TEST_SPACES_ONLY)
if(NOT EVENKEEL_TEST_DRAW MATCHES "^([1-9][0-9]*:.+)?$")
  message(FATAL_ERROR "EVENKEEL_TEST_DRAW is '${EVENKEEL_TEST_DRAW}'; use N:WORD or nothing.")
endif()

set(EVENKEEL_SANITIZE "" CACHE STRING "Sanitizer: empty, address (with undefined) or thread")
set_property(CACHE EVENKEEL_SANITIZE PROPERTY STRINGS "" address thread)

set(_evenkeel_assertion_levels off local collective)
list(FIND _evenkeel_assertion_levels "${EVENKEEL_ASSERTIONS}" EVENKEEL_ASSERTION_LEVEL)
if(EVENKEEL_ASSERTION_LEVEL EQUAL -1)
  message(FATAL_ERROR
    "EVENKEEL_ASSERTIONS is '${EVENKEEL_ASSERTIONS}'; use off, local or collective.")
endif()
if(NOT EVENKEEL_SANITIZE MATCHES "^(|address|thread)$")
  message(FATAL_ERROR
    "EVENKEEL_SANITIZE is '${EVENKEEL_SANITIZE}'; use address, thread or nothing.")
endif()

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Type of build" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(EVENKEEL_CCACHE ccache)
  mark_as_advanced(EVENKEEL_CCACHE)
  if(EVENKEEL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers need CCACHE_SLOPPINESS; CCACHE_DEPEND makes cache misses cheaper.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 "${EVENKEEL_CCACHE}")
  endif()
endif()

set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
if(NOT DEFINED CMAKE_CXX_EXTENSIONS)
  set(CMAKE_CXX_EXTENSIONS OFF)
endif()
