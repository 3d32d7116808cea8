#include "text/html_tags.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/ascii.h"
#include "text/html_scan.h"

namespace kith::text {
namespace {

constexpr size_t block_size = 16;  // names are read in one block; the known ones are shorter

struct NamedTag {
  std::string_view name;
  Tag tag;
  bool separates;
  bool leaves_foreign;
};

// Kinds of rows: bl(ock), in(line), and both that also leave foreign content.
constexpr NamedTag bl(std::string_view name, Tag tag = Tag::other) {
  return {name, tag, true, false};
}
constexpr NamedTag in(std::string_view name, Tag tag = Tag::other) {
  return {name, tag, false, false};
}
constexpr NamedTag bl_leaves(std::string_view name, Tag tag = Tag::other) {
  return {name, tag, true, true};
}
constexpr NamedTag in_leaves(std::string_view name, Tag tag = Tag::other) {
  return {name, tag, false, true};
}

// What separates: everything that a browser puts on a line, into a cell or into a box of its
// own. Inline elements, also unknown ones, leave nothing: "<b>w</b>ord" is one word.
constexpr NamedTag named_tags[] = {
    // Sections and groups.
    bl("html", Tag::html), bl_leaves("head"), bl_leaves("body"), bl("address"), bl("article"),
    bl("aside"), bl("footer"), bl("header"), bl("hgroup"), bl("main"), bl("nav"), bl("search"),
    bl("section"), bl_leaves("h1"), bl_leaves("h2"), bl_leaves("h3"), bl_leaves("h4"),
    bl_leaves("h5"), bl_leaves("h6"), bl_leaves("blockquote"), bl_leaves("center"),
    bl_leaves("div"), bl("details"), bl("dialog"), bl("summary"), bl_leaves("dd"), bl_leaves("dl"),
    bl_leaves("dt"), bl("dir"), bl("figcaption"), bl("figure"), bl_leaves("hr"), bl_leaves("li"),
    bl_leaves("listing"), bl_leaves("menu"), bl_leaves("ol"), bl_leaves("p"), bl_leaves("pre"),
    bl_leaves("ul"), bl_leaves("br"),
    // Tables.
    bl_leaves("table"), bl("caption"), bl("col"), bl("colgroup"), bl("tbody"), bl("td"),
    bl("tfoot"), bl("th"), bl("thead"), bl("tr"),
    // Forms.
    bl("form"), bl("fieldset"), bl("legend"), bl("button"), bl("datalist"), bl("input"),
    bl("isindex"), bl("meter"), bl("optgroup"), bl("option"), bl("output"), bl("progress"),
    bl("select"), bl("textarea", Tag::textarea),
    // What is embedded.
    bl("applet"), bl("area", Tag::area), bl("audio"), bl("canvas"), bl_leaves("embed"),
    bl("iframe", Tag::unseen), bl("noembed", Tag::unseen), bl("noframes", Tag::unseen),
    bl("image", Tag::image), bl_leaves("img", Tag::img), bl("map"), bl("object"), bl("picture"),
    bl("video"), bl("frame"), bl("frameset"), bl("marquee"),
    // Ruby annotations stand beside their word.
    bl("rp"), bl("rt"), bl("rtc"), in_leaves("ruby"),
    // Scripts, styles and others whose content is no text.
    in("script", Tag::script), in("style", Tag::style), bl("title", Tag::title),
    in("template", Tag::template_), bl("xmp", Tag::xmp), bl("plaintext", Tag::plaintext),
    bl("noscript"), in("base", Tag::base), in_leaves("meta"),
    // Inline.
    in("a", Tag::a), in_leaves("b"), in_leaves("big"), in_leaves("code"), in_leaves("em"),
    in("font", Tag::font), in_leaves("i"), in_leaves("nobr"), in_leaves("s"), in_leaves("small"),
    in_leaves("span"), in_leaves("strong"), in_leaves("strike"), in_leaves("sub"), in_leaves("sup"),
    in_leaves("tt"), in_leaves("u"), in_leaves("var"),
    // SVG and MathML. Every <text> has a place of its own.
    bl("svg", Tag::svg), bl("math", Tag::math), bl("foreignobject", Tag::foreign_object),
    bl("desc", Tag::desc), bl("annotation-xml", Tag::annotation_xml),
    bl("annotation", Tag::foreign_data), bl("metadata", Tag::foreign_data), bl("text"),
    bl("mi", Tag::math_token), bl("mn", Tag::math_token), bl("mo", Tag::math_token),
    bl("ms", Tag::math_token), bl("mtext", Tag::math_token)};

// A hash table with linear probing; a slot of low == 0 is empty.
constexpr size_t slot_bits = 9;
constexpr size_t slot_count = size_t{1} << slot_bits;
static_assert(std::size(named_tags) * 3 < slot_count);

constexpr size_t slot_of(uint64_t low, uint64_t high) {
  return (low ^ high * 31) * 0x9e3779b97f4a7c15 >> (64 - slot_bits);
}

constexpr TagInfo info_of(const NamedTag& named) {
  TagInfo info;
  for (size_t i = named.name.size(); i-- > 0;) {
    info.high = info.high << 8 | info.low >> 56;
    info.low = info.low << 8 | static_cast<uint8_t>(named.name[i]);
  }
  info.tag = named.tag;
  info.separates = named.separates;
  info.leaves_foreign = named.leaves_foreign;
  return info;
}

constexpr auto slots = [] {
  std::array<TagInfo, slot_count> table = {};
  for (const NamedTag& named : named_tags) {
    const TagInfo info = info_of(named);
    size_t slot = slot_of(info.low, info.high);
    while (table[slot].low != 0) slot = (slot + 1) % slot_count;
    table[slot] = info;
  }
  return table;
}();

constexpr bool ends_name(char c) {
  return is_ascii_blank(c) || c == '/' || c == '>';
}

// A name of `length` < 16 bytes at `bytes`, of which 16 can be read, as two numbers.
TagName lower_name(const char* bytes, size_t length) {
  constexpr uint64_t case_bits = 0x2020202020202020;
  constexpr uint64_t all = ~uint64_t{0};
  TagName name;
  std::memcpy(&name.low, bytes, 8);
  std::memcpy(&name.high, bytes + 8, 8);
  name.low = (name.low | case_bits) & (length < 8 ? ~(all << 8 * length) : all);
  name.high = (name.high | case_bits) & (length <= 8 ? 0 : ~(all << 8 * (length - 8)));
  return name;
}

// How many of the 16 bytes stand before the first that may end a name: also control
// characters, which the caller must look at.
size_t length_in_block(const char* bytes) {
#ifdef __SSE2__
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m128i blank = _mm_set1_epi8(' ');
  const __m128i ends = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(block, blank), blank),
                                                 _mm_cmpeq_epi8(block, _mm_set1_epi8('/'))),
                                    _mm_cmpeq_epi8(block, _mm_set1_epi8('>')));
  const auto mask = static_cast<unsigned>(_mm_movemask_epi8(ends));
  return static_cast<size_t>(std::countr_zero(mask | 1u << 16));
#else
  size_t length = 0;
  while (length < 16 && !is_blank_or_control(bytes[length]) && !ends_name(bytes[length])) ++length;
  return length;
#endif
}

}  // namespace

TagName read_tag_name(const char* at, const char* end) {
  std::array<char, block_size> padded;
  const char* bytes = at;
  auto available = static_cast<size_t>(end - at);
  if (available < block_size) {
    padded.fill('>');
    std::copy(at, end, padded.begin());
    bytes = padded.data();
  } else {
    available = block_size;
  }
  const size_t length = length_in_block(bytes);
  const bool is_whole = length < block_size && (length == available || ends_name(bytes[length]));
  // A long name, or one with a control character inside of it, is none that we know.
  if (!is_whole) return {0, 0, std::find_if(at + length, end, ends_name)};
  TagName name = lower_name(bytes, length);
  name.end = at + length;
  return name;
}

const TagInfo& find_tag(const TagName& name) {
  static constexpr TagInfo unknown;
  for (size_t slot = slot_of(name.low, name.high); slots[slot].low != 0;
       slot = (slot + 1) % slot_count) {
    if (slots[slot].low == name.low && slots[slot].high == name.high) return slots[slot];
  }
  return unknown;
}

}  // namespace kith::text
