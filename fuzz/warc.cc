// WARC and ARC files of any bytes, plain or packed, through to decoded pages. The first byte
// chooses the format.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "crawl/read/batch_decoder.h"
#include "crawl/read/byte_source.h"
#include "crawl/read/input_reader.h"
#include "crawl/read/json_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kith::crawl;
  if (size == 0) return 0;
  constexpr uint64_t kMaxPage = 4096;
  static const std::string path = "fuzz";
  static const RecordRules rules{.max_page = kMaxPage, .status = {}};
  static DecoderTools tools;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const ArchiveFormat format = data[0] % 2 == 0 ? ArchiveFormat::warc : ArchiveFormat::arc;

  auto stream =
      UnpackedStream::open(std::make_unique<kith::crawl::MemorySource>(bytes), std::nullopt, 4096);
  if (!stream) return 0;
  const auto reader = make_archive_reader(std::move(stream).value(), path, format);
  PageBatch batch;
  Tally tally;
  BatchBuilder builder(batch, rules, tally);
  while (!builder.full() && reader->read(builder).value()) {
  }
  BatchDecoder decoder(builder, tools, batch, tally);
  decoder.decode();
  decoder.admit({});
  decoder.hand_out();
  uint64_t skipped = 0;
  for (const uint64_t count : tally.counts.skipped) skipped += count;
  for (const Page& page : batch.pages) {
    if (page.body.empty() != (page.kind == PageKind::redirect)) __builtin_trap();
    if (page.body.size() > kMaxPage) __builtin_trap();
  }
  // Every record is a page or counted (a redirect is both); damage between records adds.
  if (batch.pages.size() + skipped < tally.counts.records) __builtin_trap();
  return 0;
}
