#include "crawl/codec/member_decoder.h"

#include <cstring>

#include "base/check.h"

namespace kith::crawl {
namespace {

constexpr std::string_view kGzipMagic("\x1f\x8b\x08", 3);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);

unsigned byte_at(std::string_view bytes, size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

bool starts_gzip(std::string_view bytes) {
  return bytes.starts_with(kGzipMagic) && (bytes.size() < 4 || (byte_at(bytes, 3) & 0xe0) == 0);
}

// Skippable frames have the magics 0x184D2A50 to 0x184D2A5F, little-endian.
bool starts_zstd(std::string_view bytes) {
  if (bytes.starts_with(kZstdMagic)) return true;
  return bytes.size() >= 4 && (byte_at(bytes, 0) & 0xf0) == 0x50 &&
         bytes.substr(1, 3) == std::string_view("\x2a\x4d\x18", 3);
}

// Extra flags that deflate defines, and an operating system that RFC 1952 lists.
bool is_plausible_gzip(std::string_view bytes) {
  if (bytes.size() < kMemberHeader || !starts_gzip(bytes)) return false;
  const unsigned extra_flags = byte_at(bytes, 8);
  const unsigned system = byte_at(bytes, 9);
  return (extra_flags == 0 || extra_flags == 2 || extra_flags == 4) &&
         (system <= 13 || system == 255);
}

}  // namespace

std::unique_ptr<MemberDecoder> make_decoder(Codec codec) {
  switch (codec) {
    case Codec::gzip:
      if (auto isal = make_isal_gzip_decoder()) return isal;
      return make_zlib_decoder(codec);
    case Codec::zlib:
    case Codec::deflate:
      return make_zlib_decoder(codec);
    case Codec::zstd:
      return make_zstd_decoder(kZstdPayloadWindow);
    case Codec::brotli:
      return make_brotli_decoder();
  }
  KITH_CHECK(false);
  return nullptr;
}

bool starts_member(Codec codec, std::string_view bytes) {
  return codec == Codec::zstd ? starts_zstd(bytes) : starts_gzip(bytes);
}

size_t find_member(Codec codec, std::string_view bytes) {
  const std::string_view magic = codec == Codec::zstd ? kZstdMagic : kGzipMagic;
  for (size_t at = 0;; ++at) {
    const void* hit = at < bytes.size()
                          ? memmem(bytes.data() + at, bytes.size() - at, magic.data(), magic.size())
                          : nullptr;
    if (hit == nullptr) return bytes.size();
    at = static_cast<size_t>(static_cast<const char*>(hit) - bytes.data());
    if (codec == Codec::zstd || is_plausible_gzip(bytes.substr(at))) return at;
  }
}

}  // namespace kith::crawl
