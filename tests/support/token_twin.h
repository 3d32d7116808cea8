// A slow twin of the tokens of near-duplicates: the whole text is folded and composed by ICU first,
// then cut by the categories of its code points. For tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "base/bytes.h"
#include "text/words/letters.h"
#include "text/words/tokens.h"

namespace kith::test {

class TokenTwin {
 public:
  explicit TokenTwin(Numbers numbers) : numbers_(numbers) {}

  std::vector<std::string> tokens(std::string_view text) {
    tokens_.clear();
    token_.clear();
    read(folded(text));
    end();
    return tokens_;
  }

 private:
  enum class Kind { other, letter, mark, digit, unspaced, symbol };

  static std::u32string code_points(const icu::UnicodeString& units) {
    std::u32string result;
    for (int32_t at = 0; at < units.length(); at = units.moveIndex32(at, 1)) {
      result += static_cast<char32_t>(units.char32At(at));
    }
    return result;
  }

  // Every code point by NFKC_Casefold, the whole by NFC.
  static std::u32string folded(std::string_view text) {
    UErrorCode error = U_ZERO_ERROR;
    const icu::Normalizer2* const fold = icu::Normalizer2::getNFKCCasefoldInstance(error);
    const icu::Normalizer2* const nfc = icu::Normalizer2::getNFCInstance(error);
    icu::UnicodeString all;
    for (size_t at = 0; at < text.size();) {
      const CodePoint c = decode_utf8(text, at);
      at += c.size;
      const auto value = static_cast<UChar32>(c.value);
      all += value == 0x200b ? icu::UnicodeString(value)
                             : fold->normalize(icu::UnicodeString(value), error);
    }
    return without_line_breaks(code_points(nfc->normalize(all, error)));
  }

  // Without U+200B before letters and numbers of scripts in which it does not end words.
  static std::u32string without_line_breaks(const std::u32string& text) {
    std::u32string result;
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t after = std::min(text.find_first_not_of(U'\u200b', i), text.size() - 1);
      const uint32_t mask = U_MASK(u_charType(static_cast<UChar32>(text[after])));
      const bool is_joined = (mask & (U_GC_L_MASK | U_GC_N_MASK)) != 0 &&
                             (text[after] < 0x900 || (text[after] >> 8 | 1) == 0x1f);
      if (text[i] != U'\u200b' || !is_joined) result += text[i];
    }
    return result;
  }

  Kind kind_of(char32_t code_point) const {
    const auto c = static_cast<UChar32>(code_point);
    const uint32_t mask = U_MASK(u_charType(c));
    const bool is_digit = (mask & U_GC_ND_MASK) != 0;
    if ((mask & (U_GC_L_MASK | U_GC_N_MASK)) != 0 && !is_digit && text::is_unspaced(code_point)) {
      return Kind::unspaced;
    }
    if ((mask & U_GC_L_MASK) != 0) return Kind::letter;
    if ((mask & U_GC_M_MASK) != 0) return Kind::mark;
    if ((mask & U_GC_N_MASK) != 0) return numbers_ == Numbers::drop ? Kind::other : Kind::digit;
    return (mask & (U_GC_SM_MASK | U_GC_SC_MASK | U_GC_SO_MASK)) != 0 ? Kind::symbol : Kind::other;
  }

  void end() {
    if (!token_.empty()) tokens_.push_back(token_);
    token_.clear();
  }

  void add(char32_t c) {
    char bytes[4];
    token_.append(bytes, text::encode_utf8(c, bytes));
  }

  void read(const std::u32string& text) {
    Kind before = Kind::other;  // of the token
    bool is_single = false;
    for (size_t i = 0; i < text.size(); ++i) {
      const Kind kind = kind_of(text[i]);
      const bool is_apostrophe = text[i] == U'\'' || text[i] == U'\u2019';
      if (is_apostrophe && !is_single && !token_.empty() &&
          (before == Kind::letter || before == Kind::mark) && i + 1 < text.size() &&
          kind_of(text[i + 1]) == Kind::letter) {
        continue;
      }
      const bool starts_single = kind == Kind::symbol || kind == Kind::unspaced;
      if (kind == Kind::other || starts_single || (is_single && kind != Kind::mark)) end();
      if (kind == Kind::other) {
        is_single = false;
        before = kind;
        continue;
      }
      if (token_.empty()) is_single = starts_single;
      const bool is_masked = kind == Kind::digit && numbers_ == Numbers::mask;
      if (!is_masked || before != Kind::digit || token_.empty()) add(is_masked ? U'0' : text[i]);
      before = kind;
    }
  }

  Numbers numbers_;
  std::vector<std::string> tokens_;
  std::string token_;
};

}  // namespace kith::test
