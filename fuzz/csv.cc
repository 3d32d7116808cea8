// CSV of any bytes, through to pages.
#include <utility>

#include "fuzz/row_pages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kith::fuzz::read_row_pages(data, size, [](kith::crawl::UnpackedStream stream, const auto& path) {
    return kith::crawl::make_csv_reader(std::move(stream), path);
  });
  return 0;
}
