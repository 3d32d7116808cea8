# One function a kind of target, so that every folder's CMakeLists.txt is one or two lines.

# Flags that every kith target is compiled with.
add_library(kith_flags INTERFACE)
target_include_directories(kith_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(kith_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Wimplicit-fallthrough $<$<BOOL:${KITH_WERROR}>:-Werror>)
# Other processors than x86-64 multiply and add in one instruction, rounded once: files would differ by
# the last bits of doubles.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(kith_flags INTERFACE -ffp-contract=off)
endif()
# Where one source includes others, GCC takes them for headers, and their names for global ones.
if(KITH_TOGETHER)
  target_compile_options(kith_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-shadow -Wshadow=local -Wno-subobject-linkage>)
endif()
if(KITH_SANITIZE)
  target_compile_options(kith_flags INTERFACE
    -fsanitize=${KITH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kith_flags INTERFACE -fsanitize=${KITH_SANITIZE})
endif()

# kith_precompile(TARGET [header...])
#   Has these headers read once for the target; by default those of the standard library that most
#   sources include, once for all targets: that is half of the time of most sources.
#   tools/check_alone.py reads every file without them, and so finds what is not included.
if(NOT KITH_TOGETHER)
  add_library(kith_std_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/std_headers.cc)
  target_link_libraries(kith_std_headers PRIVATE kith_flags)
  target_precompile_headers(kith_std_headers PRIVATE ${CMAKE_CURRENT_LIST_DIR}/std_headers.h)
  target_compile_options(kith_std_headers PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
endif()
function(kith_precompile target)
  if(KITH_TOGETHER)
    return()
  elseif(ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM kith_std_headers)
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# kith_together(TARGET)
#   Sources of a folder of a target are compiled KITH_TOGETHER at a time, as one. So no two unnamed
#   namespaces of a folder may have the same name for different things. A source with properties of
#   its own, such as SKIP_UNITY_BUILD_INCLUSION, is compiled alone, and all of a target with UNITY_BUILD
#   OFF. CMake's own UNITY_BUILD would do, but for the absolute paths in what it writes: ccache finds
#   nothing of that again in another folder. For the same reason no headers are precompiled then.
function(kith_together target)
  if(KITH_TOGETHER)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    cmake_language(EVAL CODE "cmake_language(DEFER CALL kith_join_sources ${target})")
  endif()
endfunction()
function(kith_join_sources target)
  get_target_property(joins ${target} UNITY_BUILD)
  if(joins STREQUAL OFF)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cc$")
  list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
  list(SORT sources)
  foreach(source ${sources})
    set(alone FALSE)
    foreach(property SKIP_UNITY_BUILD_INCLUSION COMPILE_OPTIONS COMPILE_DEFINITIONS OBJECT_DEPENDS)
      get_source_file_property(value ${source} ${property})
      if(value)
        set(alone TRUE)
      endif()
    endforeach()
    if(alone)
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR batch "0${number_of_${folder}} / ${KITH_TOGETHER}")
    math(EXPR number_of_${folder} "0${number_of_${folder}} + 1")
    set(batch ${folder}_${batch})
    list(APPEND batches ${batch})
    string(APPEND text_${batch} "#include \"${path}\"\n")
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch ${batches})
    set(joined ${CMAKE_CURRENT_BINARY_DIR}/${target}_of_${batch}.cc)
    file(CONFIGURE OUTPUT ${joined} CONTENT "${text_${batch}}" @ONLY)
    target_sources(${target} PRIVATE ${joined})
  endforeach()
endfunction()

# kith_module(NAME [DEPS module...] [LIBS imported-target...])
#   A static library kith_NAME of every *.cc in the calling folder and below. The rooms so far stand in
#   the global property KITH_ROOMS.
function(kith_module name)
  cmake_parse_arguments(arg "" "" "DEPS;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(TRANSFORM arg_DEPS PREPEND kith_)
  add_library(kith_${name} STATIC ${sources})
  target_link_libraries(kith_${name} PUBLIC kith_flags ${arg_DEPS} PRIVATE ${arg_LIBS})
  kith_precompile(kith_${name})
  kith_together(kith_${name})
  set_property(GLOBAL APPEND PROPERTY KITH_ROOMS kith_${name})
endfunction()

# kith_test(NAME FOLDERS folder... [LIBS imported-target...])
#   A GoogleTest program test_NAME of every *.cc in these folders of tests/unit, which test the
#   rooms of the same names, where there are such.
function(kith_test name)
  cmake_parse_arguments(arg "" "" "FOLDERS;LIBS" ${ARGN})
  set(sources)
  set(modules)
  foreach(folder ${arg_FOLDERS})
    file(GLOB some CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
    list(APPEND sources ${some})
    string(REGEX REPLACE "/.*" "" room ${folder})
    if(TARGET kith_${room})
      list(APPEND modules kith_${room})
    endif()
  endforeach()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ${modules} kith_test_support ${arg_LIBS}
    rapidcheck GTest::gmock GTest::gtest_main)
  kith_together(test_${name})
  # The headers of the test libraries take longer than most tests: read once for all programs.
  if(NOT KITH_TOGETHER)
    if(TARGET test_base AND NOT name STREQUAL base)
      target_precompile_headers(test_${name} REUSE_FROM test_base)
    else()
      target_precompile_headers(test_${name} PRIVATE
        <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h>)
    endif()
  endif()
  # ccache wants the first. The others: GCC 12 sees overflows in std::string where there are none
  # (its bug 105651 and relatives); AddressSanitizer looks for those that are.
  target_compile_options(test_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
  # What a fuzzer wants to know of programs that none reads takes a tenth of the time.
  target_compile_options(test_${name} PRIVATE
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:${KITH_BUILD_FUZZ}>>:-fno-sanitize=fuzzer-no-link>)
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
