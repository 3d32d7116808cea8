# The library as other projects use it: kith::kith, one shared library of all rooms except distributed, with the headers
# of include/kith, a CMake package and a pkg-config file (docs/library.md). Programs of this project
# link the rooms themselves. Not made with sanitizers, since
# programs without them could not link it, nor of static libraries.
if(KITH_SANITIZE OR KITH_STATIC)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY KITH_ROOMS)
set(objects)
foreach(room ${rooms})
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()
add_library(kith_shared SHARED ${objects})
add_library(kith::kith ALIAS kith_shared)
# Before 1.0 any minor version may change what programs were built against.
set_target_properties(kith_shared PROPERTIES OUTPUT_NAME kith EXPORT_NAME kith
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(kith_shared INTERFACE cxx_std_20)
target_include_directories(kith_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(kith_shared PRIVATE $<BUILD_INTERFACE:kith_answers kith_api>)
target_link_options(kith_shared PRIVATE LINKER:--no-undefined LINKER:--exclude-libs,ALL)

install(TARGETS kith_shared EXPORT kithTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kith DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/kith)
install(EXPORT kithTargets NAMESPACE kith:: FILE kithTargets.cmake DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kithConfig.cmake.in
  ${PROJECT_BINARY_DIR}/kithConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kithConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kithConfig.cmake ${PROJECT_BINARY_DIR}/kithConfigVersion.cmake
  DESTINATION ${package})
# Paths beside the file itself, so that an installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE prefix_of_pkgconfig)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kith.pc.in ${PROJECT_BINARY_DIR}/kith.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kith.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
