#include "text/html/tags.h"

namespace kith::text {
namespace {

// What makes a block: sections, groups, cells, forms.
constexpr std::string_view block_tags =
    "html head body address article aside footer header hgroup main nav search section h1 h2 h3 "
    "h4 h5 h6 blockquote center div details dialog summary dd dl dt dir figcaption figure hr li "
    "listing menu ol p pre ul xmp plaintext noscript "
    "table caption tbody td tfoot th thead tr form fieldset legend";

// What separates besides: everything that a browser puts on a line, into a cell or into a box of
// its own. Inline elements, also unknown ones, leave nothing: "<b>w</b>ord" is one word.
constexpr std::string_view separating_tags =
    "br title "
    // Of tables and forms
    "col colgroup button datalist input isindex label meter optgroup option output progress select "
    "textarea "
    // What is embedded
    "applet area audio canvas embed iframe noembed noframes image img map object picture video "
    "frame frameset marquee "
    // Ruby: an annotation stands beside its word
    "rp rt rtc "
    // SVG and MathML
    "svg foreignobject desc metadata text math annotation annotation-xml mi mn mo ms mtext";

// The start tags that end foreign content (13.2.6.5); <font> is a case of its own.
constexpr std::string_view leaving_tags =
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var";

struct NamedTag {
  std::string_view name;
  Tag tag;
};
constexpr NamedTag named_tags[] = {
    {"a", Tag::a},
    {"annotation", Tag::foreign_data},
    {"annotation-xml", Tag::annotation_xml},
    {"area", Tag::area},
    {"base", Tag::base},
    {"desc", Tag::desc},
    {"font", Tag::font},
    {"foreignobject", Tag::foreign_object},
    {"h1", Tag::heading},
    {"h2", Tag::heading},
    {"html", Tag::html},
    {"iframe", Tag::unseen},
    {"image", Tag::image},
    {"img", Tag::img},
    {"link", Tag::link},
    {"math", Tag::math},
    {"meta", Tag::meta},
    {"metadata", Tag::foreign_data},
    {"mi", Tag::math_token},
    {"mn", Tag::math_token},
    {"mo", Tag::math_token},
    {"ms", Tag::math_token},
    {"mtext", Tag::math_token},
    {"noembed", Tag::unseen},
    {"noframes", Tag::unseen},
    {"noscript", Tag::noscript},
    {"plaintext", Tag::plaintext},
    {"script", Tag::script},
    {"style", Tag::style},
    {"svg", Tag::svg},
    {"template", Tag::template_},
    {"textarea", Tag::textarea},
    {"title", Tag::title},
    {"xmp", Tag::xmp},
};

// The slot of a name, made where there is none; null when another tag has it.
constexpr TagInfo* find_slot(TagTable& table, std::string_view name) {
  uint64_t low = 0;
  uint64_t high = 0;
  for (size_t i = name.size(); i-- > 0;) {
    high = high << 8 | low >> 56;
    low = low << 8 | static_cast<uint8_t>(name[i]);
  }
  TagInfo& slot = table.slots[tag_slot_of(low, high, table.multiplier)];
  if (slot.low == 0) {
    slot.low = low;
    slot.high = high;
  }
  return slot.low == low && slot.high == high ? &slot : nullptr;
}

// Sets a flag of each of the names, which are separated by blanks; false when two tags collide.
constexpr bool mark(TagTable& table, std::string_view names, bool TagInfo::*flag) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    TagInfo* const slot = find_slot(table, name);
    if (slot == nullptr) return false;
    slot->*flag = true;
    names.remove_prefix(name.size() < names.size() ? name.size() + 1 : name.size());
  }
  return true;
}

// False when two tags collide.
constexpr bool fill(TagTable& table) {
  table.slots = {};
  for (const NamedTag& named : named_tags) {
    TagInfo* const slot = find_slot(table, named.name);
    if (slot == nullptr) return false;
    slot->tag = named.tag;
  }
  return mark(table, block_tags, &TagInfo::is_block) &&
         mark(table, block_tags, &TagInfo::separates) &&
         mark(table, separating_tags, &TagInfo::separates) &&
         mark(table, leaving_tags, &TagInfo::leaves_foreign);
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
