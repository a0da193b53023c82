# evenkeel_set_warnings(<target>): sets the project's warnings and sanitizer, for its own targets
# only, and compiles for this machine's processor if EVENKEEL_NATIVE is ON.

# Applies to all targets or none, since they share inline functions. Never fuses a multiplication
# and an addition: that would round differently from other builds, which must find the same keys.
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
    set(nvcc ON)  # nvcc_wrapper reports its host compiler, GNU; its generated code is not pedantic
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
    # Kernels consist mostly of calls, which are ten times slower under a sanitizer if not inlined
    # (-O1). Line numbers suffice to find the place of a report (-g1).
    target_compile_options(${target} PRIVATE ${sanitizers} "$<$<CONFIG:Debug>:-O1;-g1>")
    target_link_options(${target} PRIVATE ${sanitizers})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "LIBRARY")  # users of the library must link the sanitizer's runtime too
      target_link_options(${target} INTERFACE ${sanitizers})
    endif()
  endif()
endfunction()
