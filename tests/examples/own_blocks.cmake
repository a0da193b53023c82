# All blocks must be there with the right contents, on any number of ranks. On several ranks blocks
# must have moved.
include(${CMAKE_CURRENT_LIST_DIR}/running.cmake)
set(EVERY 5)
foreach(launcher IN LISTS LAUNCHERS)
  list(FIND LAUNCHERS "${launcher}" place)
  run("${launcher}" "every")
  if(NOT status EQUAL 0 OR NOT output MATCHES "([0-9]+) moves; the blocks are right")
    message(FATAL_ERROR "${told}")
  endif()
  if(place GREATER 0 AND CMAKE_MATCH_1 EQUAL 0)
    message(FATAL_ERROR "nothing moved\n${told}")
  endif()
endforeach()
