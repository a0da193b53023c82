# cmake -DROOT=<dir> -P include_direction.cmake: reads every include of every component below ROOT
# and fails when one points to the right; when a public header of monitor includes core that has no
# need to; and when a room of monitor other than drive gets to see core, by whatever headers. What
# lambda is, core/weights/load.hpp defines for all.
cmake_minimum_required(VERSION 3.22)

set(components backends core monitor)
# Public headers of monitor, besides the umbrella.
set(sees_core balancer graph_balancer grid_balancer options)

set(violations "")
set(files_read 0)

# The include lines of a file, each read once.
function(include_lines file result)
  get_property(is_known GLOBAL PROPERTY "lines of ${file}" SET)
  if(NOT is_known)
    file(STRINGS ${ROOT}/${file} lines REGEX "^[ \t]*#[ \t]*include")
    set_property(GLOBAL PROPERTY "lines of ${file}" "${lines}")
  endif()
  get_property(lines GLOBAL PROPERTY "lines of ${file}")
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Where monitor has the header of an include line; empty for what is none of its headers.
function(header_of_monitor line result)
  set(header "")
  if(line MATCHES "<(evenkeel/(monitor/.*|evenkeel)\\.hpp)>")
    set(header monitor/include/${CMAKE_MATCH_1})
  elseif(line MATCHES "\"(.*)\"")
    set(header monitor/src/${CMAKE_MATCH_1})
  endif()
  if(NOT EXISTS ${ROOT}/${header})
    set(header "")
  endif()
  set(${result} "${header}" PARENT_SCOPE)
endfunction()

# --- From component to component -----------------------------------------------------------------

foreach(component IN LISTS components)
  list(FIND components ${component} place)
  file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/${component}/*.hpp ${ROOT}/${component}/*.cpp ${ROOT}/${component}/*.in)
  foreach(file IN LISTS files)
    math(EXPR files_read "${files_read} + 1")
    include_lines(${file} includes)
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^.*include[ \t]*" "" named "${include}")
      if(include MATCHES "evenkeel/(backends|core|monitor)/")
        list(FIND components ${CMAKE_MATCH_1} target)
        if(target GREATER place)
          string(APPEND violations "  ${file} includes ${named}\n")
        endif()
      elseif(include MATCHES "evenkeel/evenkeel\\.hpp")
        string(APPEND violations "  ${file} includes the umbrella header\n")
      elseif(include MATCHES "\"\\.\\./")
        string(APPEND violations "  ${file} includes by a relative path\n")
      endif()
      if(include MATCHES "evenkeel/core/"
          AND file MATCHES "^monitor/include/evenkeel/monitor/(.*)\\.hpp$"
          AND NOT CMAKE_MATCH_1 IN_LIST sees_core)
        string(APPEND violations "  ${file} includes ${named}, and has no need to\n")
      endif()
    endforeach()
  endforeach()
endforeach()

# --- From the rooms of monitor to core -----------------------------------------------------------

file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/monitor/src/*.hpp ${ROOT}/monitor/src/*.cpp)
list(FILTER files EXCLUDE REGEX "^monitor/src/drive/")
foreach(file IN LISTS files)
  set(seen ${file})
  set(open ${file})
  while(open)
    list(POP_FRONT open header)
    include_lines(${header} includes)
    foreach(include IN LISTS includes)
      if(include MATCHES "evenkeel/core/" AND
         NOT include MATCHES "evenkeel/core/weights/load\\.hpp")
        string(REGEX REPLACE "^.*include[ \t]*" "" named "${include}")
        string(APPEND violations "  ${file} sees ${named}, by ${header}\n")
      endif()
      header_of_monitor("${include}" next)
      if(next AND NOT next IN_LIST seen)
        list(APPEND seen ${next})
        list(APPEND open ${next})
      endif()
    endforeach()
  endwhile()
endforeach()

if(files_read EQUAL 0)
  message(FATAL_ERROR "No sources were found below ${ROOT}.")
endif()
if(violations)
  message(FATAL_ERROR "Includes that point to the right of backends <- core <- monitor, or let "
    "other rooms of monitor than drive see core:\n${violations}")
endif()
message(STATUS "${files_read} files: includes point to the left; of monitor only drive sees core")
