#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <uchardet/uchardet.h>
#include <unicode/ucsdet.h>

#include "base/bytes.h"
#include "text/charset/charset.h"
#include "text/words/icu_error.h"

namespace kith::text {
namespace {

// What a page says of itself in ASCII cannot be true of UTF-16.
std::optional<Encoding> believable(std::optional<Encoding> encoding) {
  if (!encoding) return encoding;
  if (info_of(*encoding).kind == EncodingKind::utf_16) return Encoding::utf_8;
  return *encoding == Encoding::x_user_defined ? Encoding::windows_1252 : *encoding;
}

// What follows "=" and blanks at the front of `text`; nothing when there is no "=".
std::string_view after_equals(std::string_view text) {
  text = trim_start(text);
  return text.starts_with('=') ? trim_start(text.substr(1)) : std::string_view();
}

// A label in quotes at the front of `text`.
std::optional<Encoding> quoted_encoding(std::string_view text) {
  const size_t close = text.find(text.front(), 1);
  if (close == std::string_view::npos) return std::nullopt;
  return find_encoding(text.substr(1, close - 1));
}

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

// "Extracting a character encoding from a meta element" (WHATWG HTML, 2.5.6).
std::optional<Encoding> encoding_of_content(std::string_view content) {
  constexpr std::string_view key = "charset";
  for (size_t at = 0; at + key.size() < content.size(); ++at) {
    if (!starts_with_ignoring_case(content.substr(at), key)) continue;
    const std::string_view label = after_equals(content.substr(at + key.size()));
    if (label.empty()) continue;
    if (is_quote(label.front())) return quoted_encoding(label);
    return find_encoding(label.substr(0, label.find_first_of("\t\n\f\r ;")));
  }
  return std::nullopt;
}

class Prescan {
 public:
  explicit Prescan(std::string_view head) : head_(head) {}

  std::optional<Encoding> run();

 private:
  struct Attribute {
    std::string_view name;
    std::string_view value;
  };

  std::string_view rest() const { return head_.substr(std::min(at_, head_.size())); }
  bool at_end() const { return at_ >= head_.size(); }
  char current() const { return head_[at_]; }
  void skip_to(std::string_view mark) {
    const size_t found = head_.find(mark, at_);
    at_ = found == std::string_view::npos ? head_.size() : found;
  }
  bool is_at_meta() const;
  std::optional<Encoding> read_meta();
  bool read_attribute(Attribute& attribute);
  std::string_view read_value();

  std::string_view head_;
  size_t at_ = 0;
};

std::optional<Encoding> Prescan::run() {
  for (; !at_end(); ++at_) {
    skip_to("<");
    if (rest().starts_with("<!--")) {
      at_ += 2;  // "<!-->" is a comment too
      skip_to("-->");
      at_ += 2;
    } else if (is_at_meta()) {
      at_ += 5;
      const std::optional<Encoding> encoding = read_meta();
      if (encoding) return encoding;
    } else if (rest().size() > 1 &&
               is_ascii_alpha(rest()[1] == '/' && rest().size() > 2 ? rest()[2] : rest()[1])) {
      while (!at_end() && !is_ascii_blank(current()) && current() != '>') ++at_;
      Attribute skipped;
      while (read_attribute(skipped)) {
      }
    } else if (rest().size() > 1 && (rest()[1] == '!' || rest()[1] == '/' || rest()[1] == '?')) {
      skip_to(">");
    }
  }
  return std::nullopt;
}

bool Prescan::is_at_meta() const {
  constexpr std::string_view tag = "<meta";
  const std::string_view text = rest();
  return text.size() > tag.size() && starts_with_ignoring_case(text, tag) &&
         (is_ascii_blank(text[tag.size()]) || text[tag.size()] == '/');
}

// The first attribute of a name counts; `charset` goes before `content`.
std::optional<Encoding> Prescan::read_meta() {
  std::optional<std::string_view> http_equiv;
  std::optional<std::string_view> content;
  std::optional<std::string_view> charset;
  Attribute attribute;
  while (read_attribute(attribute)) {
    for (const auto& [name, value] : {std::pair{std::string_view("http-equiv"), &http_equiv},
                                      {std::string_view("content"), &content},
                                      {std::string_view("charset"), &charset}}) {
      if (!*value && equals_ignoring_case(attribute.name, name)) *value = attribute.value;
    }
  }
  if (charset) return believable(find_encoding(*charset));
  const bool is_pragma = http_equiv && equals_ignoring_case(*http_equiv, "content-type");
  return is_pragma && content ? believable(encoding_of_content(*content)) : std::nullopt;
}

// "Get an attribute"; false at the end of the tag, and there it stays.
bool Prescan::read_attribute(Attribute& attribute) {
  while (!at_end() && (is_ascii_blank(current()) || current() == '/')) ++at_;
  if (at_end() || current() == '>') return false;
  const size_t begin = at_;
  for (; !at_end(); ++at_) {
    const char c = current();
    if (is_ascii_blank(c) || c == '/' || c == '>' || (c == '=' && at_ > begin)) break;
  }
  attribute = {head_.substr(begin, at_ - begin), {}};
  while (!at_end() && is_ascii_blank(current())) ++at_;
  if (at_end() || current() != '=') return true;
  ++at_;
  while (!at_end() && is_ascii_blank(current())) ++at_;
  attribute.value = read_value();
  return true;
}

std::string_view Prescan::read_value() {
  if (at_end()) return {};
  size_t begin = at_;
  size_t end = 0;
  if (is_quote(current())) {
    end = head_.find(current(), ++begin);
    end = std::min(end, head_.size());
    at_ = std::min(end + 1, head_.size());
  } else {
    while (!at_end() && !is_ascii_blank(current()) && current() != '>') ++at_;
    end = at_;
  }
  return head_.substr(begin, end - begin);
}

// <?xml version="1.0" encoding="..."?> at the very beginning (13.2.3.2, "get an XML encoding").
std::optional<Encoding> xml_encoding(std::string_view head) {
  if (!head.starts_with("<?xml")) return std::nullopt;
  const std::string_view declaration = head.substr(0, head.find('>'));
  constexpr std::string_view key = "encoding";
  const size_t found = declaration.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view label = after_equals(declaration.substr(found + key.size()));
  if (label.empty() || !is_quote(label.front())) return std::nullopt;
  return believable(quoted_encoding(label));
}

}  // namespace

std::optional<Encoding> prescan_encoding(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("<\0?\0x\0"sv)) return Encoding::utf_16le;
  if (head.starts_with("\0<\0?\0x"sv)) return Encoding::utf_16be;
  const std::optional<Encoding> encoding = Prescan(head).run();
  return encoding ? encoding : xml_encoding(head);
}

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
