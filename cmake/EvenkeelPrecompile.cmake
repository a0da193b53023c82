# evenkeel_precompile(<target> <header>...)
# evenkeel_reuse_precompiled(<target> <of>)
#
# If the build precompiles headers, the first function precompiles headers that nearly all sources
# of a target include, and the second one reuses those of another target. Sources still include all
# headers that they need.

function(_evenkeel_can_precompile target result)
  set(${result} OFF PARENT_SCOPE)
  # Compilers for devices do not support precompiled headers.
  if(NOT EVENKEEL_PRECOMPILED_HEADERS OR EVENKEEL_KOKKOS_HAS_DEVICE)
    return()
  endif()
  set(${result} ON PARENT_SCOPE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # lets ccache handle precompiled headers
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

function(evenkeel_precompile target)
  _evenkeel_can_precompile(${target} can_precompile)
  if(can_precompile)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

function(evenkeel_reuse_precompiled target of)
  _evenkeel_can_precompile(${target} can_precompile)
  if(can_precompile)
    target_precompile_headers(${target} REUSE_FROM ${of})
  endif()
endfunction()
