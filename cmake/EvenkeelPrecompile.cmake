# evenkeel_precompile(<target> <header>...)
# evenkeel_reuse_precompiled(<target> <of>)
#
# Precompiles headers that nearly all sources of a target include, or takes those of another target,
# where the build precompiles at all. Sources include what they need all the same.

function(_evenkeel_can_precompile target result)
  set(${result} OFF PARENT_SCOPE)
  # The compilers of devices do not support it.
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
