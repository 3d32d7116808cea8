#include "text/words/letters.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uset.h>
#include <unicode/utf16.h>

#include "base/check.h"
#include "text/words/icu_error.h"

namespace kith::text {
namespace {

constexpr std::array joiners = {U'\'', U'\u2019', U'\u00ad', U'\u200c', U'\u200d'};

LetterKind kind_of(UChar32 c, UCharCategory category) {
  if (std::ranges::find(joiners, static_cast<char32_t>(c)) != joiners.end()) {
    return LetterKind::joiner;
  }
  if (category == U_DECIMAL_DIGIT_NUMBER) return LetterKind::digit;
  const bool is_letter = (U_MASK(category) & U_GC_L_MASK) != 0;
  const bool is_mark = (U_MASK(category) & U_GC_M_MASK) != 0;
  if (!is_letter && !is_mark) return LetterKind::none;
  if (is_unspaced(static_cast<char32_t>(c))) return LetterKind::segmented;
  return is_letter ? LetterKind::letter : LetterKind::mark;
}

}  // namespace

bool is_unspaced(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(c, &error)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
      return true;
    case USCRIPT_COMMON:
    case USCRIPT_INHERITED:  // the marks of kana
      return uscript_hasScript(c, USCRIPT_KATAKANA) || uscript_hasScript(c, USCRIPT_HIRAGANA);
    default:
      return false;
  }
}

const LetterTable& LetterTable::instance() {
  static const LetterTable table;
  return table;
}

LetterTable::LetterTable() {
  std::vector<int32_t> all(0x110000);
  const auto fill = [](const void* context, UChar32 begin, UChar32 end, UCharCategory category) {
    auto& entries = *static_cast<std::vector<int32_t>*>(const_cast<void*>(context));
    constexpr uint32_t interesting =
        U_GC_L_MASK | U_GC_M_MASK | U_GC_CF_MASK | U_GC_P_MASK | U_GC_ND_MASK;
    if ((U_MASK(category) & interesting) == 0) return UBool{1};
    for (UChar32 c = begin; c < end; ++c) {
      const LetterKind kind = kind_of(c, category);
      const int32_t shift = kind == LetterKind::letter ? u_tolower(c) - c : 0;
      entries[static_cast<size_t>(c)] = shift * (1 << kind_bits) + static_cast<int32_t>(kind);
    }
    return UBool{1};
  };
  u_enumCharTypes(fill, &all);

  constexpr size_t page_size = size_t{1} << page_bits;
  std::map<std::vector<int32_t>, uint16_t> page_ids;
  for (size_t page = 0; page < page_count; ++page) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(page * page_size);
    std::vector<int32_t> content(begin, begin + page_size);
    const auto id = static_cast<uint16_t>(entries_.size() / page_size);
    const auto [known, is_new] = page_ids.try_emplace(std::move(content), id);
    if (is_new) entries_.insert(entries_.end(), known->first.begin(), known->first.end());
    page_of_[page] = known->second;
  }
}

namespace {

// A place where a line may be broken. NFKC_Casefold would remove it everywhere.
constexpr UChar32 zero_width_space = 0x200b;

TokenKind kind_of(UChar32 c) {
  if (c == U'\'' || c == U'\u2019') return TokenKind::apostrophe;
  if (c == zero_width_space) return TokenKind::line_break;
  const uint32_t mask = U_MASK(u_charType(c));
  if ((mask & U_GC_ND_MASK) != 0) return TokenKind::digit;
  if ((mask & (U_GC_SM_MASK | U_GC_SC_MASK | U_GC_SO_MASK)) != 0) return TokenKind::symbol;
  if ((mask & U_GC_M_MASK) != 0) return TokenKind::mark;
  if ((mask & (U_GC_L_MASK | U_GC_N_MASK)) == 0) return TokenKind::separator;
  if (is_unspaced(static_cast<char32_t>(c))) return TokenKind::unspaced;
  return (mask & U_GC_L_MASK) != 0 ? TokenKind::letter : TokenKind::digit;
}

struct CloseSet {
  void operator()(USet* set) const { uset_close(set); }
};

// Calls visit(c) for each code point of a set.
template <typename Visit>
void for_each_code_point(const USet* set, const Visit& visit) {
  UErrorCode error = U_ZERO_ERROR;
  for (int32_t range = 0; range < uset_getItemCount(set); ++range) {
    UChar32 first = 0;
    UChar32 last = 0;
    if (uset_getItem(set, range, &first, &last, nullptr, 0, &error) != 0) continue;  // a string
    for (UChar32 c = first; c <= last; ++c) visit(c);
  }
  check_icu(error);
}

std::vector<char32_t> folded(const UNormalizer2* fold, UChar32 c) {
  std::array<UChar, 2> source = {};
  int32_t length = 0;
  U16_APPEND_UNSAFE(source.data(), length, c);
  std::array<UChar, 64> target = {};
  UErrorCode error = U_ZERO_ERROR;
  const int32_t size =
      unorm2_normalize(fold, source.data(), length, target.data(), target.size(), &error);
  check_icu(error);
  std::vector<char32_t> result;
  for (int32_t at = 0; at < size;) {
    UChar32 next = 0;
    U16_NEXT(target.data(), at, size, next);
    result.push_back(static_cast<char32_t>(next));
  }
  return result;
}

}  // namespace

const TokenLetters& TokenLetters::instance() {
  static const TokenLetters table;
  return table;
}

int32_t TokenLetters::expand(std::span<const char32_t> code_points) {
  expansions_.insert(expansions_.end(), code_points.begin(), code_points.end());
  expansions_at_.push_back(static_cast<uint32_t>(expansions_.size()));
  return static_cast<int32_t>(expansions_at_.size() - 2);
}

TokenLetters::TokenLetters() {
  std::vector<TokenLetter> all(0x110000);
  const auto set_kinds = [](const void* context, UChar32 begin, UChar32 end, UCharCategory type) {
    auto& letters = *static_cast<std::vector<TokenLetter>*>(const_cast<void*>(context));
    if (type == U_UNASSIGNED || type == U_PRIVATE_USE_CHAR) return UBool{1};
    for (UChar32 c = begin; c < end; ++c) letters[static_cast<size_t>(c)].kind = kind_of(c);
    return UBool{1};
  };
  u_enumCharTypes(set_kinds, &all);

  UErrorCode error = U_ZERO_ERROR;
  const std::u16string_view pattern = u"[[:NFC_Quick_Check=Maybe:][:^ccc=0:]]";
  const std::unique_ptr<USet, CloseSet> combining(
      uset_openPattern(pattern.data(), static_cast<int32_t>(pattern.size()), &error));
  const UNormalizer2* const fold = unorm2_getNFKCCasefoldInstance(&error);
  const USet* const changed = u_getBinaryPropertySet(UCHAR_CHANGES_WHEN_NFKC_CASEFOLDED, &error);
  check_icu(error);
  for_each_code_point(combining.get(), [&](UChar32 c) {
    TokenLetter& letter = all[static_cast<size_t>(c)];
    letter.combining_class = u_getCombiningClass(c);
    letter.combines = u_getIntPropertyValue(c, UCHAR_NFC_QUICK_CHECK) == UNORM_MAYBE;
  });
  const std::vector<TokenLetter> unchanged = all;
  for_each_code_point(changed, [&](UChar32 c) {
    if (c == zero_width_space) return;
    const std::vector<char32_t> result = folded(fold, c);
    TokenLetter letter = result.empty() ? TokenLetter() : unchanged[result.front()];
    if (result.size() == 1) {
      letter.mapping = static_cast<int32_t>(result.front()) - c;
    } else {
      letter.mapping = expand(result);
      letter.expands = 1;
    }
    all[static_cast<size_t>(c)] = letter;
  });
  keep_pages(all);
}

void TokenLetters::keep_pages(const std::vector<TokenLetter>& all) {
  constexpr size_t page_size = size_t{1} << page_bits;
  std::map<std::vector<uint64_t>, uint16_t> page_ids;
  for (size_t page = 0; page < page_count; ++page) {
    const auto letters = std::span(all).subspan(page * page_size, page_size);
    std::vector<uint64_t> content(page_size);
    std::ranges::transform(letters, content.begin(),
                           [](TokenLetter letter) { return std::bit_cast<uint64_t>(letter); });
    const auto id = static_cast<uint16_t>(entries_.size() / page_size);
    const auto [known, is_new] = page_ids.try_emplace(std::move(content), id);
    if (is_new) entries_.insert(entries_.end(), letters.begin(), letters.end());
    page_of_[page] = known->second;
  }
}

}  // namespace kith::text
