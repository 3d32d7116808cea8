#include "text/charset/labels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "base/ascii.h"

namespace kith::text {
namespace {

// In the order of Encoding. ICU's plain names of some are not the WHATWG's tables: GBK is
// decoded as GB 18030, Big5 with the characters of Hong Kong, Shift_JIS and EUC-KR as Windows
// has them.
constexpr std::array<EncodingInfo, encoding_count> encodings = {{
    {"UTF-8", EncodingKind::utf_8, nullptr},
    {"IBM866", EncodingKind::single_byte, "IBM866"},
    {"ISO-8859-2", EncodingKind::single_byte, "ISO-8859-2"},
    {"ISO-8859-3", EncodingKind::single_byte, "ISO-8859-3"},
    {"ISO-8859-4", EncodingKind::single_byte, "ISO-8859-4"},
    {"ISO-8859-5", EncodingKind::single_byte, "ISO-8859-5"},
    {"ISO-8859-6", EncodingKind::single_byte, "ISO-8859-6"},
    {"ISO-8859-7", EncodingKind::single_byte, "ISO-8859-7"},
    {"ISO-8859-8", EncodingKind::single_byte, "ISO-8859-8"},
    {"ISO-8859-8-I", EncodingKind::single_byte, "ISO-8859-8"},
    {"ISO-8859-10", EncodingKind::single_byte, "ISO-8859-10"},
    {"ISO-8859-13", EncodingKind::single_byte, "ISO-8859-13"},
    {"ISO-8859-14", EncodingKind::single_byte, "ISO-8859-14"},
    {"ISO-8859-15", EncodingKind::single_byte, "ISO-8859-15"},
    {"ISO-8859-16", EncodingKind::single_byte, "ISO-8859-16"},
    {"KOI8-R", EncodingKind::single_byte, "KOI8-R"},
    {"KOI8-U", EncodingKind::single_byte, "KOI8-U"},
    {"macintosh", EncodingKind::single_byte, "macintosh"},
    {"windows-874", EncodingKind::single_byte, "windows-874"},
    {"windows-1250", EncodingKind::single_byte, "windows-1250"},
    {"windows-1251", EncodingKind::single_byte, "windows-1251"},
    {"windows-1252", EncodingKind::single_byte, "windows-1252"},
    {"windows-1253", EncodingKind::single_byte, "windows-1253"},
    {"windows-1254", EncodingKind::single_byte, "windows-1254"},
    {"windows-1255", EncodingKind::single_byte, "windows-1255"},
    {"windows-1256", EncodingKind::single_byte, "windows-1256"},
    {"windows-1257", EncodingKind::single_byte, "windows-1257"},
    {"windows-1258", EncodingKind::single_byte, "windows-1258"},
    {"x-mac-cyrillic", EncodingKind::single_byte, "x-mac-cyrillic"},
    {"x-user-defined", EncodingKind::single_byte, nullptr},
    {"GBK", EncodingKind::multi_byte, "gb18030"},
    {"gb18030", EncodingKind::multi_byte, "gb18030"},
    {"Big5", EncodingKind::multi_byte, "Big5-HKSCS"},
    {"EUC-JP", EncodingKind::multi_byte, "EUC-JP"},
    {"ISO-2022-JP", EncodingKind::multi_byte, "ISO-2022-JP"},
    {"Shift_JIS", EncodingKind::multi_byte, "windows-31j"},
    {"EUC-KR", EncodingKind::multi_byte, "windows-949"},
    {"replacement", EncodingKind::replacement, nullptr},
    {"UTF-16BE", EncodingKind::utf_16, "UTF-16BE"},
    {"UTF-16LE", EncodingKind::utf_16, "UTF-16LE"},
}};

struct Label {
  std::string_view label;
  Encoding encoding;
};

// Sorted by label; made by generate_labels.py at build time.
constexpr Label labels[] = {
#include "text/charset/labels.inc"
};
static_assert(std::ranges::is_sorted(labels, {}, &Label::label));

constexpr size_t longest_label = [] {
  size_t longest = 0;
  for (const Label& label : labels) longest = std::max(longest, label.label.size());
  return longest;
}();

}  // namespace

const EncodingInfo& info_of(Encoding encoding) {
  return encodings[static_cast<size_t>(encoding)];
}

std::optional<Encoding> find_encoding(std::string_view label) {
  label = trim(label);
  if (label.size() > longest_label) return std::nullopt;
  std::array<char, longest_label> lower;
  std::ranges::transform(label, lower.begin(), ascii_lower);
  const std::string_view wanted(lower.data(), label.size());
  const auto found = std::ranges::lower_bound(labels, wanted, {}, &Label::label);
  if (found == std::ranges::end(labels) || found->label != wanted) return std::nullopt;
  return found->encoding;
}

}  // namespace kith::text
