#include "base/utf8.h"

namespace kith {

std::string with_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size() + 2);
  size_t kept = 0;  // what lies before has been appended
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.value == 0xfffd && point.size == 1) {
      valid.append(text.substr(kept, at - kept)).append("\xef\xbf\xbd");
      kept = at + 1;
    }
    at += point.size;
  }
  return valid.append(text.substr(kept));
}

}  // namespace kith
