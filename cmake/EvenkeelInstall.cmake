# Install rules: targets, the generated header, and a package that find_package(evenkeel) accepts.
include(CMakePackageConfigHelpers)

set(evenkeel_package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/evenkeel)

install(EXPORT evenkeelStandardTargets NAMESPACE evenkeel::
  DESTINATION ${evenkeel_package_directory})
if(NOT EVENKEEL_ONLY_ASSIGN)
  install(TARGETS evenkeel EXPORT evenkeelTargets)
  install(EXPORT evenkeelTargets NAMESPACE evenkeel:: DESTINATION ${evenkeel_package_directory})
endif()

configure_package_config_file(cmake/evenkeelConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/evenkeelConfig.cmake
  INSTALL_DESTINATION ${evenkeel_package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/evenkeelConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/package/evenkeelConfig.cmake
        ${PROJECT_BINARY_DIR}/package/evenkeelConfigVersion.cmake
        cmake/EvenkeelKokkos.cmake
  DESTINATION ${evenkeel_package_directory})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/evenkeel)
