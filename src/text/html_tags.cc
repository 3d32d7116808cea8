#include "text/html_tags.h"

#include <cstdint>
#include <string_view>

namespace kith::text {
namespace {

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

// False when two tags meet in a slot.
constexpr bool fill(TagTable& table) {
  table.slots = {};
  for (const NamedTag& named : named_tags) {
    const TagInfo info = info_of(named);
    TagInfo& slot = table.slots[tag_slot_of(info.low, info.high, table.multiplier)];
    if (slot.low != 0) return false;
    slot = info;
  }
  return true;
}

// Tries odd multipliers until one is without collisions.
constexpr TagTable make_table() {
  TagTable table;
  table.multiplier = 0x9e3779b97f4a7c15;
  while (!fill(table)) table.multiplier += 0x632be59bd9b4e01a;
  return table;
}

}  // namespace

constinit const TagTable tag_table = make_table();

}  // namespace kith::text
