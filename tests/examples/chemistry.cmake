# The cells must be the same to the bit on any number of ranks, with a loan, with rebalances and
# without both. On several ranks cells must have been lent.
include(${CMAKE_CURRENT_LIST_DIR}/running.cmake)
set(checksums "")
foreach(launcher IN LISTS LAUNCHERS)
  list(FIND LAUNCHERS "${launcher}" place)
  separate_arguments(launcher)
  execute_process(COMMAND ${launcher} ${PROGRAM} 60 40
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0 OR NOT output MATCHES "the results are the same, checksum ([0-9a-f]+)")
    message(FATAL_ERROR "${launcher}: exit status ${status}\n${output}${errors}")
  endif()
  list(APPEND checksums ${CMAKE_MATCH_1})
  if(place GREATER 0 AND NOT output MATCHES "lent  [^\n]*cells lent +[1-9]")
    message(FATAL_ERROR "nothing was lent\n${output}")
  endif()
endforeach()
expect_one_result(${checksums})
