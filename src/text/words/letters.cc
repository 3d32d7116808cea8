#include "text/words/letters.h"

#include <algorithm>
#include <map>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

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

}  // namespace kith::text
