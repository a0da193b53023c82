# evenkeel_add_test(<path> [RANKS <n>...] [SPACES] [DEVICE] [HEAVY] [ALONE] [STARTS]
#                   [TIMEOUT <seconds>] [LIBRARIES <target>...] [PRIVATE <source>...]
#                   [SOURCES <source>...] [INCLUDES <directory>...])
#
# Adds tests/<path>_test.cpp, the test of <component>/include/evenkeel/<path>.hpp, to the program
# test_<component>. Registers it once per rank count as <path>@<n>. With SPACES, registers it also
# once per Kokkos space of the build, as <path>.<space>@<n>. Without MPI, registers only runs on one
# rank. RANKS is 1 by default.
# Tests in the same folder compile together (EvenkeelUnity), so each has its own namespace:
# evenkeel::cut_test in cut_test.cpp. A run has one process per rank, and runs the tests of one file
# (--file).
# DEVICE: the test itself uses the device of the build, if there is one. With
# EVENKEEL_TEST_SPACES_ONLY, as with the test device, the build has only these tests and those with
# SPACES, since all others are the same as in other builds.
# HEAVY: the test itself computes much, so it is optimized under a sanitizer too.
# ALONE: the test replaces functions of MPI or operator new, so it is a program of its own.
# STARTS: the test starts the program `evenkeel`, which EVENKEEL_TEST_PROGRAM names.
# PRIVATE names sources of the component, relative to its src/, whose hidden symbols the test needs.
# A shared library hides these symbols, so the sources are compiled into the program, too. If the
# target evenkeel_<component>_private exists, it provides the private headers of the component.
# SOURCES and INCLUDES are relative to the project. Name everything that a test needs in this call:
# code after the call cannot use the program, which EVENKEEL_TEST_DRAW may leave out.
# Each process has a watchdog. After TIMEOUT seconds (60) it prints the stacks of all threads and
# ends the process, so that a hang becomes a failure with its location. Since more than 4 ranks
# share few cores, the limit grows by TIMEOUT for each further 4 ranks.
include(EvenkeelPrecompile)
include(EvenkeelUnity)
include(EvenkeelWarnings)

# Lets every version of Open MPI run as root, and run more ranks than there are cores.
set(EVENKEEL_TEST_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  OMP_PROC_BIND=false OMP_WAIT_POLICY=passive GTEST_COLOR=no)

# For tests that run a program other than a test. MPI leaks memory in plugins, which are unloaded
# before the leaks are reported. Then only complete stacks show the origin of a leak (fast unwinding
# stops at the first function without a frame pointer). Test programs keep the plugins loaded
# instead: tests/support/main.cpp.
function(evenkeel_show_complete_stacks test)
  if(EVENKEEL_SANITIZE STREQUAL "address")
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT_MODIFICATION ASAN_OPTIONS=path_list_append:fast_unwind_on_malloc=0)
  endif()
endfunction()

function(evenkeel_test_launcher ranks result)
  set(command "")
  if(EVENKEEL_ENABLE_MPI)
    set(command ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS})
  endif()
  set(${result} "${command}" PARENT_SCOPE)
endfunction()

# Most code of a test runs once, so compile time matters more than run time. The library under test
# keeps the optimization level of the build type.
function(evenkeel_set_test_build target)
  evenkeel_set_warnings(${target})
  if(EVENKEEL_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
  elseif(NOT EVENKEEL_KOKKOS_HAS_DEVICE)  # device compilers need one level for all code
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # at -O1 these warnings report std::string itself
      target_compile_options(${target}
        PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
    endif()
  endif()
  if(NOT target STREQUAL "evenkeel_test_main")
    evenkeel_reuse_precompiled(${target} evenkeel_test_main)
  endif()
endfunction()

# Keeps only the rank counts that EVENKEEL_TEST_RANKS asks for. If it asks for no count above 1, a
# test on several ranks still runs on the first such count.
function(evenkeel_choose_ranks variable)
  if(NOT EVENKEEL_TEST_RANKS)
    return()
  endif()
  set(all ${${variable}})
  set(chosen ${all})
  list(FILTER chosen INCLUDE REGEX "^(alone|${EVENKEEL_TEST_RANKS})$")
  list(FILTER all EXCLUDE REGEX "^(alone|1)$")
  set(several ${chosen})
  list(FILTER several EXCLUDE REGEX "^(alone|1)$")
  if(all AND NOT several)
    list(GET all 0 fewest)
    list(APPEND chosen ${fewest})
  endif()
  set(${variable} ${chosen} PARENT_SCOPE)
endfunction()

# Sets `result` to ON if EVENKEEL_TEST_DRAW draws this test.
function(evenkeel_is_drawn path result)
  set(${result} ON PARENT_SCOPE)
  if(EVENKEEL_TEST_DRAW MATCHES "^([0-9]+):(.*)$")
    set(n ${CMAKE_MATCH_1})
    string(MD5 hash "${CMAKE_MATCH_2} ${path}")
    string(SUBSTRING ${hash} 0 8 digits)
    math(EXPR rest "0x${digits} % ${n}")
    if(NOT rest EQUAL 0)
      set(${result} OFF PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Adds the program with the tests of a component.
function(_evenkeel_add_test_program target component)
  add_executable(${target})
  evenkeel_set_test_build(${target})
  target_link_libraries(${target} PRIVATE evenkeel_test_main evenkeel_internal)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${component}/src)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${component}/src)
  endif()
  foreach(library evenkeel_${component} evenkeel_${component}_private)
    if(TARGET ${library})
      target_link_libraries(${target} PRIVATE ${library})
    endif()
  endforeach()
endfunction()

function(evenkeel_add_test path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SPACES;DEVICE;HEAVY;ALONE;STARTS" "TIMEOUT"
    "RANKS;LIBRARIES;PRIVATE;SOURCES;INCLUDES")
  evenkeel_is_drawn(${path} is_drawn)
  if(NOT is_drawn OR (EVENKEEL_TEST_SPACES_ONLY AND NOT arg_SPACES AND NOT arg_DEVICE))
    return()
  endif()
  if(NOT arg_RANKS)
    set(arg_RANKS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(EVENKEEL_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 6")
  elseif(EVENKEEL_TEST_DEVICE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 2")  # the test device opens and closes memory
  endif()
  evenkeel_choose_ranks(arg_RANKS)
  set(spaces "")
  if(arg_SPACES)
    set(spaces ${EVENKEEL_KOKKOS_DEVICES})
    if(EVENKEEL_TEST_DEVICE)
      set(spaces TestDevice)  # other builds test the other spaces
    endif()
  endif()
  if(NOT spaces)
    set(spaces any)
  endif()

  string(REGEX MATCH "^[^/]+" component "${path}")
  set(target test_${component})
  if(arg_ALONE)
    string(REPLACE "/" "_" target "test_${path}")
  endif()
  if(NOT TARGET ${target})
    _evenkeel_add_test_program(${target} ${component})
  endif()
  set(source ${PROJECT_SOURCE_DIR}/tests/${path}_test.cpp)
  if(arg_HEAVY AND EVENKEEL_SANITIZE)
    set_source_files_properties(${source} PROPERTIES
      COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endif()
  if(BUILD_SHARED_LIBS)
    list(TRANSFORM arg_PRIVATE PREPEND ${component}/src/)
    list(APPEND arg_SOURCES ${arg_PRIVATE})
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
  list(TRANSFORM arg_INCLUDES PREPEND ${PROJECT_SOURCE_DIR}/)
  target_sources(${target} PRIVATE ${source} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${arg_INCLUDES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  evenkeel_unite(${target} ${source})
  if(arg_STARTS)
    target_compile_definitions(${target} PRIVATE
      "EVENKEEL_TEST_PROGRAM=\"$<TARGET_FILE:evenkeel_tool>\"")
    add_dependencies(${target} evenkeel_tool)
  endif()

  set(file "--file=${path}")
  if(arg_ALONE)
    set(file "")  # the program has no tests of other files
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    math(EXPR limit "${arg_TIMEOUT} * ((${ranks} + 3) / 4)")
    math(EXPR backstop "${limit} + 30")
    if(NOT EVENKEEL_ENABLE_MPI AND NOT ranks EQUAL 1)
      continue()
    endif()
    evenkeel_test_launcher(${ranks} launcher)
    set(environment ${EVENKEEL_TEST_ENVIRONMENT})
    if(ranks GREATER 2)  # with several threads, so many ranks would mostly wait for cores
      list(APPEND environment OMP_NUM_THREADS=1)
    endif()
    foreach(space IN LISTS spaces)
      # With many ranks on few cores, opening and closing memory is too expensive.
      if(space STREQUAL "TestDevice" AND ranks GREATER 3)
        continue()
      endif()
      set(name "${path}@${ranks}")
      set(choice "")
      if(NOT space STREQUAL "any")
        set(name "${path}.${space}@${ranks}")
        set(choice "--space=${space}")
      endif()
      add_test(NAME ${name}
        COMMAND ${launcher} $<TARGET_FILE:${target}> ${file} --watchdog=${limit}
                ${choice})
      set_tests_properties(${name} PROPERTIES
        TIMEOUT ${backstop} PROCESSORS ${ranks} ENVIRONMENT "${environment}")
      if(space MATCHES "^(CUDA|HIP|SYCL)$")  # processes that share a device take turns anyway
        set_tests_properties(${name} PROPERTIES RESOURCE_LOCK device)
      endif()
    endforeach()
  endforeach()
endfunction()
