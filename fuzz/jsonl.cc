// JSONL of any bytes, through to unescaped pages.
#include <utility>

#include "fuzz/row_pages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kith::fuzz::read_row_pages(data, size, [](kith::crawl::UnpackedStream stream, const auto& path) {
    return kith::crawl::make_jsonl_reader(std::move(stream), path);
  });
  return 0;
}
