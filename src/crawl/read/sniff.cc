#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "crawl/read/payload.h"

namespace kith::crawl {
namespace {

using namespace std::string_view_literals;

// So many bytes are looked at, as the standard says of its resource header.
constexpr size_t header_bytes = 1445;

constexpr std::array signatures = {
    Signature{"%PDF-"sv, Skip::pdf, "a PDF file"},
    Signature{"%!PS-Adobe-"sv, Skip::pdf, "a PostScript file"},
    Signature{"\x89PNG\r\n\x1a\n"sv, Skip::image, "a PNG image"},
    Signature{"\xff\xd8\xff"sv, Skip::image, "a JPEG image"},
    Signature{"GIF87a"sv, Skip::image, "a GIF image"},
    Signature{"GIF89a"sv, Skip::image, "a GIF image"},
    Signature{"WEBPVP"sv, Skip::image, "a WebP image", 8},
    Signature{"\0\0\1\0"sv, Skip::image, "an icon"},
    Signature{"\0\0\2\0"sv, Skip::image, "a cursor"},
    Signature{"II*\0"sv, Skip::image, "a TIFF image"},
    Signature{"MM\0*"sv, Skip::image, "a TIFF image"},
    Signature{"8BPS"sv, Skip::image, "a Photoshop image"},
    Signature{"ftypavif"sv, Skip::image, "an AVIF image", 4},
    Signature{"ftypheic"sv, Skip::image, "a HEIC image", 4},
    Signature{"PK\3\4"sv, Skip::archive, "a zip file"},
    Signature{"PK\5\6"sv, Skip::archive, "an empty zip file"},
    Signature{"Rar!\x1a\7"sv, Skip::archive, "a RAR archive"},
    Signature{"7z\xbc\xaf\x27\x1c"sv, Skip::archive, "a 7z archive"},
    Signature{"\x1f\x8b\x08"sv, Skip::archive, "packed by gzip twice", 0, true},
    Signature{"BZh91AY&SY"sv, Skip::archive, "packed by bzip2 twice", 0, true},
    Signature{"\xfd"
              "7zXZ\0"sv,
              Skip::archive, "packed by xz twice", 0, true},
    Signature{"\x28\xb5\x2f\xfd"sv, Skip::archive, "packed by zstd twice", 0, true},
    Signature{"\x1f\x9d"sv, Skip::archive, "packed by compress"},
    Signature{"LZIP\1"sv, Skip::archive, "packed by lzip"},
    Signature{"ustar"sv, Skip::archive, "a tar", 257},
    Signature{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, Skip::archive, "an old office file"},
    Signature{"{\\rtf"sv, Skip::archive, "an RTF document"},
    Signature{"SQLite format 3\0"sv, Skip::binary, "an SQLite database"},
    Signature{"PAR1"sv, Skip::binary, "a Parquet file"},
    Signature{"ARROW1\0\0"sv, Skip::binary, "an Arrow file"},
    Signature{"FEA1"sv, Skip::binary, "a Feather file"},
    Signature{"Obj\1"sv, Skip::binary, "an Avro file"},
    Signature{"\0\1\0\0"sv, Skip::font, "a font"},
    Signature{"OTTO"sv, Skip::font, "a font"},
    Signature{"ttcf"sv, Skip::font, "a font"},
    Signature{"wOFF"sv, Skip::font, "a font"},
    Signature{"wOF2"sv, Skip::font, "a font"},
    Signature{"ID3"sv, Skip::media, "an MP3 file"},
    Signature{"OggS\0"sv, Skip::media, "an Ogg file"},
    Signature{"fLaC"sv, Skip::media, "a FLAC file"},
    Signature{"MThd\0\0\0\6"sv, Skip::media, "a MIDI file"},
    Signature{".snd"sv, Skip::media, "a sound"},
    Signature{"WAVE"sv, Skip::media, "a sound", 8},
    Signature{"AVI "sv, Skip::media, "a video", 8},
    Signature{"AIFF"sv, Skip::media, "a sound", 8},
    Signature{"ftyp"sv, Skip::media, "a video", 4},
    Signature{"\x1a\x45\xdf\xa3"sv, Skip::media, "a video"},
    Signature{"FLV\1"sv, Skip::media, "a video"},
    Signature{"FWS"sv, Skip::media, "a Flash file"},
    Signature{"CWS"sv, Skip::media, "a Flash file"},
    Signature{"\0\0\1\xba"sv, Skip::media, "a video"},
    Signature{"\0\0\1\xb3"sv, Skip::media, "a video"},
    Signature{"\x7f"
              "ELF"sv,
              Skip::executable, "a program"},
    Signature{"MZ\x90\0"sv, Skip::executable, "a program"},
    Signature{"\xca\xfe\xba\xbe"sv, Skip::executable, "a program"},
    Signature{"\xfe\xed\xfa"sv, Skip::executable, "a program"},
    Signature{"\xcf\xfa\xed\xfe"sv, Skip::executable, "a program"},
    Signature{"\0asm"sv, Skip::executable, "a program"},
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

}  // namespace

bool looks_like_utf16(std::string_view header) {
  if (header.starts_with("\xff\xfe") || header.starts_with("\xfe\xff")) return true;
  std::array<size_t, 2> zeros = {};
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i] == 0) ++zeros[i % 2];
  }
  const auto [few, many] = std::minmax(zeros[0], zeros[1]);
  return many * 8 > header.size() && few * 16 < many;
}

bool begins_with_gzip(std::string_view body) {
  return body.starts_with("\x1f\x8b\x08"sv);
}

const Signature* find_signature(std::string_view body) {
  const std::string_view header = body.substr(0, header_bytes);
  for (const Signature& signature : signatures) {
    if (header.size() < signature.offset) continue;
    if (!header.substr(signature.offset).starts_with(signature.bytes)) continue;
    if (!is_readable_signature(signature)) return &signature;
    if (std::ranges::any_of(header, is_binary_byte)) return &signature;
  }
  return nullptr;
}

std::optional<Skip> sniff_binary(std::string_view body) {
  const std::string_view header = body.substr(0, header_bytes);
  if (looks_like_utf16(header)) return std::nullopt;
  if (const Signature* const signature = find_signature(header)) return signature->kind;
  const auto controls = static_cast<size_t>(std::ranges::count_if(header, is_binary_byte));
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
