# evenkeel_set_warnings(<target>): the project's warnings and sanitizer, for its own targets alone,
# and for the processor of this machine where EVENKEEL_NATIVE says so.
# evenkeel_sanitizer_flags(<variable>): the compiler's flags for the sanitizer, or nothing.
function(evenkeel_sanitizer_flags result)
  set(flags "")
  if(EVENKEEL_SANITIZE STREQUAL "address")
    set(flags -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  elseif(EVENKEEL_SANITIZE STREQUAL "thread")
    set(flags -fsanitize=thread -fno-omit-frame-pointer)
  endif()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

# All targets or none: they share inline functions. Products stay products: a fused multiplication
# and addition would round otherwise than other builds do, which must find the same keys.
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
    set(nvcc ON)  # nvcc_wrapper: GNU by its host compiler; its generated code is not pedantic
  endif()
  if(nvcc)
    # A host function called from a device function compiles, and then fails when it runs.
    target_compile_options(${target}
      PRIVATE -Werror=cross-execution-space-call "SHELL:-Xcudafe --diag_error=20013")
  else()
    list(APPEND warnings -Wpedantic)
  endif()
  if(EVENKEEL_WARNINGS_AS_ERRORS)
    list(APPEND warnings -Werror)
  endif()
  target_compile_options(${target} PRIVATE ${warnings})

  evenkeel_sanitizer_flags(sanitizers)
  if(sanitizers)
    # Kernels are mostly calls, which cost a sanitizer ten times as much when none is inlined.
    # Of what it prints, lines are enough to find the place.
    target_compile_options(${target} PRIVATE ${sanitizers} "$<$<CONFIG:Debug>:-O1;-g1>")
    target_link_options(${target} PRIVATE ${sanitizers})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "LIBRARY")  # whoever links the library links the sanitizer's runtime too
      target_link_options(${target} INTERFACE ${sanitizers})
    endif()
  endif()
endfunction()
