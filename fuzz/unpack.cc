// Files of gzip members, zstd frames, with dictionaries, and members of other codecs, of any bytes:
// the stream must come to its end in bounded steps, and small blocks must give the bytes of large
// ones. The first byte says what the file's name promises.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crawl/read/byte_source.h"
#include "crawl/read/unpacked_stream.h"

namespace {

using namespace kith::crawl;

constexpr size_t kMost = 4u << 20;
// More than an input has. Blocks of what the sanitizer maps anew at every request are slow.
constexpr size_t kLargeBlock = 128u << 10;

struct Outcome {
  std::string bytes;
  bool whole = false;  // read to the end without damage
};

Outcome unpack(std::string_view file, std::optional<Codec> codec, size_t block) {
  Outcome outcome;
  auto opened =
      UnpackedStream::open(std::make_unique<kith::crawl::MemorySource>(file), codec, block);
  if (!opened) return outcome;
  UnpackedStream stream = std::move(opened).value();
  outcome.whole = true;
  for (size_t segments = 0; segments <= file.size() + 1; ++segments) {
    while (stream.fill().value()) {
      if (stream.file_offset() > file.size()) __builtin_trap();
      outcome.bytes += stream.window();
      stream.consume(stream.window().size());
      if (outcome.bytes.size() > kMost) return {};
    }
    outcome.whole &= stream.problem().empty();
    if (!stream.next_segment().value()) return outcome;
  }
  __builtin_trap();  // more segments than bytes
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr std::optional<Codec> kNamed[] = {std::nullopt, Codec::gzip, Codec::zstd,
                                             Codec::bzip2, Codec::xz,   Codec::lz4};
  const std::optional<Codec> codec = kNamed[data[0] % 6];
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome large = unpack(file, codec, kLargeBlock);
  const Outcome small = unpack(file, codec, 4096);
  // Behind damage, how far back the next member is searched for depends on the block.
  if (large.whole && small.whole && large.bytes != small.bytes) __builtin_trap();
  if (large.whole != small.whole) __builtin_trap();
  return 0;
}
