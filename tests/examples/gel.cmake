# The gel must move in the same way to the bit: on any number of ranks, by any method, balanced or
# not. It must shrink, keep its energy, and lose nothing. Advice must move nothing, and bad
# arguments must be refused.
include(${CMAKE_CURRENT_LIST_DIR}/running.cmake)
set(arguments --edge 12 --steps 400 --table)
set(number "([0-9.]+)")
set(checksums "")
set(EVERY 6)

foreach(launcher IN LISTS LAUNCHERS)
  list(FIND LAUNCHERS "${launcher}" place)
  set(choices "never --balance off --method tensor" "never --balance advice"
    "every --balance on --method staggered")
  if(place EQUAL 1)
    list(APPEND choices "every --balance on --method hilbert" "every --balance on --method tensor"
      "cost_aware --balance on --clock cpu --costs learned")
  elseif(place EQUAL 2)
    list(APPEND choices "every --balance on --method morton" "every --balance on --method snake"
      "every --balance on --method bisection")
  endif()
  foreach(choice IN LISTS choices)
    run("${launcher}" "${choice}")
    if(NOT status EQUAL 0 OR NOT output MATCHES
        "rebalances=([0-9]+) .* neighbours=${number} drift=${number} checksum=([0-9a-f]+)\n$")
      message(FATAL_ERROR "${told}")
    endif()
    set(rebalances ${CMAKE_MATCH_1})
    set(neighbours ${CMAKE_MATCH_2})
    set(drift ${CMAKE_MATCH_3})
    list(APPEND checksums ${CMAKE_MATCH_4})
    if(NOT neighbours GREATER 20 OR NOT drift LESS 0.01)
      message(FATAL_ERROR "the gel does not shrink, or energy is lost or made\n${told}")
    endif()
    if(NOT choice MATCHES "balance on" AND NOT rebalances EQUAL 0)
      message(FATAL_ERROR "beads have moved\n${told}")
    endif()
    if(choice MATCHES "every" AND place GREATER 0 AND rebalances EQUAL 0)
      message(FATAL_ERROR "nothing moved\n${told}")
    endif()
  endforeach()
endforeach()
expect_one_result(${checksums})

list(GET LAUNCHERS 0 launcher)
foreach(choice IN ITEMS
    "never --balance perhaps" "never --method graph" "never --edge 12x" "never --steps 0"
    "never --clock" "never --depth 3")
  run("${launcher}" "${choice}")
  if(NOT status EQUAL 2 OR NOT told MATCHES "usage: 06_gel" OR NOT output STREQUAL "")
    message(FATAL_ERROR "not refused\n${told}")
  endif()
endforeach()
