// Foreign text (titles, URLs, ids, names of files) made fit for a terminal, a table or JSON.
//
// What is escaped is the same everywhere: control characters (U+0000 to U+001F, U+007F to U+009F),
// the line and paragraph separators (U+2028, U+2029), the characters that steer the direction of
// writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), and bytes that are not
// UTF-8. All other characters stay as they are. docs/formats/escapes.md.
#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace kith {

// A field of a TSV row, which can be undone: \t, \n, \r and \\ for tab, line ends and backslash;
// \xHH for another byte below 0x20, for 0x7f and for each byte that is not UTF-8; \u{HEX} for any
// other character that is escaped. HEX is in upper case.
std::string tsv_field(std::string_view text);

// A line for a person: as tsv_field(), but a backslash stays single, so that it cannot be undone.
std::string printable(std::string_view text);

// A JSON string with its quotes. A byte that is not UTF-8 becomes U+FFFD, since JSON has no bytes.
std::string json_string(std::string_view text);

// A JSON document as a library has written it, with all that is to be escaped as \uXXXX.
// REQUIRES: `json` is valid JSON, whose control characters below U+0020 inside strings are escaped.
std::string escaped_json(std::string_view json);

}  // namespace kith

#pragma GCC visibility pop
