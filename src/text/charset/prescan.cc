#include "text/charset/prescan.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/ascii.h"

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

}  // namespace kith::text
