// Rows of any bytes, through to pages: what the targets of JSON lines and CSV share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crawl/read/batch_decoder.h"
#include "crawl/read/byte_source.h"
#include "crawl/read/input_reader.h"

namespace kith::fuzz {

// make(stream, path) gives the reader.
template <class Make>
void read_row_pages(const uint8_t* data, size_t size, const Make& make) {
  using namespace crawl;
  constexpr uint64_t kMaxPage = 256;
  static const std::string path = "fuzz";
  static const RecordRules rules{.max_page = kMaxPage, .status = {}};
  static DecoderTools tools;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto stream = UnpackedStream::open(std::make_unique<MemorySource>(bytes), std::nullopt, 4096);
  if (!stream) return;
  const auto reader = make(std::move(stream).value(), path);
  PageBatch batch;
  Tally tally;
  BatchBuilder builder(batch, rules, tally);
  while (!builder.full() && reader->read(builder).value()) {
  }
  BatchDecoder decoder(builder, tools, batch, tally);
  decoder.decode();
  decoder.admit({});
  decoder.hand_out();
  for (const Page& page : batch.pages) {
    if (page.url.empty() || page.body.empty() || page.body.size() > kMaxPage) __builtin_trap();
  }
}

}  // namespace kith::fuzz
