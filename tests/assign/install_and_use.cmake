# Installs the build, and builds and runs user/ against the component `assign` of the package. The
# program may need no library but those of C++ and C.
set(prefix ${WORK}/prefix)
set(user ${WORK}/user)
file(REMOVE_RECURSE ${prefix} ${user})

function(run)
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nexit status ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${user} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${user})
run(${user}/user)
string(CONCAT expected "lambda 1.000, bound 1.000\n"
  "evenkeel: assign: No map can keep the caps: 3 ranks with at most 2 blocks hold fewer than 7 "
  "blocks. Raise most_blocks, or use more ranks.\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "The program printed:\n${output}instead of:\n${expected}")
endif()

file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${user}/user RESOLVED_DEPENDENCIES_VAR libraries)
string(CONCAT allowed "lib(stdc\\+\\+|c\\+\\+|c\\+\\+abi|gcc_s|unwind|m|c|"
  "evenkeel_assign|evenkeel_error)\\.so|/ld-")
foreach(library IN LISTS libraries)
  if(NOT library MATCHES "${allowed}")
    message(FATAL_ERROR "The program needs ${library}.")
  endif()
endforeach()
