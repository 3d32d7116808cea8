#include "base/bytes.h"

namespace kith {
namespace {

// Calls visit(at) for each byte that is in no character.
template <class Visit>
void for_each_stray(std::string_view text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.value == 0xfffd && point.size == 1) visit(at);
    at += point.size;
  }
}

}  // namespace

std::optional<std::string> with_valid_utf8(std::string_view text, size_t longest) {
  // Known before anything is made, so that a long text takes no more memory than it needs.
  size_t size = text.size();
  for_each_stray(text, [&](size_t) { size += utf8_replacement.size() - 1; });
  if (size > longest) return std::nullopt;
  std::string valid;
  valid.reserve(size);
  size_t kept = 0;  // what lies before has been appended
  for_each_stray(text, [&](size_t at) {
    valid.append(text.substr(kept, at - kept)).append(utf8_replacement);
    kept = at + 1;
  });
  valid.append(text.substr(kept));
  return valid;
}

}  // namespace kith
