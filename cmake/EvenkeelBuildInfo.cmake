# evenkeel_describe_build(<commit> <options>)
#
# Sets both variables to what build_info() returns: the commit of the sources when CMake ran, and
# the options of CMake that differ between builds of the library.
function(evenkeel_describe_build commit options)
  # `git archive` writes its commit here.
  set(found "$Format:%H$")
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(COMMAND git describe --always --abbrev=40 --exclude=* --dirty
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT found MATCHES "^[0-9a-f]+(-dirty)?$")
    set(found "")
  endif()
  set(${commit} "${found}" PARENT_SCOPE)

  set(listed "")
  get_directory_property(names CACHE_VARIABLES)
  foreach(name IN LISTS names)
    get_property(type CACHE ${name} PROPERTY TYPE)
    if(name MATCHES "^(BUILD_SHARED_LIBS|CMAKE_BUILD_TYPE|EVENKEEL_.*)$"
        AND NOT name MATCHES "^EVENKEEL_(BUILD|INSTALL|TEST_(RANKS|DRAW|SPACES))"
        AND type MATCHES "BOOL|STRING"
        AND NOT "$CACHE{${name}}" STREQUAL "")
      list(APPEND listed "-D${name}=$CACHE{${name}}")
    endif()
  endforeach()
  list(SORT listed)
  list(JOIN listed " " listed)
  set(${options} "${listed}" PARENT_SCOPE)
endfunction()
