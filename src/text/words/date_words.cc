#include "text/words/date_words.h"

#include <cstdint>
#include <string>

#include <boost/unordered/unordered_flat_set.hpp>
#include <unicode/dtfmtsym.h>
#include <unicode/locid.h>

#include "base/hash.h"
#include "text/words/letters.h"
#include "text/words/tokens.h"

namespace kith::text {
namespace {

constexpr const char* date_languages[] = {
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "is", "pl", "cs",
    "sk", "hu", "ro", "bg", "sr", "hr", "sl", "uk", "ru", "el", "tr", "ar", "he", "fa",
    "hi", "id", "vi", "th", "ja", "zh", "ko", "et", "lv", "lt", "ca", "eu", "ga",
};

class DateWords {
 public:
  static const DateWords& instance() {
    static const DateWords words;
    return words;
  }

  bool contains(std::string_view token) const { return words_.contains(hash64(token)); }

 private:
  DateWords() {
    using Symbols = icu::DateFormatSymbols;
    for (const char* const language : date_languages) {
      UErrorCode error = U_ZERO_ERROR;
      const Symbols symbols(icu::Locale(language), error);
      if (U_FAILURE(error) != 0) continue;
      for (const auto context : {Symbols::FORMAT, Symbols::STANDALONE}) {
        for (const auto width : {Symbols::WIDE, Symbols::ABBREVIATED}) {
          int32_t count = 0;
          const icu::UnicodeString* names = symbols.getMonths(count, context, width);
          add(names, count);
          names = symbols.getWeekdays(count, context, width);
          add(names, count);
        }
      }
    }
  }

  void add(const icu::UnicodeString* names, int32_t count) {
    constexpr int32_t min_letters = 3;
    TokenSplitter splitter(Numbers::drop);
    for (int32_t i = 0; i < count; ++i) {
      std::string name;
      names[i].toUTF8String(name);
      splitter.reset(name);
      for (Token token; splitter.next(token);) {
        const int32_t letters = icu::UnicodeString::fromUTF8(token.text).countChar32();
        if (token.unspaced || letters >= min_letters) words_.insert(hash64(token.text));
      }
    }
  }

  boost::unordered_flat_set<uint64_t> words_;
};

}  // namespace

bool is_date_word(std::string_view token) {
  return DateWords::instance().contains(token);
}

}  // namespace kith::text
