#include "text/charset/detect.h"

#include <algorithm>
#include <memory>
#include <string>

#include <uchardet/uchardet.h>
#include <unicode/ucsdet.h>

#include "base/ascii.h"

namespace kith::text {
namespace {

constexpr size_t sample_bytes = 8192;
constexpr size_t context_bytes = 24;  // ASCII kept before and after what is not

// The bytes that are not ASCII, with some of what surrounds them: most of a page is markup.
std::string sample_of(std::string_view bytes) {
  std::string sample;
  size_t taken = 0;
  for (size_t at = 0; at < bytes.size() && sample.size() < sample_bytes; ++at) {
    if (is_ascii(bytes[at])) continue;
    size_t end = at;
    for (size_t plain = 0; end < bytes.size() && plain <= context_bytes; ++end) {
      plain = is_ascii(bytes[end]) ? plain + 1 : 0;
      if (end - at > sample_bytes) break;
    }
    const size_t begin = std::max(taken, at - std::min(at, context_bytes));
    sample.append(bytes, begin, end - begin);
    taken = end;
    at = end - 1;
  }
  return sample;
}

std::optional<Encoding> ask_uchardet(std::string_view sample) {
  const std::unique_ptr<uchardet, void (*)(uchardet_t)> detector(uchardet_new(), uchardet_delete);
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return std::nullopt;
  uchardet_data_end(detector.get());
  const std::string_view name = uchardet_get_charset(detector.get());
  if (name == "UHC") return Encoding::euc_kr;
  if (name == "MAC-CYRILLIC") return Encoding::x_mac_cyrillic;
  return find_encoding(name);
}

std::optional<Encoding> ask_icu(std::string_view sample) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UCharsetDetector, void (*)(UCharsetDetector*)> detector(ucsdet_open(&error),
                                                                                ucsdet_close);
  if (U_FAILURE(error)) return std::nullopt;
  ucsdet_enableInputFilter(detector.get(), true);
  ucsdet_setText(detector.get(), sample.data(), static_cast<int32_t>(sample.size()), &error);
  int32_t count = 0;
  const UCharsetMatch** const matches = ucsdet_detectAll(detector.get(), &count, &error);
  if (U_FAILURE(error)) return std::nullopt;
  for (int32_t i = 0; i < count; ++i) {
    const char* const name = ucsdet_getName(matches[i], &error);
    if (U_FAILURE(error)) return std::nullopt;
    const std::optional<Encoding> encoding = find_encoding(name);
    if (encoding && info_of(*encoding).kind != EncodingKind::utf_16) return encoding;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Encoding> detect_encoding(std::string_view bytes) {
  const std::string sample = sample_of(bytes);
  const std::optional<Encoding> first = ask_uchardet(sample);
  if (first && info_of(*first).kind == EncodingKind::single_byte) return first;
  const std::optional<Encoding> second = ask_icu(sample);
  return second ? second : first;
}

}  // namespace kith::text
