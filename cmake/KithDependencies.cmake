# Every library that kith links. Each is used by the module named here and by no other;
# the Debian packages that bring them stand in tools/packages.txt.
if(KITH_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(CMAKE_SKIP_RPATH ON)  # glibc refuses to start a static program that has one
  set(Boost_USE_STATIC_LIBS ON)
  list(PREPEND CMAKE_PREFIX_PATH ${PROJECT_SOURCE_DIR}/build/static-libraries)
endif()
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)                               # parallel
find_package(fmt REQUIRED)                                   # base and the command line
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)   # base: hashes
find_package(nlohmann_json REQUIRED)                         # pipeline: manifest and reports; cli
# In the place of its header, and including it: see there.
target_include_directories(nlohmann_json::nlohmann_json SYSTEM BEFORE INTERFACE
  ${PROJECT_SOURCE_DIR}/cmake/headers)
find_package(CLI11 REQUIRED)                                 # apps/cli, bench
find_path(TOMLPLUSPLUS toml++/toml.h REQUIRED)                # apps/cli: --config; its headers alone
find_package(simdjson REQUIRED)                              # crawl: JSONL; text: UTF-8 validation
find_package(Boost 1.81 REQUIRED COMPONENTS url)             # hash maps, pdqsort; sketch: Math; apps/server: Beast, URL
find_package(ICU 72 REQUIRED COMPONENTS uc i18n data)        # text: charsets, IDNA, segmentation
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)     # crawl: gzip
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)        # crawl: deflate, and gzip where ISA-L is absent
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)     # crawl: zstd; storage: blocks of shards
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec) # crawl: Content-Encoding: br
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)     # crawl: .xz
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)       # crawl: .lz4
find_package(BZip2 REQUIRED)                                 # crawl: .bz2
pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive) # crawl: zip files and tars
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)           # run: patterns of URLs
pkg_check_modules(UCHARDET REQUIRED IMPORTED_TARGET uchardet) # text: charset detection
find_library(STEMMER_LIBRARY stemmer REQUIRED)               # text: stemming
find_library(LINEAR_LIBRARY linear REQUIRED)                 # classify: LIBLINEAR
find_library(CLD2_LIBRARY cld2 REQUIRED)                     # text: language detection
if(KITH_STATIC)
  # What the shared ones bring with them, or have in a file of another name.
  find_library(BROTLICOMMON_LIBRARY brotlicommon REQUIRED)
  set_property(TARGET PkgConfig::BROTLI APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${BROTLICOMMON_LIBRARY})
  find_library(NETTLE_LIBRARY nettle REQUIRED)
  set_property(TARGET PkgConfig::LIBARCHIVE APPEND PROPERTY INTERFACE_LINK_LIBRARIES
    ${NETTLE_LIBRARY} PkgConfig::LZMA PkgConfig::ZSTD BZip2::BZip2 PkgConfig::ZLIB)
  find_library(BLAS_LIBRARY blas REQUIRED)
  list(APPEND LINEAR_LIBRARY ${BLAS_LIBRARY})
  foreach(name fmt simdjson)
    find_library(STATIC_${name} ${name} REQUIRED)
    get_target_property(configurations ${name}::${name} IMPORTED_CONFIGURATIONS)
    foreach(configuration ${configurations})
      set_property(TARGET ${name}::${name} PROPERTY IMPORTED_LOCATION_${configuration} ${STATIC_${name}})
    endforeach()
  endforeach()
endif()
if(KITH_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(KITH_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
