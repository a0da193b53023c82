# What the scripts of the examples' tests share. PROGRAM and `arguments` are given.

# Runs the program with CHOICE, of which the first word is the trigger; `every` acts at every
# `EVERY` steps, and not by the clock, so that objects move. Sets status, output and told.
function(run launcher choice)
  separate_arguments(launcher)
  separate_arguments(choice)
  list(POP_FRONT choice trigger)
  if(trigger STREQUAL "every")
    set(trigger "every 0:1000:${EVERY}")
  endif()
  set(ENV{EVENKEEL_TRIGGER} ${trigger})
  execute_process(COMMAND ${launcher} ${PROGRAM} ${arguments} ${choice}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
  set(told "${launcher}, ${choice}: exit status ${status}\n${output}${errors}" PARENT_SCOPE)
endfunction()

function(expect_one_result)
  set(checksums ${ARGN})
  list(REMOVE_DUPLICATES checksums)
  list(LENGTH checksums different)
  if(NOT different EQUAL 1)
    message(FATAL_ERROR "the results differ: ${checksums}")
  endif()
endfunction()
