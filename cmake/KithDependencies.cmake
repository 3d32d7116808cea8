# Every library that kith links. Each is used by the module named here and by no other;
# the Debian packages that bring them stand in tools/packages.txt.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)                               # parallel
find_package(fmt REQUIRED)                                   # base and the command line
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)   # base: hashes
find_package(nlohmann_json REQUIRED)                         # pipeline: manifest and reports; cli
find_package(CLI11 REQUIRED)                                 # apps/cli, bench
find_package(simdjson REQUIRED)                              # crawl: JSONL; text: UTF-8 validation
find_package(Boost 1.81 REQUIRED COMPONENTS url)             # hash maps, pdqsort; sketch: Boost.Math; apps/server: Beast, URL
find_package(ICU 72 REQUIRED COMPONENTS uc i18n data)        # text: charsets, IDNA, segmentation
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)     # crawl: gzip
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)        # crawl: deflate, and gzip where ISA-L is absent
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)     # crawl: zstd; storage: blocks of shards
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec) # crawl: Content-Encoding: br
pkg_check_modules(UCHARDET REQUIRED IMPORTED_TARGET uchardet) # text: charset detection
find_library(STEMMER_LIBRARY stemmer REQUIRED)               # text: stemming
find_library(LINEAR_LIBRARY linear REQUIRED)                 # classify: LIBLINEAR
find_library(CLD2_LIBRARY cld2 REQUIRED)                     # text: language detection
if(KITH_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(KITH_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
