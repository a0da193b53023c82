# evenkeel_unite(<target> <source>...)
#
# Compiles the sources that are in the same folder together, which takes a third of the time: they
# include the same headers, and instantiate the same templates. So a name in an unnamed namespace
# must be unique in its folder. CMAKE_UNITY_BUILD=OFF compiles sources one by one.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(EVENKEEL_UNITY ${PROJECT_IS_TOP_LEVEL})
else()
  set(EVENKEEL_UNITY ${CMAKE_UNITY_BUILD})
endif()

function(evenkeel_unite target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${EVENKEEL_UNITY} UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # GCC takes an included source for a header
    target_compile_options(${target} PRIVATE $<$<BOOL:${EVENKEEL_UNITY}>:-Wno-subobject-linkage>)
  endif()
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} ABSOLUTE)
    get_filename_component(folder ${folder} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "in ${folder}" folder)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endfunction()
