# Installs the build, configures and builds examples/ against the installed package alone, and runs
# what came out.
set(prefix ${WORK}/prefix)
set(examples ${WORK}/examples)
file(REMOVE_RECURSE ${prefix} ${examples})

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

# The installed package names no file of the build or the checkout.
file(GLOB_RECURSE installed ${prefix}/*.cmake ${prefix}/*.hpp)
foreach(file IN LISTS installed)
  file(READ ${file} text)
  foreach(directory backends core monitor cmake build)
    string(FIND "${text}" "${SOURCE}/${directory}/" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names the source directory")
    endif()
  endforeach()
endforeach()

set(search ${prefix} ${PREFIXES})
string(REPLACE ";" "\\;" search "${search}")
string(REPLACE ";" "\\;" launcher "${LAUNCHER}")
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${examples} -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
  -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
  -DCMAKE_PREFIX_PATH=${search} -DKokkos_ROOT=${KOKKOS})
run(${CMAKE_COMMAND} --build ${examples})

if(RUN)  # all its objects begin on rank 0: with several ranks it cannot but move some
  run(${RUN} ${examples}/01_minimal)
  if(NOT output MATCHES "rank 0 has [0-9]+ objects after step [0-9]+")
    message(FATAL_ERROR "01_minimal moved nothing:\n${output}")
  endif()
endif()

# Balancing changes who computes, not what comes out.
foreach(balance on off)
  run(${RUN} ${examples}/02_particles --particles 500 --steps 60 --balance ${balance} --table)
  if(NOT output MATCHES "checksum=([0-9a-f]+)")
    message(FATAL_ERROR "02_particles printed no checksum:\n${output}")
  endif()
  set(checksum_${balance} ${CMAKE_MATCH_1})
endforeach()
if(NOT checksum_on STREQUAL checksum_off)
  message(FATAL_ERROR "02_particles: ${checksum_on} balanced, ${checksum_off} not")
endif()
if(RUN)
  foreach(balance on off)
    run(${RUN} ${examples}/03_domains --balance ${balance})
    if(NOT output MATCHES "lambda=([0-9.]+) rebalances=([0-9]+) checksum=([0-9a-f]+)")
      message(FATAL_ERROR "03_domains printed no checksum:\n${output}")
    endif()
    set(lambda_${balance} ${CMAKE_MATCH_1})
    set(rebalances_${balance} ${CMAKE_MATCH_2})
    set(checksum_${balance} ${CMAKE_MATCH_3})
  endforeach()
  if(NOT checksum_on STREQUAL checksum_off OR NOT rebalances_off EQUAL 0)
    message(FATAL_ERROR "03_domains: ${checksum_on} balanced, ${checksum_off} not")
  endif()
  if(NOT lambda_on LESS lambda_off)
    message(FATAL_ERROR "03_domains: lambda is ${lambda_on} balanced, ${lambda_off} not")
  endif()
endif()
if(TOOLS)
  run(${prefix}/bin/evenkeel info)
endif()
