#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kith/rows.h"

namespace kith {
namespace {

std::string utf8(uint32_t code) {
  std::string out;
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      out += static_cast<char>(0xe0 | code >> 12);
    } else {
      out += static_cast<char>(0xf0 | code >> 18);
      out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    }
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
  }
  out += static_cast<char>(0x80 | (code & 0x3f));
  return out;
}

// What docs/formats/escapes.md says of undoing a TSV field.
std::string undone(const std::string& field) {
  std::string text;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      text += field[i];
      continue;
    }
    switch (field[++i]) {
      case 't':
        text += '\t';
        break;
      case 'n':
        text += '\n';
        break;
      case 'r':
        text += '\r';
        break;
      case 'x':
        text += static_cast<char>(std::stoul(field.substr(i + 1, 2), nullptr, 16));
        i += 2;
        break;
      case 'u': {
        const size_t end = field.find('}', i);
        text +=
            utf8(static_cast<uint32_t>(std::stoul(field.substr(i + 2, end - i - 2), nullptr, 16)));
        i = end;
        break;
      }
      default:
        text += field[i];
    }
  }
  return text;
}

const std::vector<uint32_t> hidden = {0,      1,      0x1b,   0x1f,   0x7f,   0x80,
                                      0x9b,   0x9f,   0x61c,  0x200e, 0x200f, 0x2028,
                                      0x2029, 0x202a, 0x202e, 0x2066, 0x2069};
const std::vector<uint32_t> shown = {0x20,   '"',    '\'',   0x7e,   0xa0,    0xe9,    0x200d,
                                     0x202f, 0x2065, 0x206a, 0xfffd, 0x1f600, 0x10ffff};

TEST(Escape, HidesNoCharacterThatGivesOrders) {
  EXPECT_EQ(tsv_field("a\tb\nc\rd\\e"), "a\\tb\\nc\\rd\\\\e");
  EXPECT_EQ(tsv_field("\x1b[2J\x7f"), "\\x1B[2J\\x7F");
  EXPECT_EQ(tsv_field("\xc2\x9b\xe2\x80\xae"), "\\u{9B}\\u{202E}");
  EXPECT_EQ(printable("C:\\dir\n\x1b"), "C:\\dir\\n\\x1B");
  EXPECT_EQ(json_string("\"\\\n\x1b\x7f\xc2\x9b\xe2\x80\xae"),
            "\"\\\"\\\\\\n\\u001b\\u007f\\u009b\\u202e\"");
  for (const uint32_t code : hidden) {
    const std::string text = utf8(code);
    for (const std::string& escaped : {tsv_field(text), printable(text), json_string(text)}) {
      EXPECT_EQ(escaped.find(text), std::string::npos) << code;
    }
    EXPECT_EQ(undone(tsv_field(text)), text);
  }
}

TEST(Escape, LeavesAllOtherCharacters) {
  for (const uint32_t code : shown) {
    const std::string text = utf8(code);
    EXPECT_EQ(tsv_field(text), text) << code;
    EXPECT_EQ(printable(text), text) << code;
    EXPECT_EQ(json_string(text), code == '"' ? R"("\"")" : '"' + text + '"') << code;
  }
}

TEST(Escape, ShowsWhatIsNotUtf8ByteByByte) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\xff", "\\xFF"},
      {"a\x80z", "a\\x80z"},
      {"\xc3", "\\xC3"},                              // cut
      {"\xc0\xaf", "\\xC0\\xAF"},                     // overlong
      {"\xe0\x9f\xbf", "\\xE0\\x9F\\xBF"},            // overlong
      {"\xf0\x8f\xbf\xbf", "\\xF0\\x8F\\xBF\\xBF"},   // overlong
      {"\xed\xa0\x80", "\\xED\\xA0\\x80"},            // a surrogate
      {"\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"}};  // beyond U+10FFFF
  for (const auto& [text, escaped] : cases) {
    EXPECT_EQ(tsv_field(text), escaped);
    EXPECT_EQ(undone(escaped), text);
  }
  EXPECT_EQ(json_string("a\xff"), "\"a\xef\xbf\xbd\"");
}

TEST(Escape, KeepsTheLayoutOfJson) {
  EXPECT_EQ(escaped_json("{\n  \"a\": \"\\u0001\\\\ \x7f\xc2\x85\xe2\x81\xa6\"\n}"),
            "{\n  \"a\": \"\\u0001\\\\ \\u007f\\u0085\\u2066\"\n}");
}

RC_GTEST_PROP(Escape, TsvFieldsCanBeUndone, (const std::string& text)) {
  RC_ASSERT(undone(tsv_field(text)) == text);
}

// Built of what is escaped, of what looks like an escape, and of parts of characters.
RC_GTEST_PROP(Escape, TsvFieldsOfHostileTextCanBeUndone, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "\\", "x1B", "\\u{9B}", "u{", "\x1b", "\xc2", "\x9b", "\xe2\x80", "\xae", "\t", "t", "\xff"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const std::string field = tsv_field(text);
  RC_ASSERT(undone(field) == text);
  for (const char c : field) RC_ASSERT(c >= 0x20 || static_cast<unsigned char>(c) >= 0x80);
  RC_ASSERT(tsv_field(field).find_first_of("\t\n\x1b") == std::string::npos);
}

}  // namespace
}  // namespace kith
