// Any bytes under any label: the result must be UTF-8, and valid UTF-8 must not be copied without
// a reason. The first byte chooses the label of the HTTP header.
#include "text/charset/charset.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kith::text;
  if (size == 0) return 0;
  static std::string buffer;
  const size_t choice = data[0] & 0x7f;
  const std::string_view label =
      choice < encoding_count ? info_of(static_cast<Encoding>(choice)).name : std::string_view();
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Utf8Text utf8 = to_utf8(bytes, label, data[0] >= 0x80, buffer);
  if (weigh_utf8(utf8.bytes).errors != 0) __builtin_trap();
  if (!find_encoding(utf8.charset)) __builtin_trap();
  if (utf8.charset == "UTF-8" && weigh_utf8(bytes).errors == 0 &&
      (utf8.bytes.data() < bytes.data() || utf8.bytes.data() > bytes.data() + bytes.size())) {
    __builtin_trap();
  }
  return 0;
}
