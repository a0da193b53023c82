# evenkeel_set_warnings(<target>): sets the project's warnings and sanitizer for a target of this
# project. If EVENKEEL_NATIVE is ON, compiles it for the processor of this machine.

# Applies to all targets or to no target, since they share inline functions. Forbids to fuse a
# multiplication and an addition: this would round differently, and all builds must find the same
# keys.
function(evenkeel_set_machine target)
  if(EVENKEEL_NATIVE)
    target_compile_options(${target} PRIVATE -march=native -ffp-contract=off)
  endif()
endfunction()

function(evenkeel_set_warnings target)
  evenkeel_set_machine(${target})
  set(warnings -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND warnings -Wno-sign-conversion)  # part of clang's -Wconversion, not of GCC's
  endif()
  set(nvcc OFF)
  if(EVENKEEL_KOKKOS_DEVICES MATCHES "CUDA" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(nvcc ON)  # nvcc_wrapper reports its host compiler, GNU; its code is not pedantic
  endif()
  if(nvcc)
    # Without these, a device function that calls a host function compiles, but fails when it runs.
    target_compile_options(${target}
      PRIVATE -Werror=cross-execution-space-call "SHELL:-Xcudafe --diag_error=20013")
  else()
    list(APPEND warnings -Wpedantic)
  endif()
  if(EVENKEEL_WARNINGS_AS_ERRORS)
    list(APPEND warnings -Werror)
  endif()
  target_compile_options(${target} PRIVATE ${warnings})

  set(sanitizers "")
  if(EVENKEEL_SANITIZE STREQUAL "address")
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  elseif(EVENKEEL_SANITIZE STREQUAL "thread")
    set(sanitizers -fsanitize=thread)
  endif()
  if(sanitizers)
    list(APPEND sanitizers -fno-omit-frame-pointer)
    # Kernels consist mostly of calls. If these are not inlined (-O1), a sanitizer makes them ten
    # times slower. Line numbers (-g1) suffice to find the place of a report.
    target_compile_options(${target} PRIVATE ${sanitizers} "$<$<CONFIG:Debug>:-O1;-g1>")
    target_link_options(${target} PRIVATE ${sanitizers})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "LIBRARY")  # users of the library must link the runtime of the sanitizer, too
      target_link_options(${target} INTERFACE ${sanitizers})
    endif()
  endif()
endfunction()
