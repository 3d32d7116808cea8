# `cpack` in a build folder makes kith_VERSION_ARCHITECTURE.deb: the program, manual pages, completions,
# the library, its headers, CMake package and pkg-config file. The preset `package` installs to /usr.
set(KITH_PACKAGE_CONTACT "The kith authors <kith@example.org>" CACHE STRING
  "The maintainer that the Debian package names")

include(GNUInstallDirs)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kith)
set(CPACK_PACKAGE_VENDOR "The kith authors")
set(CPACK_PACKAGE_CONTACT ${KITH_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find the pages of a web crawl that belong together")
string(JOIN "\n" CPACK_PACKAGE_DESCRIPTION
  "kith turns a web crawl (WARC, ARC, WET, WAT, JSON lines, folders of HTML) into"
  "clusters with labels, a tree of topics, the most related pages of every page,"
  "and near-duplicates. Every similarity in its results is computed exactly."
  "."
  "This package has the program, and the C++20 library with its headers.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/KithDebianFiles.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# CPack calls ldconfig in scripts, but Debian wants a trigger, too.
set(control ${PROJECT_BINARY_DIR}/debian)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT ${control}/shlibs
  CONTENT "libkith ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} kith (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake | pkg-config")
include(CPack)
