# The web page of kith serve: npm brings esbuild and what the page uses, esbuild makes its files. The types of answers
# are made of openapi.json.
# Sets web_page, the folder of these. All is done in the build folder.
find_program(NPM_PROGRAM npm)
if(NPM_PROGRAM)
  set(has_npm ON)
else()
  set(has_npm OFF)
endif()
option(KITH_BUILD_WEB "Build the web page of kith serve, by npm" ${has_npm})
if(KITH_BUILD_WEB AND NOT NPM_PROGRAM)
  message(FATAL_ERROR "KITH_BUILD_WEB needs npm (Debian: apt-get install npm); "
    "with -D KITH_BUILD_WEB=OFF 'kith serve' has no page, only its API")
endif()
set(web_page ${CMAKE_CURRENT_BINARY_DIR}/web/dist)
if(NOT KITH_BUILD_WEB)
  message(STATUS "kith serve is built without its web page (KITH_BUILD_WEB)")
  return()
endif()

set(web_source ${CMAKE_CURRENT_SOURCE_DIR}/web)
set(web_build ${CMAKE_CURRENT_BINARY_DIR}/web)
set(web_packages ${web_source}/package.json ${web_source}/package-lock.json)
file(MAKE_DIRECTORY ${web_build})
add_custom_command(OUTPUT ${web_build}/installed
  COMMAND ${CMAKE_COMMAND} -E copy ${web_packages} .
  COMMAND ${NPM_PROGRAM} ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch installed
  WORKING_DIRECTORY ${web_build} DEPENDS ${web_packages}
  COMMENT "Installing what the web page is built with (-D KITH_BUILD_WEB=OFF does without)" VERBATIM)

file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web_source}/src/*)
set(web_parts ${web_source}/build.mjs ${web_source}/index.html ${web_source}/report.html ${web_source}/tsconfig.json
  ${CMAKE_CURRENT_SOURCE_DIR}/openapi.json)
list(APPEND web_sources ${web_parts})
set(web_files ${web_page}/report.html)
foreach(name index.html app.js app.css)
  list(APPEND web_files ${web_page}/${name} ${web_page}/${name}.gz ${web_page}/${name}.hash)
endforeach()
add_custom_command(OUTPUT ${web_files}
  COMMAND ${CMAKE_COMMAND} -E rm -rf src dist
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${web_source}/src src
  COMMAND ${CMAKE_COMMAND} -E copy ${web_parts} .
  COMMAND ${NPM_PROGRAM} run --silent build
  WORKING_DIRECTORY ${web_build} DEPENDS ${web_build}/installed ${web_sources}
  COMMENT "Building the web page" VERBATIM)
