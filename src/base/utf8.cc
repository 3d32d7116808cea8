#include "base/utf8.h"

#include <algorithm>

namespace kith {

std::optional<std::string> with_valid_utf8(std::string_view text, size_t longest) {
  std::string valid;
  valid.reserve(std::min(text.size() + 2, longest));
  size_t kept = 0;  // what lies before has been appended
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.value == 0xfffd && point.size == 1) {
      valid.append(text.substr(kept, at - kept)).append(utf8_replacement);
      kept = at + 1;
      if (valid.size() > longest) return std::nullopt;
    }
    at += point.size;
  }
  if (valid.size() + text.size() - kept > longest) return std::nullopt;
  valid.append(text.substr(kept));
  return valid;
}

}  // namespace kith
