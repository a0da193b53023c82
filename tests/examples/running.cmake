# Functions that the scripts of the examples' tests share. The scripts set PROGRAM and `arguments`.

# Runs the program with the options CHOICE, whose first word is the trigger. The trigger `every`
# acts after every `EVERY` steps, independently of the clock, so that objects move. Sets status,
# output and told.
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
