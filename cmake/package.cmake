# What find_package(vstream) finds after `cmake --install`: the target vstream::vstream and the public headers.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/vstream")
install(TARGETS vstream vstream_proto EXPORT vstreamTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY lib/include/vstream DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT vstreamTargets NAMESPACE vstream:: DESTINATION ${package_dir})
configure_package_config_file(cmake/vstreamConfig.cmake.in vstreamConfig.cmake INSTALL_DESTINATION ${package_dir})
# Until 1.0 the interface may change with each minor version.
write_basic_package_version_file(vstreamConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/vstreamConfig.cmake" "${PROJECT_BINARY_DIR}/vstreamConfigVersion.cmake"
        DESTINATION ${package_dir})
