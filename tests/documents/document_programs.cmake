# evenkeel_add_document(<page>): compiles all blocks of ```cpp of a page, given by its path.
#
# A block is of one of three kinds, by how it begins:
#   // name.cpp   a program that runs on three ranks; // name.hpp is for the blocks after it
#   #include      a whole file, which must compile as it is
#   else          a fragment, which must compile in the place where a reader would put it: among
#                 declarations if it declares functions or templates, and otherwise in a function.
#                 given/<page>.hpp, or else given/any_page.hpp, declares what it uses.
#
# Blocks of other languages are left alone; use ```c++ for code that needs other libraries. The
# fragments of a page are one source of the target document_fragments. Errors name the lines of the
# page.

# Fragments cost time, and would show nothing new in other builds.
set(EVENKEEL_COMPILES_FRAGMENTS OFF)
if(EVENKEEL_ENABLE_MPI AND NOT EVENKEEL_SANITIZE AND NOT EVENKEEL_TEST_RANKS)
  set(EVENKEEL_COMPILES_FRAGMENTS ON)
endif()

function(_evenkeel_add_file page name block)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${page})
  file(CONFIGURE OUTPUT ${directory}/${name} CONTENT "${block}" @ONLY)
  if(name MATCHES "hpp$" OR (block MATCHES "MPI_" AND NOT EVENKEEL_ENABLE_MPI))
    return()
  endif()
  string(REGEX REPLACE "\\.cpp$" "" base "${name}")
  string(REPLACE "/" "_" target "document_${page}_${base}")
  if(NOT block MATCHES "^// ")
    add_library(${target} OBJECT ${directory}/${name})
  else()
    add_executable(${target} ${directory}/${name})
    evenkeel_test_launcher(3 launcher)
    add_test(NAME documents/${page}/${base} COMMAND ${launcher} $<TARGET_FILE:${target}>)
    set_tests_properties(documents/${page}/${base} PROPERTIES
      PROCESSORS 3 TIMEOUT 60 ENVIRONMENT "${EVENKEEL_TEST_ENVIRONMENT}")
  endif()
  target_link_libraries(${target} PRIVATE evenkeel::evenkeel evenkeel::extras)
  evenkeel_set_warnings(${target})
endfunction()

# Sets `result` to whether a fragment belongs among declarations: it has a template or the body of a
# function, or it has types and no statement.
function(_evenkeel_are_declarations block result)
  string(REGEX REPLACE "//[^\n]*" "" code "${block}")
  string(REGEX REPLACE "\"[^\"\n]*\"" "text" code "${code}")
  set(before "")
  while(NOT code STREQUAL before)
    set(before "${code}")
    string(REGEX REPLACE "\\([^()]*\\)" "@" code "${code}")  # also over several lines
  endwhile()
  set(code "\n${code}")
  string(REGEX REPLACE "\n(if|for|while|switch|else|do|return)[ @]" "\nstatement@; " code "${code}")
  set(${result} OFF PARENT_SCOPE)
  if(code MATCHES "\n(template|namespace) "
      OR code MATCHES "\n[A-Za-z_][^=;{}\n]*@( const| noexcept)* {"
      OR (code MATCHES "\n(struct|class|enum) " AND NOT code MATCHES "\n[A-Za-z_.:]+@"))
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

function(evenkeel_add_document page)
  set(source ${PROJECT_SOURCE_DIR}/${page})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  string(REGEX REPLACE "^docs/|\\.md$" "" name "${page}")
  string(REPLACE "/" "_" flat "${name}")
  set(given given/any_page.hpp)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/given/${flat}.hpp)
    set(given given/${flat}.hpp)
  endif()
  set(fragments "#include \"${given}\"\n")
  set(has_fragments OFF)

  file(READ ${source} text)
  string(REGEX REPLACE "^```cpp\n" "\n```cpp\n" rest "\n${text}")
  set(number 0)
  set(line 0)  # of the page, before `rest`
  while(TRUE)
    string(FIND "${rest}" "\n```cpp\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    math(EXPR number "${number} + 1")
    math(EXPR begin "${begin} + 8")
    string(SUBSTRING "${rest}" 0 ${begin} before)
    string(REGEX MATCHALL "\n" ends "${before}")
    list(LENGTH ends count)
    math(EXPR line "${line} + ${count}")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n```" end)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${rest}" 0 ${end} block)
    if(block MATCHES "^// ([a-z_]+\\.[ch]pp)\n")
      _evenkeel_add_file(${name} ${CMAKE_MATCH_1} "${block}")
    elseif(block MATCHES "^#include")
      _evenkeel_add_file(${name} block_${number}.cpp "${block}")
    else()
      set(has_fragments ON)
      _evenkeel_are_declarations("${block}" are_declarations)
      if(are_declarations)
        string(APPEND fragments "#line ${line} \"${source}\"\n${block}")
      else()
        string(APPEND fragments
          "void fragment_${number}() {\n#line ${line} \"${source}\"\n${block};\n}\n")
      endif()
    endif()
    string(REGEX MATCHALL "\n" ends "${block}")
    list(LENGTH ends count)
    math(EXPR line "${line} + ${count}")
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(PREPEND rest "\n")
    math(EXPR line "${line} - 1")
  endwhile()

  if(has_fragments AND EVENKEEL_COMPILES_FRAGMENTS)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/fragments/${flat}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${fragments}" @ONLY)
    if(NOT TARGET document_fragments)
      add_library(document_fragments OBJECT)
      target_include_directories(document_fragments PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
      target_link_libraries(document_fragments
        PRIVATE evenkeel::evenkeel evenkeel::extras GTest::gtest)
      evenkeel_set_test_build(document_fragments)
      target_compile_options(document_fragments PRIVATE -w)  # unused names are fine
    endif()
    target_sources(document_fragments PRIVATE ${file})
  endif()
endfunction()
