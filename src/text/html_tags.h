// The names of HTML tags that mean something to the text of a page.
#pragma once

#include <cstdint>

namespace kith::text {

// Tags with a meaning of their own; all others are `other`.
enum class Tag : uint8_t {
  other,
  a,
  annotation_xml,
  area,
  base,
  desc,
  font,
  foreign_data,  // annotation, metadata: in MathML and SVG what no browser shows
  foreign_object,
  html,
  image,
  img,
  math,
  math_token,  // mi, mn, mo, ms, mtext
  plaintext,
  script,
  style,
  svg,
  template_,
  textarea,
  title,
  unseen,  // iframe, noembed, noframes: raw text that no browser shows
  xmp,
};

struct TagInfo {
  uint64_t low = 0;  // the name in lower case, its first character in the lowest byte
  uint64_t high = 0;
  Tag tag = Tag::other;
  bool separates = false;       // its start and end leave a blank: words do not run across
  bool leaves_foreign = false;  // its start ends an open <svg> or <math> (13.2.6.5)
};

struct TagName {
  uint64_t low = 0;
  uint64_t high = 0;  // both zero: a name that is too long to be known
  const char* end = nullptr;
};

// Reads the name of a tag at its first letter: up to a blank, '/', '>' or `end`.
TagName read_tag_name(const char* at, const char* end);

// Never fails: what is unknown is `other`, inline. The reference is static.
const TagInfo& find_tag(const TagName& name);

}  // namespace kith::text
