#include "jobs/cluster/label_words.h"

#include "base/utf8.h"

namespace kith::jobs {
namespace {

bool is_hiragana(char32_t c) {
  return c >= 0x3041 && c <= 0x309f;
}

}  // namespace

bool may_be_label(std::string_view word) {
  size_t letters = 0;
  bool is_ascii = true;
  bool is_hiragana_only = true;
  for (size_t at = 0; at < word.size(); ++letters) {
    const CodePoint c = decode_utf8(word, at);
    is_ascii = is_ascii && c.value < 0x80;
    is_hiragana_only = is_hiragana_only && is_hiragana(c.value);
    at += c.size;
  }
  return letters >= (is_ascii ? 3 : 2) && !is_hiragana_only;
}

std::vector<bool> label_words(const bags::TermTable& terms) {
  std::vector<bool> words(terms.size());
  for (uint32_t term = 0; term < terms.size(); ++term)
    words[term] = may_be_label(terms.surface(term));
  return words;
}

}  // namespace kith::jobs
