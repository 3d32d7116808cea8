// Decompression behind one interface, of gzip (ISA-L or zlib), zlib, raw deflate, zstd, brotli,
// bzip2, xz and lz4, and compression of one gzip member or zstd frame after the other. A member is
// a self-contained unit: a gzip member, a zstd frame, a stream of brotli, bzip2 or xz.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kith::crawl {

enum class DecodeState : uint8_t {
  more,  // call again with more input or more room
  end,   // the member is complete and its checksum holds
  bad,   // the bytes are no valid member; what was produced before stands
};

struct DecodeStep {
  size_t consumed = 0;
  size_t produced = 0;
  DecodeState state = DecodeState::more;
  const char* problem = "";  // static text, for DecodeState::bad
};

// Decodes one member after the other. Not thread-safe.
class MemberDecoder {
 public:
  virtual ~MemberDecoder() = default;

  // Forgets everything: the next byte is the first of a member.
  virtual void begin() = 0;

  // Decodes some of `in` into `out` (not empty). A step in state `more` that neither consumes
  // nor produces waits for input; with none left, the member is cut.
  virtual DecodeStep decode(std::string_view in, std::span<char> out) = 0;
};

enum class Codec : uint8_t { gzip, zlib, deflate, zstd, brotli, bzip2, xz, lz4 };

// What files are packed with, known by the first bytes of a member.
struct FileCodec {
  Codec codec;
  std::string_view name;      // "gzip"
  std::string_view suffix;    // of file names: ".gz"
  const char* no_member;      // where a member should begin: "bytes that are no gzip member"
  const char* cut_in_member;  // "the file ends inside a gzip member"
};
inline constexpr std::array<FileCodec, 5> kFileCodecs = {{
    {Codec::gzip, "gzip", ".gz", "bytes that are no gzip member",
     "the file ends inside a gzip member"},
    {Codec::zstd, "zstd", ".zst", "bytes that are no zstd frame",
     "the file ends inside a zstd frame"},
    {Codec::bzip2, "bzip2", ".bz2", "bytes that are no bzip2 stream",
     "the file ends inside a bzip2 stream"},
    {Codec::xz, "xz", ".xz", "bytes that are no xz stream", "the file ends inside an xz stream"},
    {Codec::lz4, "lz4", ".lz4", "bytes that are no lz4 frame", "the file ends inside an lz4 frame"},
}};

// REQUIRES: one of them.
const FileCodec& file_codec(Codec codec);

// The fastest decoder of this build; of zstd, for payloads. Throws std::bad_alloc when memory is
// out.
std::unique_ptr<MemberDecoder> make_decoder(Codec codec);

// The gzip back ends, for the tests that compare them. ISA-L is absent (nullptr) off x86-64:
// its aarch64 decoder has a bug up to version 2.31.
std::unique_ptr<MemberDecoder> make_isal_gzip_decoder();
// codec: gzip, zlib or deflate.
std::unique_ptr<MemberDecoder> make_zlib_decoder(Codec codec);
std::unique_ptr<MemberDecoder> make_brotli_decoder();
std::unique_ptr<MemberDecoder> make_bzip2_decoder();
// Refuses streams that need more than kXzMemory bytes.
std::unique_ptr<MemberDecoder> make_xz_decoder();
std::unique_ptr<MemberDecoder> make_lz4_decoder();

// A dictionary of 128 MiB, twice that of `xz -9`, and what the decoder needs besides.
inline constexpr uint64_t kXzMemory = 129u << 20;

// The largest windows that zstd frames may ask for, as powers of two: 8 MiB in HTTP (RFC 9659),
// 128 MiB in files (zstd's own bound without --long).
inline constexpr int kZstdPayloadWindow = 23;
inline constexpr int kZstdFileWindow = 27;

// Refuses frames with larger windows. `dictionary` is copied; empty for none.
std::unique_ptr<MemberDecoder> make_zstd_decoder(int window_log, std::string_view dictionary = {});

// The frame at the beginning of a .warc.zst that holds the dictionary of all others.
inline constexpr std::string_view kZstdDictionaryFrame("\x5d\x2a\x4d\x18", 4);
// A dictionary is at most this long, twice what readers must take.
inline constexpr size_t kMaxZstdDictionary = 16u << 20;

// The dictionary in the content of such a frame, where it may be packed itself (IIPC, "Zstandard
// Compression for WARC Files 1.0"); nothing when there is none.
std::optional<std::string> unpack_zstd_dictionary(std::string_view content);

// Bytes that starts_member looks at.
inline constexpr size_t kMemberHeader = 10;

// True when the bytes begin like a gzip member (RFC 1952: magic, method 8, reserved flags zero),
// a zstd frame (RFC 8878: frame or skippable-frame magic), a bzip2 or xz stream, or an lz4 frame.
// codec: of kFileCodecs.
bool starts_member(Codec codec, std::string_view bytes);

// The first position at which a member plausibly begins; bytes.size() when there is none. It
// asks for more than starts_member, because inside compressed bytes the magic occurs by chance.
size_t find_member(Codec codec, std::string_view bytes);

// Not thread-safe.
class MemberEncoder {
 public:
  virtual ~MemberEncoder() = default;

  // Begins a member that holds `size` bytes.
  virtual void begin(uint64_t size) = 0;
  // Appends to `packed` what can be told of the member with `bytes` behind those before.
  virtual void encode(std::string_view bytes, std::string& packed) = 0;
  // Appends the rest of the member; all its bytes have been encoded.
  virtual void end(std::string& packed) = 0;
};

// codec: gzip (level 6, as gzip itself) or zstd (level 3, as zstd itself, with a checksum; packed
// with `dictionary`, which may be empty). Throws std::bad_alloc when memory is out.
std::unique_ptr<MemberEncoder> make_encoder(Codec codec, std::string_view dictionary = {});

}  // namespace kith::crawl
