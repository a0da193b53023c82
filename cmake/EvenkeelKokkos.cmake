# Finds Kokkos, and mends the two broken packages that Debian and its relatives ship. This file is
# installed with evenkeel, since a user's own find_package(evenkeel) meets the same packages.
#
# A good Kokkos (Kokkos_ROOT, CMAKE_PREFIX_PATH, any backend) is found first and left as it is. The
# two mends are:
#   1. Kokkos 3.4 from Trilinos (Debian 12 and relatives): the target Kokkos::kokkos names an
#      include directory that does not exist, while the variable Kokkos_INCLUDE_DIRS is right.
#   2. Kokkos 5 (newest Debian): the targets file stops with an error because two static archives,
#      libkokkosalgorithms.a and libkokkossimd.a, are not in the package. Both are empty (the code
#      is in headers). The file does nothing when all its targets exist, so we create them first.
#
# evenkeel_find_kokkos() sets Kokkos_FOUND and provides the target Kokkos::kokkos. It reads the
# variables below from the header that the compiler will see, since a target of a parent project
# brings no variables:
#   EVENKEEL_KOKKOS_VERSION           major.minor.patch
#   EVENKEEL_KOKKOS_DEVICES           all its spaces
#   EVENKEEL_KOKKOS_HAS_DEVICE        ON if one of these is not on the host
#   EVENKEEL_KOKKOS_HEADER_DIRECTORY
include_guard(GLOBAL)

# The directory of the Kokkos that find_package would load; empty if there is no Kokkos. If the
# requested version is impossible, find_package examines every candidate and loads nothing.
function(_evenkeel_kokkos_directory result)
  find_package(Kokkos 99999 QUIET CONFIG)
  set(directory "")
  if(Kokkos_CONSIDERED_CONFIGS)
    list(GET Kokkos_CONSIDERED_CONFIGS 0 config)
    get_filename_component(directory "${config}" DIRECTORY)
  endif()
  set(${result} "${directory}" PARENT_SCOPE)
endfunction()

# Mend 2: creates the five targets if the package lists archives that it does not contain.
function(_evenkeel_replace_missing_archives directory)
  if(TARGET Kokkos::kokkos OR NOT EXISTS "${directory}/KokkosTargets.cmake")
    return()
  endif()
  get_filename_component(libraries "${directory}/../.." ABSOLUTE)
  file(GLOB lists "${directory}/KokkosTargets-*.cmake")
  set(promised OFF)
  foreach(list IN LISTS lists)
    file(STRINGS "${list}" lines REGEX "libkokkosalgorithms\\.a")
    if(lines)
      set(promised ON)
    endif()
  endforeach()
  if(NOT promised OR EXISTS "${libraries}/libkokkosalgorithms.a")
    return()
  endif()

  file(STRINGS "${directory}/KokkosTargets.cmake" lines REGEX "INTERFACE_INCLUDE_DIRECTORIES")
  string(REGEX MATCH "\"(/[^\"]+)\"" ignored "${lines}")
  find_path(EVENKEEL_KOKKOS_HEADERS KokkosCore_config.h HINTS "${CMAKE_MATCH_1}"
            PATH_SUFFIXES kokkos)
  find_library(EVENKEEL_KOKKOS_CORE kokkoscore HINTS "${libraries}")
  find_library(EVENKEEL_KOKKOS_CONTAINERS kokkoscontainers HINTS "${libraries}")
  mark_as_advanced(EVENKEEL_KOKKOS_HEADERS EVENKEEL_KOKKOS_CORE EVENKEEL_KOKKOS_CONTAINERS)
  if(NOT EVENKEEL_KOKKOS_HEADERS OR NOT EVENKEEL_KOKKOS_CORE OR NOT EVENKEEL_KOKKOS_CONTAINERS)
    return()
  endif()
  message(STATUS "Kokkos: mending a package that lacks libkokkosalgorithms.a and libkokkossimd.a")

  add_library(Kokkos::kokkoscore SHARED IMPORTED)
  set_target_properties(Kokkos::kokkoscore PROPERTIES
    IMPORTED_LOCATION "${EVENKEEL_KOKKOS_CORE}"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_INCLUDE_DIRECTORIES "${EVENKEEL_KOKKOS_HEADERS}"
    INTERFACE_LINK_LIBRARIES "OpenMP::OpenMP_CXX;${CMAKE_DL_LIBS}")
  add_library(Kokkos::kokkoscontainers SHARED IMPORTED)
  set_target_properties(Kokkos::kokkoscontainers PROPERTIES
    IMPORTED_LOCATION "${EVENKEEL_KOKKOS_CONTAINERS}"
    INTERFACE_LINK_LIBRARIES Kokkos::kokkoscore)
  foreach(header_only kokkosalgorithms kokkossimd)
    add_library(Kokkos::${header_only} INTERFACE IMPORTED)
    set_target_properties(Kokkos::${header_only} PROPERTIES
      INTERFACE_LINK_LIBRARIES Kokkos::kokkoscore)
  endforeach()
  add_library(Kokkos::kokkos INTERFACE IMPORTED)
  set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_LINK_LIBRARIES
    "Kokkos::kokkoscore;Kokkos::kokkoscontainers;Kokkos::kokkosalgorithms;Kokkos::kokkossimd")
endfunction()

# Mend 1: points Kokkos::kokkos at headers that exist.
function(_evenkeel_replace_missing_headers)
  get_target_property(aliased Kokkos::kokkos ALIASED_TARGET)
  get_target_property(imported Kokkos::kokkos IMPORTED)
  get_target_property(headers Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
  if(aliased OR NOT imported OR NOT headers)
    return()
  endif()
  find_path(EVENKEEL_KOKKOS_HEADERS KokkosCore_config.h HINTS ${Kokkos_INCLUDE_DIRS}
            PATH_SUFFIXES trilinos kokkos)
  mark_as_advanced(EVENKEEL_KOKKOS_HEADERS)
  foreach(directory IN LISTS headers)
    if(NOT directory MATCHES "\\$<" AND NOT EXISTS "${directory}/KokkosCore_config.h"
       AND EVENKEEL_KOKKOS_HEADERS)
      message(STATUS "Kokkos: mending a target that lacks its headers (${EVENKEEL_KOKKOS_HEADERS})")
      set_target_properties(Kokkos::kokkos PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${EVENKEEL_KOKKOS_HEADERS}")
      return()
    endif()
  endforeach()
endfunction()

# All targets that `target` links, and itself, as far as CMake knows them.
function(_evenkeel_linked_targets target result)
  set(seen "")
  set(open ${target})
  while(open)
    list(POP_FRONT open next)
    string(REGEX REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1" next "${next}")
    if(NOT TARGET "${next}" OR next IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${next}")
    get_target_property(links "${next}" INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND open ${links})
    endif()
  endwhile()
  set(${result} "${seen}" PARENT_SCOPE)
endfunction()

# Reads KOKKOS_VERSION as the compiler will see it, the spaces, the directory of the header, and the
# type of the core library.
function(_evenkeel_inspect_kokkos)
  _evenkeel_linked_targets(Kokkos::kokkos targets)
  set(directories ${Kokkos_INCLUDE_DIRS})
  set(linkage UNKNOWN)
  foreach(target IN LISTS targets)
    get_target_property(headers ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(headers)
      foreach(directory IN LISTS headers)
        string(REGEX REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1" directory "${directory}")
        list(APPEND directories "${directory}")
      endforeach()
    endif()
    if(target MATCHES "kokkoscore$")
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        set(linkage STATIC)
      endif()
    endif()
  endforeach()
  set(version "")
  foreach(directory IN LISTS directories)
    if(NOT version AND EXISTS "${directory}/KokkosCore_config.h")
      file(STRINGS "${directory}/KokkosCore_config.h" line REGEX "^#define KOKKOS_VERSION +[0-9]+")
      string(REGEX MATCH "[0-9]+" number "${line}")
      if(number)
        math(EXPR major "${number} / 10000")
        math(EXPR minor "${number} / 100 % 100")
        math(EXPR patch "${number} % 100")
        set(version "${major}.${minor}.${patch}")
        set(devices "")
        foreach(device SERIAL OPENMP THREADS CUDA HIP SYCL)
          file(STRINGS "${directory}/KokkosCore_config.h" line
               REGEX "^#define KOKKOS_ENABLE_${device}$")
          if(line)
            list(APPEND devices ${device})
          endif()
        endforeach()
        set(EVENKEEL_KOKKOS_DEVICES "${devices}" PARENT_SCOPE)
        set(EVENKEEL_KOKKOS_HAS_DEVICE OFF PARENT_SCOPE)
        if(devices MATCHES "CUDA|HIP|SYCL")
          set(EVENKEEL_KOKKOS_HAS_DEVICE ON PARENT_SCOPE)
        endif()
        set(EVENKEEL_KOKKOS_HEADER_DIRECTORY "${directory}" PARENT_SCOPE)
      endif()
    endif()
  endforeach()
  set(EVENKEEL_KOKKOS_VERSION "${version}" PARENT_SCOPE)
  set(EVENKEEL_KOKKOS_LINKAGE "${linkage}" PARENT_SCOPE)
endfunction()

# This is a macro, so that the variables of Kokkos's own config reach the caller.
macro(evenkeel_find_kokkos)
  if(NOT TARGET Kokkos::kokkos)
    _evenkeel_kokkos_directory(_evenkeel_directory)
    _evenkeel_replace_missing_archives("${_evenkeel_directory}")
    unset(_evenkeel_directory)
    find_package(Kokkos QUIET CONFIG)
  endif()
  if(TARGET Kokkos::kokkos)
    set(Kokkos_FOUND TRUE)
    _evenkeel_replace_missing_headers()
    _evenkeel_inspect_kokkos()
  endif()
endmacro()
