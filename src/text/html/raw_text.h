// Where content ends that is not markup: of <style>, <title>, <script>, comments
// (WHATWG HTML, 13.2.5.2 to 13.2.5.31 and 13.2.5.41 to 13.2.5.52).
#pragma once

#include <string_view>

namespace kith::text {

// The '<' of the end tag "</name" that closes raw text or escapable raw text; or `end`.
const char* find_raw_text_end(const char* at, const char* end, std::string_view name);

// The '<' of the "</script" that ends a script: not one within "<!-- <script>"; or `end`.
const char* find_script_end(const char* at, const char* end);

// Behind the "-->" or "--!>" of a comment, from behind its "<!--"; or `end`.
const char* find_comment_end(const char* at, const char* end);

}  // namespace kith::text
