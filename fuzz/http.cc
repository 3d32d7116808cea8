// HTTP heads, media types, chunks and content codings of any bytes. The first byte chooses the
// codings, the rest is a head and a body.
#include "crawl/read/http.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "crawl/read/payload.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kith::crawl;
  if (size == 0) return 0;
  constexpr size_t kLimit = 4096;
  constexpr std::string_view kCodings[] = {"gzip",       "deflate",         "br",      "zstd",
                                           "gzip, zstd", "br,deflate,gzip", "x-gzip,", ""};
  static PayloadDecoder decoder;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t length = header_length(bytes);
  std::string body(bytes);
  if (length != std::string_view::npos) {
    if (length > bytes.size()) __builtin_trap();
    const auto head = parse_http_head(bytes.substr(0, length));
    if (head) parse_media_type(head->content_type);
    body.erase(0, length);
  }
  if (data[0] & 8) {
    const Dechunked chunks = dechunk(body);
    if (chunks.size > body.size()) __builtin_trap();
    body.resize(chunks.size);
  }
  Arena source(body);
  const Slice coded = source.take(body.size());
  std::string decoded;
  Arena out(decoded);
  const DecodedBody result = decoder.decode(kCodings[data[0] & 7], source, coded, kLimit, out);
  if (!result.in_source && result.body.size > kLimit) __builtin_trap();
  return 0;
}
