#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include "base/bytes.h"
#include "base/check.h"
#include "text/charset/charset.h"
#include "text/words/icu_error.h"
#include "text/words/letters.h"

namespace kith::text {
namespace {

// The UTF-8 of a byte from 0x80 on: it takes at most 3 bytes.
struct Character {
  char bytes[4];
  uint32_t size;
};
using SingleByteTable = std::array<Character, 128>;

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

// A converter that ICU's data lacks is a mistake of the build.
Converter open_converter(const char* name) {
  UErrorCode error = U_ZERO_ERROR;
  Converter converter(ucnv_open(name, &error));
  check_icu(error);
  return converter;
}

// 0xa0 to 0xff of ISO-8859-16, which ICU does not have.
constexpr char16_t iso_8859_16[] =
    u"\xa0\u0104\u0105\u0141\u20ac\u201e\u0160\xa7\u0161\xa9\u0218\xab\u0179\xad\u017a\u017b"
    u"\xb0\xb1\u010c\u0142\u017d\u201d\xb6\xb7\u017e\u010d\u0219\xbb\u0152\u0153\u0178\u017c"
    u"\xc0\xc1\xc2\u0102\xc4\u0106\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf"
    u"\u0110\u0143\xd2\xd3\xd4\u0150\xd6\u015a\u0170\xd9\xda\xdb\xdc\u0118\u021a\xdf"
    u"\xe0\xe1\xe2\u0103\xe4\u0107\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef"
    u"\u0111\u0144\xf2\xf3\xf4\u0151\xf6\u015b\u0171\xf9\xfa\xfb\xfc\u0119\u021b\xff";
static_assert(std::size(iso_8859_16) == 96 + 1);

// Where the WHATWG's tables have a letter and ICU's another one.
struct Difference {
  Encoding encoding;
  uint8_t byte;
  char16_t character;
};
constexpr Difference differences[] = {
    {Encoding::koi8_u, 0xae, 0x045e},
    {Encoding::koi8_u, 0xbe, 0x040e},
    {Encoding::windows_1255, 0xca, 0x05ba},
};

using CodePoints = std::array<char32_t, 128>;

CodePoints code_points_by_icu(const char* name) {
  const Converter converter = open_converter(name);
  CodePoints points = {};
  for (size_t i = 0; i < points.size(); ++i) {
    const char byte = static_cast<char>(0x80 + i);
    const char* source = &byte;
    UErrorCode error = U_ZERO_ERROR;
    const UChar32 point = ucnv_getNextUChar(converter.get(), &source, source + 1, &error);
    points[i] = U_SUCCESS(error) ? static_cast<char32_t>(point) : U'\xfffd';
    ucnv_reset(converter.get());
  }
  return points;
}

CodePoints code_points_of(Encoding encoding) {
  CodePoints points = {};
  if (encoding == Encoding::x_user_defined) {
    for (size_t i = 0; i < 128; ++i) points[i] = static_cast<char32_t>(0xf780 + i);
  } else if (encoding == Encoding::iso_8859_16) {
    for (size_t i = 0; i < 32; ++i) points[i] = static_cast<char32_t>(0x80 + i);
    for (size_t i = 32; i < 128; ++i) points[i] = iso_8859_16[i - 32];
  } else {
    points = code_points_by_icu(info_of(encoding).converter);
  }
  for (const Difference& difference : differences) {
    if (difference.encoding == encoding) points[difference.byte - 0x80] = difference.character;
  }
  return points;
}

SingleByteTable make_table(Encoding encoding) {
  SingleByteTable table;
  const CodePoints points = code_points_of(encoding);
  for (size_t i = 0; i < table.size(); ++i) {
    table[i].size = static_cast<uint32_t>(encode_utf8(points[i], table[i].bytes));
  }
  return table;
}

// All tables of the program, made together on first use: 38 KiB.
const SingleByteTable& table_of(Encoding encoding) {
  static const auto tables = [] {
    auto all = std::make_unique<std::array<SingleByteTable, encoding_count>>();
    for (size_t i = 0; i < encoding_count; ++i) {
      const auto each = static_cast<Encoding>(i);
      if (info_of(each).kind == EncodingKind::single_byte) (*all)[i] = make_table(each);
    }
    return all;
  }();
  return (*tables)[static_cast<size_t>(encoding)];
}

void decode_single_byte(Encoding encoding, std::string_view bytes, std::string& out) {
  const SingleByteTable& table = table_of(encoding);
  // Of a large page counted first: it is charged with what it takes.
  constexpr size_t large = 1 << 20;
  size_t most = bytes.size() * 3;
  if (bytes.size() > large) {
    most = 0;
    for (const char c : bytes) {
      const auto byte = static_cast<uint8_t>(c);
      most += byte < 0x80 ? 1 : table[byte - 0x80].size;
    }
  }
  out.resize(most + sizeof(Character::bytes));
  char* to = out.data();
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      *to++ = c;
    } else {
      const Character& character = table[byte - 0x80];
      std::memcpy(to, character.bytes, sizeof(character.bytes));
      to += character.size;
    }
  }
  out.resize(static_cast<size_t>(to - out.data()));
}

// ICU's own writes U+001A where a single byte is wrong.
void write_replacement(const void*, UConverterToUnicodeArgs* args, const char*, int32_t,
                       UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;  // not about a character
  constexpr UChar character = 0xfffd;
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(args, &character, 1, 0, error);
}

void decode_by_icu(const char* name, std::string_view bytes, std::string& out) {
  const Converter from = open_converter(name);
  const Converter to = open_converter("UTF-8");
  UErrorCode ignored = U_ZERO_ERROR;
  ucnv_setToUCallBack(from.get(), write_replacement, nullptr, nullptr, nullptr, &ignored);
  std::array<char, 16384> chunk;
  std::array<UChar, 4096> pivot;
  UChar* pivot_source = pivot.data();
  UChar* pivot_target = pivot.data();
  const char* source = bytes.data();
  out.clear();
  for (bool more = true, is_first = true; more; is_first = false) {
    UErrorCode error = U_ZERO_ERROR;
    char* target = chunk.data();
    ucnv_convertEx(to.get(), from.get(), &target, chunk.data() + chunk.size(), &source,
                   bytes.data() + bytes.size(), pivot.data(), &pivot_source, &pivot_target,
                   pivot.data() + pivot.size(), is_first, true, &error);
    out.append(chunk.data(), target);
    if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    more = error == U_BUFFER_OVERFLOW_ERROR;
    if (!more && U_FAILURE(error)) out += utf8_replacement;  // for the rest
  }
}

// The bytes at the front of `bytes`, no valid sequence, that one U+FFFD stands for: a maximal
// subpart (Unicode, section 3.9, table 3-8).
size_t subpart_size(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() < 2) return 1;
  const uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 1;
  const size_t whole = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  size_t size = 2;
  while (size < whole && size < bytes.size() && (byte(size) & 0xc0) == 0x80) ++size;
  return size;
}

// Calls on_error(begin, size) for everything that is no UTF-8, in order; returns the number of
// valid sequences of more than one byte.
template <class OnError>
size_t scan_utf8(std::string_view bytes, OnError on_error) {
  size_t sequences = 0;
  for (size_t at = 0; at < bytes.size();) {
    if (static_cast<uint8_t>(bytes[at]) < 0x80) {
      ++at;
      continue;
    }
    size_t size = decode_utf8(bytes, at).size;
    if (size > 1) {
      ++sequences;
    } else {
      size = subpart_size(bytes.substr(at));
      on_error(at, size);
    }
    at += size;
  }
  return sequences;
}

void repair_utf8(std::string_view bytes, std::string& out) {
  out.clear();
  size_t copied = 0;
  scan_utf8(bytes, [&](size_t begin, size_t size) {
    out.append(bytes, copied, begin - copied);
    out += utf8_replacement;
    copied = begin + size;
  });
  out.append(bytes, copied);
}

}  // namespace

void decode(Encoding encoding, std::string_view bytes, std::string& out) {
  switch (info_of(encoding).kind) {
    case EncodingKind::utf_8:
      return repair_utf8(bytes, out);
    case EncodingKind::single_byte:
      return decode_single_byte(encoding, bytes, out);
    case EncodingKind::multi_byte:
    case EncodingKind::utf_16:
      return decode_by_icu(info_of(encoding).converter, bytes, out);
    case EncodingKind::replacement:
      out = bytes.empty() ? std::string_view() : utf8_replacement;
      return;
  }
}

Utf8Evidence weigh_utf8(std::string_view bytes) {
  Utf8Evidence evidence;
  evidence.sequences = scan_utf8(bytes, [&](size_t, size_t) { ++evidence.errors; });
  return evidence;
}

}  // namespace kith::text
