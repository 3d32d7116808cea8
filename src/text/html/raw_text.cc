#include "text/html/raw_text.h"

#include "base/ascii.h"
#include "text/html/scan.h"

namespace kith::text {
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
