#include "text/charset/detect.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>

#include <uchardet/uchardet.h>
#include <unicode/ucsdet.h>

#include "base/ascii.h"
#include "text/words/icu_error.h"

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
  // The only way to fail.
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) {
    throw std::bad_alloc();
  }
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
  check_icu(error);
  ucsdet_enableInputFilter(detector.get(), true);
  ucsdet_setText(detector.get(), sample.data(), static_cast<int32_t>(sample.size()), &error);
  int32_t count = 0;
  const UCharsetMatch** const matches = ucsdet_detectAll(detector.get(), &count, &error);
  if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(error)) return std::nullopt;
  for (int32_t i = 0; i < count; ++i) {
    const char* const name = ucsdet_getName(matches[i], &error);
    if (U_FAILURE(error)) return std::nullopt;
    const std::optional<Encoding> encoding = find_encoding(name);
    if (encoding && info_of(*encoding).kind != EncodingKind::utf_16) return encoding;
  }
  return std::nullopt;
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

// Whether a byte of `letters` stands beside one that `is_letter` knows.
template <class IsLetter>
bool has_letter_among(std::string_view sample, std::string_view letters, IsLetter&& is_letter) {
  for (size_t at = 1; at + 1 < sample.size(); ++at) {
    if (is_one_of(sample[at], letters) && is_letter(sample[at + 1])) return true;
  }
  return false;
}

// The detectors know one encoding of some pairs only. What the other one has more than it are
// letters: in the first one of the pair these bytes are frames of tables, fractions and accents,
// which stand beside no letter.
Encoding sibling_of(Encoding encoding, std::string_view sample) {
  if (encoding == Encoding::koi8_r) {  // Ukrainian and Belarusian
    const auto is_cyrillic = [](char c) { return static_cast<uint8_t>(c) >= 0xc0; };
    constexpr std::string_view letters = "\xa4\xa6\xa7\xad\xae\xb4\xb6\xb7\xbd\xbe";
    if (has_letter_among(sample, letters, is_cyrillic)) return Encoding::koi8_u;
  }
  if (encoding == Encoding::windows_1252) {  // French, Finnish, Estonian
    const auto is_c1 = [](char c) { return (static_cast<uint8_t>(c) & 0xe0) == 0x80; };
    if (std::ranges::any_of(sample, is_c1)) return encoding;
    constexpr std::string_view letters = "\xa6\xa8\xbc\xbd";
    if (has_letter_among(sample, letters, is_ascii_alpha)) return Encoding::iso_8859_15;
  }
  return encoding;
}

}  // namespace

std::optional<Encoding> detect_escaped(std::string_view bytes) {
  constexpr std::string_view escape = "\x1b";
  constexpr std::array<std::string_view, 4> japanese = {"$B", "$@", "$(D", "(J"};
  for (size_t at = 0; (at = bytes.find(escape, at)) != std::string_view::npos; ++at) {
    const std::string_view rest = bytes.substr(at + 1, 3);
    if (std::ranges::any_of(japanese, [&](auto set) { return rest.starts_with(set); })) {
      return Encoding::iso_2022_jp;
    }
  }
  return std::nullopt;
}

std::optional<Encoding> detect_utf_16(std::string_view bytes) {
  bytes = bytes.substr(0, 1024);
  std::array<size_t, 2> zeros = {};
  for (size_t at = 0; at < bytes.size(); ++at) zeros[at % 2] += bytes[at] == '\0' ? 1 : 0;
  const size_t enough = bytes.size() / 8;  // a quarter of the characters are ASCII
  if (zeros[0] + zeros[1] <= enough || bytes.size() < 8) return std::nullopt;
  if (zeros[0] * 16 < zeros[1]) return Encoding::utf_16le;
  if (zeros[1] * 16 < zeros[0]) return Encoding::utf_16be;
  return std::nullopt;
}

std::optional<Encoding> detect_encoding(std::string_view bytes) {
  const std::string sample = sample_of(bytes);
  const std::optional<Encoding> first = ask_uchardet(sample);
  if (first && info_of(*first).kind == EncodingKind::single_byte) {
    return sibling_of(*first, sample);
  }
  const std::optional<Encoding> second = ask_icu(sample);
  const std::optional<Encoding> found = second ? second : first;
  return found ? std::optional(sibling_of(*found, sample)) : found;
}

}  // namespace kith::text
