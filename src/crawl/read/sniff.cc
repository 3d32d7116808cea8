#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "crawl/read/payload.h"

namespace kith::crawl {
namespace {

using namespace std::string_view_literals;

// So many bytes are looked at, as the standard says of its resource header.
constexpr size_t header_bytes = 1445;

struct Signature {
  std::string_view bytes;
  Skip kind;
  size_t offset = 0;
};

constexpr std::array signatures = {
    Signature{"%PDF-"sv, Skip::pdf},
    Signature{"%!PS-Adobe-"sv, Skip::pdf},
    Signature{"\x89PNG\r\n\x1a\n"sv, Skip::image},
    Signature{"\xff\xd8\xff"sv, Skip::image},
    Signature{"GIF87a"sv, Skip::image},
    Signature{"GIF89a"sv, Skip::image},
    Signature{"WEBPVP"sv, Skip::image, 8},
    Signature{"\0\0\1\0"sv, Skip::image},
    Signature{"\0\0\2\0"sv, Skip::image},
    Signature{"II*\0"sv, Skip::image},
    Signature{"MM\0*"sv, Skip::image},
    Signature{"8BPS"sv, Skip::image},
    Signature{"ftypavif"sv, Skip::image, 4},
    Signature{"ftypheic"sv, Skip::image, 4},
    Signature{"PK\3\4"sv, Skip::archive},
    Signature{"PK\5\6"sv, Skip::archive},
    Signature{"Rar!\x1a\7"sv, Skip::archive},
    Signature{"7z\xbc\xaf\x27\x1c"sv, Skip::archive},
    Signature{"\x1f\x8b\x08"sv, Skip::archive},
    Signature{"BZh91AY&SY"sv, Skip::archive},
    Signature{"\xfd"
              "7zXZ\0"sv,
              Skip::archive},
    Signature{"\x28\xb5\x2f\xfd"sv, Skip::archive},
    Signature{"ustar"sv, Skip::archive, 257},
    Signature{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, Skip::archive},  // office files of old
    Signature{"{\\rtf"sv, Skip::archive},
    Signature{"\0\1\0\0"sv, Skip::font},
    Signature{"OTTO"sv, Skip::font},
    Signature{"ttcf"sv, Skip::font},
    Signature{"wOFF"sv, Skip::font},
    Signature{"wOF2"sv, Skip::font},
    Signature{"ID3"sv, Skip::media},
    Signature{"OggS\0"sv, Skip::media},
    Signature{"fLaC"sv, Skip::media},
    Signature{"MThd\0\0\0\6"sv, Skip::media},
    Signature{".snd"sv, Skip::media},
    Signature{"WAVE"sv, Skip::media, 8},
    Signature{"AVI "sv, Skip::media, 8},
    Signature{"AIFF"sv, Skip::media, 8},
    Signature{"ftyp"sv, Skip::media, 4},
    Signature{"\x1a\x45\xdf\xa3"sv, Skip::media},
    Signature{"FLV\1"sv, Skip::media},
    Signature{"FWS"sv, Skip::media},
    Signature{"CWS"sv, Skip::media},
    Signature{"\0\0\1\xba"sv, Skip::media},
    Signature{"\0\0\1\xb3"sv, Skip::media},
    Signature{"\x7f"
              "ELF"sv,
              Skip::executable},
    Signature{"MZ\x90\0"sv, Skip::executable},
    Signature{"\xca\xfe\xba\xbe"sv, Skip::executable},
    Signature{"\xfe\xed\xfa"sv, Skip::executable},
    Signature{"\xcf\xfa\xed\xfe"sv, Skip::executable},
    Signature{"\0asm"sv, Skip::executable},
};

// What begins like text, and is none only where control characters follow.
bool is_readable_signature(const Signature& signature) {
  return std::ranges::all_of(signature.bytes, [](char c) { return c >= 0x20 && c < 0x7f; }) &&
         signature.bytes.size() <= 4;
}

// The binary data bytes of the standard: control characters but for blanks and escape.
bool is_binary_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && !is_ascii_blank(c) && c != 0x1b && c != '\b' && c != '\v';
}

// Every second byte of Latin letters in UTF-16 is NUL.
bool looks_like_utf16(std::string_view header) {
  if (header.starts_with("\xff\xfe") || header.starts_with("\xfe\xff")) return true;
  std::array<size_t, 2> zeros = {};
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i] == 0) ++zeros[i % 2];
  }
  const auto [few, many] = std::minmax(zeros[0], zeros[1]);
  return many * 8 > header.size() && few * 16 < many;
}

}  // namespace

bool begins_with_gzip(std::string_view body) {
  return body.starts_with("\x1f\x8b\x08"sv);
}

std::optional<Skip> sniff_binary(std::string_view body) {
  const std::string_view header = body.substr(0, header_bytes);
  if (looks_like_utf16(header)) return std::nullopt;
  const auto controls = static_cast<size_t>(std::ranges::count_if(header, is_binary_byte));
  for (const Signature& signature : signatures) {
    if (header.size() < signature.offset) continue;
    if (!header.substr(signature.offset).starts_with(signature.bytes)) continue;
    if (controls > 0 || !is_readable_signature(signature)) return signature.kind;
  }
  // A stray control character makes no text binary.
  return controls * 50 > header.size() ? std::optional(Skip::binary) : std::nullopt;
}

std::optional<Skip> binary_kind(std::string_view media_type) {
  struct Type {
    std::string_view prefix;
    Skip kind;
  };
  constexpr std::array types = {
      Type{"image/", Skip::image},
      Type{"font/", Skip::font},
      Type{"audio/", Skip::media},
      Type{"video/", Skip::media},
      Type{"application/pdf", Skip::pdf},
      Type{"application/postscript", Skip::pdf},
      Type{"application/zip", Skip::archive},
      Type{"application/gzip", Skip::archive},
      Type{"application/x-gzip", Skip::archive},
      Type{"application/x-tar", Skip::archive},
      Type{"application/x-bzip", Skip::archive},
      Type{"application/x-xz", Skip::archive},
      Type{"application/x-7z", Skip::archive},
      Type{"application/x-rar", Skip::archive},
      Type{"application/vnd.ms-", Skip::archive},
      Type{"application/vnd.openxmlformats", Skip::archive},
      Type{"application/vnd.oasis", Skip::archive},
      Type{"application/msword", Skip::archive},
      Type{"application/epub", Skip::archive},
      Type{"application/x-shockwave", Skip::media},
      Type{"application/x-executable", Skip::executable},
      Type{"application/x-dosexec", Skip::executable},
      Type{"application/x-sharedlib", Skip::executable},
      Type{"application/java-vm", Skip::executable},
  };
  // Drawings in XML are text, but no page.
  for (const Type& type : types) {
    if (starts_with_ignoring_case(media_type, type.prefix)) return type.kind;
  }
  return std::nullopt;
}

}  // namespace kith::crawl
