#include "text/words/folded_text.h"

#include <string>

#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include "base/check.h"
#include "text/words/icu_error.h"

namespace kith::text {

void FoldedText::reset(std::string_view text, size_t at) {
  text_ = text;
  at_ = at;
  items_.clear();
  next_ = 0;
  decode();
}

void FoldedText::decode() {
  if (at_ >= text_.size()) return;
  decoded_ = decode_utf8(text_, at_);
  decoded_letter_ = letters_[decoded_.value];
}

void FoldedText::append(TokenLetter letter) {
  if (letter.expands == 0) {
    const auto code_point =
        static_cast<char32_t>(static_cast<int32_t>(decoded_.value) + letter.mapping);
    items_.push_back({code_point, letter.kind});
    return;
  }
  for (const char32_t part : letters_.expansion(letter)) {
    items_.push_back({part, letters_[part].kind});
  }
}

bool FoldedText::load() {
  items_.clear();
  next_ = 0;
  segment_begin_ = at_;
  bool composes = false;
  uint8_t class_before = 0;
  while (at_ < text_.size() && items_.size() < max_segment) {
    const TokenLetter letter = decoded_letter_;
    const bool vanishes = letter.expands != 0 && letters_.expansion(letter).empty();
    if (!vanishes && !items_.empty()) {
      if (letter.is_boundary()) break;
      composes = composes || letter.combines != 0 || letter.expands != 0 ||
                 class_before > letter.combining_class;
    }
    append(letter);
    // What an expansion ends with is not known: any mark behind it is put in order.
    class_before = letter.expands != 0 ? UINT8_MAX : letter.combining_class;
    at_ += decoded_.size;
    decode();
  }
  if (composes) compose();
  return !items_.empty();
}

void FoldedText::compose() {
  std::u16string source;
  for (const Item& item : items_) {
    std::array<char16_t, 2> units = {};
    int32_t size = 0;
    U16_APPEND_UNSAFE(units.data(), size, static_cast<UChar32>(item.code_point));
    source.append(units.data(), static_cast<size_t>(size));
  }
  static const UNormalizer2* const nfc = nfc_form();
  UErrorCode error = U_ZERO_ERROR;
  std::u16string target(source.size() * 3, u'\0');
  const int32_t size = unorm2_normalize(nfc, source.data(), static_cast<int32_t>(source.size()),
                                        target.data(), static_cast<int32_t>(target.size()), &error);
  check_icu(error);
  items_.clear();
  for (int32_t at = 0; at < size;) {
    UChar32 c = 0;
    U16_NEXT(target.data(), at, size, c);
    const auto code_point = static_cast<char32_t>(c);
    items_.push_back({code_point, letters_[code_point].kind});
  }
}

}  // namespace kith::text
