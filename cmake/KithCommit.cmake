# Run at every build: writes OUTPUT, a header with the commit that SOURCE stands at, where it is a
# git checkout of its own. Only a change is written, so that nothing is compiled for nothing.
set(commit "")
find_package(Git QUIET)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(top STREQUAL SOURCE)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --exclude=* --abbrev=12
      WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(header "#define KITH_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT header STREQUAL before)
  file(WRITE ${OUTPUT} "${header}")
endif()
