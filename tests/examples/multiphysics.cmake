# Both solvers must have the same results to the bit: on any number of ranks, with balancing or
# without, with one exchange or two, and for any assumed costs of cells.
include(${CMAKE_CURRENT_LIST_DIR}/running.cmake)
set(arguments --cells 3000 --steps 24)
set(checksums "")
foreach(launcher IN LISTS LAUNCHERS)
  set(launcher_text "${launcher}")
  separate_arguments(launcher)
  foreach(choice IN ITEMS
      "never --balance off" "every --balance on --exchange once"
      "every --balance on --weights wrong --exchange twice"
      "threshold --balance on --weights given --shift on")
    separate_arguments(choice)
    list(POP_FRONT choice trigger)
    set(ENV{EVENKEEL_TRIGGER} ${trigger})
    if(trigger STREQUAL "every")  # independent of the clock, so that objects move
      set(ENV{EVENKEEL_TRIGGER} "every 0:1000:6")
    elseif(trigger STREQUAL "threshold")  # shifts need a trigger that looks at the load
      set(ENV{EVENKEEL_TRIGGER} "threshold lambda 1.01")
    endif()
    execute_process(COMMAND ${launcher} ${PROGRAM} ${arguments} ${choice}
      RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT status EQUAL 0 OR
       NOT output MATCHES "loudest sound is 0\\.[0-9]+ of the pressure; checksum ([0-9a-f]+)")
      message(FATAL_ERROR "${launcher}, ${choice}: exit status ${status}\n${output}${errors}")
    endif()
    list(APPEND checksums ${CMAKE_MATCH_1})
    list(FIND LAUNCHERS "${launcher_text}" place)
    # With two phases, the cut in use may be the best one.
    if(choice MATCHES "exchange once" AND place GREATER 0 AND
       NOT output MATCHES "to rebalance: [0-9.]+ [0-9.]+")
      message(FATAL_ERROR "${launcher}, ${choice}: nothing moved\n${output}")
    endif()
  endforeach()
endforeach()
expect_one_result(${checksums})
