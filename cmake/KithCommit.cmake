# Run at every build: writes OUTPUT, a header with the commit that SOURCE stands at and its date: where
# it is a git checkout of its own by git, in an archive of `git archive` by archived_commit.txt. Only a
# change is written, so that nothing is compiled for nothing.
set(commit "")
set(date "")
find_package(Git QUIET)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(top STREQUAL SOURCE)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --exclude=* --abbrev=12
      WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT_EXECUTABLE} log -1 --format=%cs WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(commit STREQUAL "")
  file(READ ${CMAKE_CURRENT_LIST_DIR}/archived_commit.txt archived)
  if(archived MATCHES "^([0-9a-f]+) ([0-9-]+)")
    set(date ${CMAKE_MATCH_2})
    string(SUBSTRING ${CMAKE_MATCH_1} 0 12 commit)
  endif()
endif()
set(header "#define KITH_COMMIT \"${commit}\"\n#define KITH_COMMIT_DATE \"${date}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT header STREQUAL before)
  file(WRITE ${OUTPUT} "${header}")
endif()
