#include "text/words/terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>

#include <libstemmer.h>
#include <unicode/uscript.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "text/words/language.h"
#include "text/words/letters.h"
#include "text/words/words.h"

namespace kith::text {

size_t OwnStopWords::Hash::operator()(std::string_view text) const {
  return hash64(text);
}

OwnStopWords::OwnStopWords(std::span<const std::string> words) {
  Stemmer stemmer;
  WordSplitter splitter;
  for (const std::string& given : words) {
    splitter.reset(given);
    std::string_view word;
    uint32_t offset = 0;
    while (splitter.next(word, offset)) {
      for (size_t language = 0; language < stems_.size(); ++language) {
        stems_[language].emplace(stemmer.stem(static_cast<Language>(language), word));
      }
    }
  }
}

namespace {

// In which lists a word stands: bit i is the language of value i.
struct StopWord {
  std::string_view word;
  uint64_t languages = 0;  // it is left out of bags of
  uint32_t told = 0;       // it tells
};

constexpr uint64_t list_bit(Language language) {
  static_assert(static_cast<unsigned>(Language::other) < 64);
  return uint64_t{1} << static_cast<unsigned>(language);
}

// A flat hash table with linear probing, at most half full. The tags decide nearly every look-up
// within one cache line; the words confirm.
class StopWordTable {
 public:
  static const StopWordTable& instance() {
    static const StopWordTable table;
    return table;
  }

  // A word of no list is in none.
  const StopWord& find(std::string_view word) const {
    if (word.size() > longest_) return words_[0];
    const uint64_t hash = hash64(word);
    for (size_t at = hash & mask_; slots_[at].word != 0; at = (at + 1) & mask_) {
      const StopWord& found = words_[slots_[at].word];
      if (slots_[at].tag == tag_of(hash) && found.word == word) return found;
    }
    return words_[0];
  }

 private:
  struct Slot {
    uint32_t tag = 0;
    uint32_t word = 0;  // in words_; 0: empty
  };

  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  StopWordTable() {
    size_t count = 0;
    for (const auto& list : stop_lists()) {
      count += std::ranges::count(list.telling, ' ') + std::ranges::count(list.further, ' ');
    }
    slots_.resize(std::bit_ceil(count * 2));
    words_.reserve(count + 1);
    words_.resize(1);
    mask_ = slots_.size() - 1;
    for (const auto& list : stop_lists()) {
      for_each_word(list.telling, [&](StopWord& word) {
        word.languages |= list_bit(list.language);
        word.told |= language_bit(list.language);
      });
      for_each_word(list.further,
                    [&](StopWord& word) { word.languages |= list_bit(list.language); });
    }
  }

  template <class Take>
  void for_each_word(std::string_view list, Take&& take) {
    while (!list.empty()) {
      const size_t size = list.find(' ');
      take(add(list.substr(0, size)));
      list.remove_prefix(size + 1);
    }
  }

  StopWord& add(std::string_view word) {
    longest_ = std::max(longest_, word.size());
    const uint64_t hash = hash64(word);
    size_t at = hash & mask_;
    while (slots_[at].word != 0 && words_[slots_[at].word].word != word) at = (at + 1) & mask_;
    if (slots_[at].word == 0) {
      slots_[at] = {tag_of(hash), static_cast<uint32_t>(words_.size())};
      words_.push_back({word});
    }
    return words_[slots_[at].word];
  }

  std::vector<Slot> slots_;
  std::vector<StopWord> words_;  // the first stands for all others
  size_t mask_ = 0;
  size_t longest_ = 0;
};

// The fewest letters of a word that says something about a topic, by the script of its letters:
// docs/algorithms/words.md has the reasons.
unsigned min_letters(char32_t letter) {
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(letter), &error)) {
    case USCRIPT_LATIN:
    case USCRIPT_GREEK:
    case USCRIPT_CYRILLIC:
    case USCRIPT_ARMENIAN:
    case USCRIPT_GEORGIAN:
    case USCRIPT_COMMON:  // symbols of one letter, such as the micro sign
      return 3;
    case USCRIPT_HEBREW:
    case USCRIPT_ARABIC:
    case USCRIPT_SYRIAC:
      return 2;
    default:
      return 1;
  }
}

// Whether a word has fewer letters, not counting combining marks, than its script requires.
bool is_too_short(std::string_view word) {
  constexpr unsigned most = 3;  // that any script requires
  if (word.size() >= most && std::all_of(word.begin(), word.begin() + most, is_ascii_alpha)) {
    return false;
  }
  const LetterTable& table = LetterTable::instance();
  unsigned required = 0;
  unsigned letters = 0;
  for (size_t at = 0; at < word.size() && letters < most;) {
    const CodePoint c = decode_utf8(word, at);
    at += c.size;
    const LetterKind kind = table[c.value].kind;
    if (kind == LetterKind::mark) continue;
    if (kind != LetterKind::letter) return false;
    if (letters++ == 0) required = min_letters(c.value);
  }
  return letters < required;
}

}  // namespace

uint32_t languages_of_stop_word(std::string_view word) {
  return StopWordTable::instance().find(word).told;
}

bool is_stop_word(Language language, std::string_view word) {
  return is_too_short(word) ||
         (StopWordTable::instance().find(word).languages & list_bit(language)) != 0;
}

namespace {

struct Delete {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using SnowballStemmer = std::unique_ptr<sb_stemmer, Delete>;

// The paper stems English by Porter's algorithm; what Snowball calls "english" is another one.
std::string algorithm_of(Language language) {
  return language == Language::english ? "porter" : std::string(language_name(language));
}

}  // namespace

struct Stemmer::Impl {
  std::array<SnowballStemmer, stemmer_count> stemmers;
};

Stemmer::Stemmer() : impl_(std::make_unique<Impl>()) {}
Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string_view Stemmer::stem(Language language, std::string_view word) {
  if (!has_stemmer(language)) return word;
  auto& stemmer = impl_->stemmers[static_cast<size_t>(language)];
  if (!stemmer) {
    stemmer.reset(sb_stemmer_new(algorithm_of(language).c_str(), "UTF_8"));
    KITH_CHECK(stemmer != nullptr);
  }
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  const int size = stem == nullptr ? 0 : sb_stemmer_length(stemmer.get());
  if (size <= 0) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<size_t>(size)};
}

}  // namespace kith::text
