// Undoes what HTTP did to a body, chunks and content codings, and says what the body is by its
// first bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crawl/codec/member_codec.h"
#include "crawl/read/page.h"
#include "crawl/read/page_reader.h"

namespace kith::crawl {

struct Dechunked {
  size_t size = 0;       // the body is now the first `size` bytes
  bool complete = true;  // false when the chunks end early or turn to nonsense
};

// Takes the chunk sizes out of a chunked body (RFC 9112, 7.1), in place. A body that begins
// with no chunk, the next one or the end behind it, was stored without its chunks and stays as it
// is; behind a broken chunk size the body ends.
Dechunked dechunk(std::span<char> body);

struct DecodedBody {
  Slice body = {};           // in the arena, or in the source when `in_source`
  bool in_source = false;    // nothing had to be undone
  bool cut = false;          // longer than the limit
  bool short_ = false;       // the coded bytes end early; what they gave stands
  const char* problem = "";  // not empty: the bytes are not what the coding promises
};

// Undoes content codings. Keeps its decompressors: use one per thread.
class PayloadDecoder {
 public:
  // Undoes the codings of a Content-Encoding value (gzip, x-gzip, deflate, br, zstd, identity;
  // at most four) on `coded`, a slice of `source`, into `out`, each time at most `limit` bytes.
  // A body without the magic of its coding was stored decoded and is taken as it is.
  DecodedBody decode(std::string_view codings, Arena& source, Slice coded, size_t limit,
                     Arena& out);

 private:
  DecodedBody undo(Codec codec, std::string_view coded, size_t limit, Arena& out);
  MemberDecoder& decoder(Codec codec);

  std::array<std::unique_ptr<MemberDecoder>, 5> decoders_;  // by Codec, made when first needed
  std::string scratch_;  // the input of the second coding and later ones
};

// Where a media type says text or nothing (the WHATWG MIME Sniffing Standard, sections 6 and 7;
// docs/formats/inputs.md). Pure.

// A kind of file, by bytes near its beginning.
struct Signature {
  std::string_view bytes;
  Skip kind;
  std::string_view name;  // "a PNG image"
  size_t offset = 0;
  bool is_codec = false;  // of what packs one file
};

// The signature with which a body begins; nullptr where it has none that is known.
const Signature* find_signature(std::string_view body);

// Whether the bytes are text in UTF-16: by their mark, or as every second one of Latin letters is
// NUL.
bool looks_like_utf16(std::string_view header);

// Under which kind a body is passed over that is no text: by its first bytes, or because they hold
// control characters; nothing for text. Text in UTF-16 is text.
std::optional<Skip> sniff_binary(std::string_view body);

// Whether a body begins with a member of gzip.
bool begins_with_gzip(std::string_view body);

// The kind of a media type that is of no text, such as image/png and application/pdf; nothing for
// others.
std::optional<Skip> binary_kind(std::string_view media_type);

}  // namespace kith::crawl
