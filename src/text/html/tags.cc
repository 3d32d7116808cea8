#include "text/html/tags.h"

#include "base/bytes.h"
#include "text/html/scan.h"

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

void ForeignStack::open(ForeignKind kind, Tag tag) {
  if (depth_ == max_depth) {
    ++deeper_;
  } else {
    entries_[depth_++] = {kind, tag};
  }
}

void ForeignStack::close(Tag tag) {
  if (deeper_ > 0) {
    --deeper_;
    return;
  }
  for (size_t depth = depth_; depth > 0; --depth) {
    if (entries_[depth - 1].tag == tag) {
      depth_ = depth - 1;
      return;
    }
  }
}

void ForeignStack::leave() {
  deeper_ = 0;
  while (is_foreign()) --depth_;
}

namespace {

// Whether `prefix`, a name and one of blank, '/', '>' stand at `at`.
bool is_tag(const char* at, const char* end, std::string_view prefix, std::string_view name) {
  const std::string_view rest(at, static_cast<size_t>(end - at));
  const size_t size = prefix.size() + name.size();
  if (rest.size() <= size || !rest.starts_with(prefix)) return false;
  const char after = rest[size];
  return (is_ascii_blank(after) || after == '/' || after == '>') &&
         equals_ignoring_case(rest.substr(prefix.size(), name.size()), name);
}

// Whether the bytes before `at`, not before `begin`, are "--".
bool follows_dashes(const char* begin, const char* at) {
  return at - begin >= 2 && at[-1] == '-' && at[-2] == '-';
}

// A script after "<!--", whose dashes begin at `at`: up to the script's end, or behind the
// "-->" that leads back to the plain state. `ended` tells which.
const char* skip_escaped_script(const char* at, const char* end, bool& ended) {
  const char* const begin = at;
  bool is_double = false;  // within <script> ... </script>
  for (at = begin + 2;; ++at) {
    at = find_any<'<', '>'>(at, end);
    ended = at == end;
    if (ended) return end;
    if (*at == '>') {
      if (follows_dashes(begin, at)) return at + 1;
    } else if (is_tag(at, end, "</", "script")) {
      ended = !is_double;
      if (ended) return at;
      is_double = false;
    } else if (is_tag(at, end, "<", "script")) {
      is_double = true;
    }
  }
}

}  // namespace

const char* find_raw_text_end(const char* at, const char* end, std::string_view name) {
  for (;; ++at) {
    at = find_any<'<'>(at, end);
    if (at == end || is_tag(at, end, "</", name)) return at;
  }
}

const char* find_script_end(const char* at, const char* end) {
  for (;;) {
    at = find_any<'<'>(at, end);
    if (at == end || is_tag(at, end, "</", "script")) return at;
    const std::string_view rest(at, static_cast<size_t>(end - at));
    if (!rest.starts_with("<!--")) {
      ++at;
      continue;
    }
    bool ended = false;
    at = skip_escaped_script(at + 2, end, ended);
    if (ended) return at;
  }
}

const char* find_comment_end(const char* at, const char* end) {
  const char* const begin = at;
  for (;; ++at) {
    at = find_any<'>'>(at, end);
    if (at == end) return end;
    const bool is_abrupt = at == begin || (at == begin + 1 && *begin == '-');
    const bool is_bang = at[-1] == '!' && follows_dashes(begin, at - 1);
    if (is_abrupt || is_bang || follows_dashes(begin, at)) return at + 1;
  }
}

}  // namespace kith::text
