# evenkeel_add_component(<name> SOURCES <file>... [DEPENDS <target>...] [STANDARD]
#                        [HEADERS <file>...])
#
# Adds the library evenkeel_<name> (alias evenkeel::<name>) of the component in this directory, with
# hidden visibility, the warnings of the project and install rules. include/ has its public headers,
# which are installed. internal/ has headers that components share, which are not installed. src/
# has private code.
# STANDARD: the library needs only the C++ standard library. The package exports it also where no
# other library is installed.
# HEADERS names the public headers below include/evenkeel, if these are not all that are there.
include(EvenkeelPrecompile)
include(EvenkeelUnity)
include(EvenkeelWarnings)

# Components, tests, benches and tools of this tree link this. It adds the internal headers, whose
# symbols are exported like public ones.
set(evenkeel_internal_directories "")
foreach(component IN ITEMS backends core monitor)
  list(APPEND evenkeel_internal_directories ${PROJECT_SOURCE_DIR}/${component}/internal)
endforeach()
add_library(evenkeel_internal INTERFACE)
target_include_directories(evenkeel_internal INTERFACE ${evenkeel_internal_directories})
target_compile_definitions(evenkeel_internal INTERFACE EVENKEEL_INTERNAL)

function(evenkeel_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STANDARD" "" "SOURCES;DEPENDS;HEADERS")
  set(target evenkeel_${name})
  add_library(${target} ${arg_SOURCES})
  add_library(evenkeel::${name} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${evenkeel_internal_directories} ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE EVENKEEL_INTERNAL)
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS})
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN"  # finds the other libraries; CMake adds the path of Kokkos
    INSTALL_RPATH_USE_LINK_PATH ON
    EXPORT_NAME ${name})
  evenkeel_set_warnings(${target})
  evenkeel_unite(${target} ${arg_SOURCES})
  set(export evenkeelStandardTargets)
  if(NOT arg_STANDARD)
    set(export evenkeelTargets)
    evenkeel_precompile(${target}
      <Kokkos_Core.hpp> <algorithm> <cmath> <functional> <map> <optional> <string> <vector>)
  endif()
  if(EVENKEEL_INSTALL)
    install(TARGETS ${target} EXPORT ${export}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    foreach(header IN LISTS arg_HEADERS)
      get_filename_component(folder ${header} DIRECTORY)
      install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/include/evenkeel/${header}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/evenkeel/${folder})
    endforeach()
    if(NOT arg_HEADERS)
      install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/evenkeel
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
    endif()
  endif()
endfunction()
