#include <algorithm>
#include <string>

#include <unicode/bytestream.h>
#include <unicode/edits.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include "base/bytes.h"
#include "base/check.h"
#include "text/words/icu_error.h"
#include "text/words/letters.h"

namespace kith::text {
namespace {

using icu::Normalizer2;

const Normalizer2& nfkc() {
  UErrorCode error = U_ZERO_ERROR;
  const Normalizer2* const instance = Normalizer2::getNFKCInstance(error);
  check_icu(error);
  return *instance;
}

const Normalizer2& nfc() {
  UErrorCode error = U_ZERO_ERROR;
  const Normalizer2* const instance = Normalizer2::getNFCInstance(error);
  check_icu(error);
  return *instance;
}

icu::StringPiece piece_of(std::string_view text) {
  return {text.data(), static_cast<int32_t>(text.size())};
}

void normalize(const Normalizer2& form, std::string_view text, std::string& out,
               icu::Edits* edits) {
  UErrorCode error = U_ZERO_ERROR;
  out.clear();
  icu::StringByteSink<std::string> sink(&out);
  form.normalizeUTF8(0, piece_of(text), sink, edits, error);
  check_icu(error);
}

bool changes(const Normalizer2& form, UChar32 c) {
  // The ligature of Armenian is a letter of its alphabet: the stemmer and the stop words have it.
  if (c == 0x587) return false;
  icu::UnicodeString decomposed;
  if (form.getDecomposition(c, decomposed) == 0) return false;  // nearly all
  UErrorCode error = U_ZERO_ERROR;
  const icu::UnicodeString letter(c);
  return form.normalize(letter, error) != letter;
}

// The parts of a syllable that follow its first consonant.
bool is_hangul_part(UChar32 c) {
  const int32_t type = u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE);
  return type == U_HST_VOWEL_JAMO || type == U_HST_TRAILING_JAMO;
}

// Half-width Katakana and its marks.
bool has_half_width(std::string_view run) {
  for (size_t at = 0; (at = run.find('\xef', at)) != std::string_view::npos; ++at) {
    const char32_t c = decode_utf8(run, at).value;
    if (c >= 0xff66 && c <= 0xff9f) return true;
  }
  return false;
}

}  // namespace

const FoldedLetters& FoldedLetters::instance() {
  static const FoldedLetters set;
  return set;
}

FoldedLetters::FoldedLetters() {
  const auto fill = [](const void* context, UChar32 begin, UChar32 end, UCharCategory category) {
    auto& bits = *static_cast<std::array<uint64_t, 0x110000 / 64>*>(const_cast<void*>(context));
    if ((U_MASK(category) & (U_GC_L_MASK | U_GC_M_MASK)) == 0) return UBool{1};
    const Normalizer2& form = nfkc();
    for (UChar32 c = begin; c < end; ++c) {
      if (!changes(form, u_tolower(c)) && !is_hangul_part(c)) continue;
      bits[static_cast<size_t>(c) >> 6] |= uint64_t{1} << (c & 63);
    }
    return UBool{1};
  };
  u_enumCharTypes(fill, &bits_);
}

bool may_be_reordered(char32_t last, char32_t mark) {
  if (u_getCombiningClass(static_cast<UChar32>(mark)) == 0) return false;
  return u_getIntPropertyValue(static_cast<UChar32>(last), UCHAR_TRAIL_CANONICAL_COMBINING_CLASS) >
         0;
}

void fold_word(std::string_view word, std::string& folded) {
  std::string normal;
  normalize(nfkc(), word, normal, nullptr);
  const LetterTable& letters = LetterTable::instance();
  folded.clear();
  for (size_t at = 0; at < normal.size();) {
    const CodePoint c = decode_utf8(normal, at);
    at += c.size;
    const Letter letter = letters[c.value];
    if (letter.kind != LetterKind::letter && letter.kind != LetterKind::mark) continue;
    std::array<char, 4> bytes;
    const char32_t lower = letter.kind == LetterKind::letter ? letter.lower : c.value;
    folded.append(bytes.data(), encode_utf8(lower, bytes.data()));
  }
  if (folded.empty()) folded = word;
}

bool fold_run(std::string_view run, FoldedRun& folded) {
  const bool is_half_width = has_half_width(run);
  UErrorCode error = U_ZERO_ERROR;
  if (!is_half_width && nfc().isNormalizedUTF8(piece_of(run), error) != 0) return false;
  icu::Edits edits;
  normalize(is_half_width ? nfkc() : nfc(), run, folded.text, &edits);
  folded.places.clear();
  folded.places.reserve(folded.text.size());
  for (icu::Edits::Iterator it = edits.getFineIterator(); it.next(error) != 0;) {
    for (int32_t i = 0; i < it.newLength(); ++i) {
      const int32_t place = it.sourceIndex() + (it.hasChange() != 0 ? 0 : i);
      folded.places.push_back(static_cast<uint16_t>(place));
    }
  }
  check_icu(error);
  KITH_CHECK(folded.places.size() == folded.text.size());
  return true;
}

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
